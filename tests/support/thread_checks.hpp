// SPDX-License-Identifier: Apache-2.0
// What holds for the executions of any operation on any number of threads: bit-identical results,
// from many threads at once, and from inside the caller's own parallel loops.
#pragma once

#include <functional>
#include <memory>

#include "support/primitive_case.hpp"

namespace kiln::test {

using make_primitive_case_t = std::function<std::unique_ptr<primitive_case_t>()>;
/// Judges an execution and compares others bit by bit with it: primitives that were made for 1 to
/// 16 threads, executed by as many threads and by another number.
void expect_same_bits_for_any_number_of_threads(const make_primitive_case_t &make);

/// The same where `make` returns a case.
template <typename make_t> void expect_same_bits_for_any_number_of_threads(const make_t &make) {
    using case_t = decltype(make());
    expect_same_bits_for_any_number_of_threads(make_primitive_case_t(
            [&] { return std::unique_ptr<primitive_case_t>(new case_t(make())); }));
}

/// Cases with tensors of their own that are executed by primitives that they share with others.
class calls_t {
public:
    /// Executes the case alone, to know its bits; then with the primitive of `shared`.
    void add(std::shared_ptr<primitive_case_t> own, std::shared_ptr<primitive_case_t> shared);

    /// Each on a thread of its own.
    void expect_independence_in_threads() const;

    /// In the tasks of one parallel loop.
    void expect_independence_in_a_parallel_loop() const;

private:
    struct call_t {
        std::shared_ptr<primitive_case_t> own;
        std::shared_ptr<primitive_case_t> shared;
        std::vector<std::vector<std::byte>> bits;
    };

    /// Executes the call several times; whether each execution is as the one alone.
    static bool is_as_alone(const call_t &call);

    std::vector<call_t> calls_;
};

} // namespace kiln::test
