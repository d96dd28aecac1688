// SPDX-License-Identifier: Apache-2.0
// Executes on several threads.
#include "support/thread_checks.hpp"

#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace kiln::test {

namespace {

/// With the library of OpenMP (scripts/trust/runtimes.sh), whose threads an arena does not limit.
void set_threads_of_openmp(int threads) {
    void *const found = dlsym(RTLD_DEFAULT, "omp_set_num_threads");
    if (found != nullptr) reinterpret_cast<void (*)(int)>(found)(threads);
}

} // namespace

void expect_same_bits_for_any_number_of_threads(const make_primitive_case_t &make) {
    const auto first = make();
    ASSERT_EQ(first->execute(), dnnl_success);
    ASSERT_TRUE(first->is_right());
    const auto expected = first->output_bits();
    const auto expect_bits = [&](primitive_case_t &tested, const std::string &threads) {
        tested.mark_outputs();
        ASSERT_EQ(tested.execute(), dnnl_success);
        EXPECT_TRUE(tested.output_bits() == expected) << tested.name() << threads;
    };
    for (const int threads : {1, 2, 3, 7, 16}) {
        // Without this, arenas have no more threads than the machine.
        const tbb::global_control more(tbb::global_control::max_allowed_parallelism, 16);
        const std::string number = std::to_string(threads) + " threads";
        tbb::task_arena arena(threads);
        std::unique_ptr<primitive_case_t> tested;
        arena.execute([&] {
            set_threads_of_openmp(threads);
            tested = make();
            expect_bits(*tested, " made and executed with " + number);
            expect_bits(*first, " executed with " + number);
        });
        expect_bits(*tested, " made with " + number);
    }
}

void calls_t::add(std::shared_ptr<primitive_case_t> own, std::shared_ptr<primitive_case_t> shared) {
    EXPECT_EQ(own->execute(), dnnl_success);
    auto bits = own->output_bits();
    own->mark_outputs();
    calls_.push_back({std::move(own), std::move(shared), std::move(bits)});
}

bool calls_t::is_as_alone(const call_t &call) {
    const auto stream = make_stream();
    for (int repetition = 0; repetition < 4; ++repetition) {
        const auto status = call.own->arguments().execute(call.shared->primitive(), stream);
        if (status != dnnl_success || call.own->output_bits() != call.bits
                || !call.own->bindings().are_intact())
            return false;
    }
    return true;
}

void calls_t::expect_independence_in_threads() const {
    std::vector<char> succeeded(calls_.size());
    std::vector<std::thread> threads;
    for (size_t at = 0; at < calls_.size(); ++at)
        threads.emplace_back([&, at] { succeeded[at] = is_as_alone(calls_[at]); });
    for (auto &thread : threads) thread.join();
    for (size_t at = 0; at < calls_.size(); ++at)
        EXPECT_TRUE(succeeded[at]) << calls_[at].own->name();
}

void calls_t::expect_independence_in_a_parallel_loop() const {
    const tbb::global_control more(tbb::global_control::max_allowed_parallelism, 8);
    std::vector<char> succeeded(calls_.size());
    tbb::task_arena(8).execute([&] {
        tbb::parallel_for(
                size_t(0), calls_.size(),
                [&](size_t at) { succeeded[at] = is_as_alone(calls_[at]); },
                tbb::simple_partitioner());
    });
    for (size_t at = 0; at < calls_.size(); ++at)
        EXPECT_TRUE(succeeded[at]) << calls_[at].own->name();
}

} // namespace kiln::test
