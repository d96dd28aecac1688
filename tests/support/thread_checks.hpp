// SPDX-License-Identifier: Apache-2.0
// What holds for the executions of any operation on any number of threads: bit-identical results,
// from many threads at once, and from inside the caller's own parallel loops.
#pragma once

#include <memory>

#include "support/primitive_case.hpp"

namespace kiln::test {

/// Judges an execution and compares others, on 1 to 16 threads, with it bit by bit.
void expect_same_bits_for_any_number_of_threads(primitive_case_t &tested);

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
