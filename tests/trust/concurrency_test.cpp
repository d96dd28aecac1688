// SPDX-License-Identifier: Apache-2.0
// Many threads that create, execute and destroy while others change the caches; task arenas in each
// other; processes that fork. Results are compared with those of one thread. KILN_SECONDS sets how
// long each test runs (0.2); scripts/trust/concurrency.sh runs them for longer under
// ThreadSanitizer.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <unistd.h>

#include "cpu/runtime/task_order.hpp"
#include "oneapi/dnnl/dnnl_graph.hpp"
#include "trust/workload.hpp"

namespace kiln::test {
namespace {

constexpr uint64_t problems = 15 * workload_kinds;
constexpr int threads = 16;

std::chrono::duration<double> test_duration() {
    const char *text = std::getenv("KILN_SECONDS");
    return std::chrono::duration<double>(text ? std::atof(text) : 0.2);
}

/// Until when a test repeats what it does.
class deadline_t {
public:
    bool has_passed() const { return std::chrono::steady_clock::now() >= end_; }

private:
    const std::chrono::steady_clock::time_point end_ =
            std::chrono::steady_clock::now()
            + std::chrono::duration_cast<std::chrono::steady_clock::duration>(test_duration());
};

/// Calls `body` in the arena, perhaps on another thread.
template <typename body_t> void execute(tbb::task_arena &arena, const body_t &body) {
    const cpu::task_order_t order;
    arena.execute([&]() KILN_BEGINS_TASK { order.run(body); });
}

/// Calls `body` with each number below `count`.
template <typename body_t> void loop(uint64_t count, const body_t &body) {
    const cpu::task_order_t order;
    tbb::parallel_for(
            uint64_t(0), count, [&](uint64_t i) KILN_BEGINS_TASK { order.run([&] { body(i); }); });
}

const dnnl::engine &engine() {
    static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    return cpu;
}

class concurrency : public testing::Test {
protected:
    void SetUp() override {
        for (uint64_t number = 0; number < problems; ++number)
            expected_.push_back(run_problem(engine(), number));
    }
    void TearDown() override {
        dnnl::set_primitive_cache_capacity(1024);
        dnnl::graph::set_compiled_partition_cache_capacity(1024);
        EXPECT_EQ(wrong_, 0) << "problem " << first_wrong_ << " differs from its result alone";
        RecordProperty("runs", std::to_string(runs_));
        std::printf("%ld runs\n", runs_.load());
    }

    /// Runs a problem and compares its result.
    void run(uint64_t number) {
        number %= problems;
        if (run_problem(engine(), number) != expected_[number] && wrong_++ == 0)
            first_wrong_ = number;
        ++runs_;
    }

    /// Calls `body(thread, iteration)` on each thread until the time is over.
    static void on_threads(const std::function<void(int, uint64_t)> &body) {
        const deadline_t deadline;
        std::vector<std::thread> all;
        for (int thread = 0; thread < threads; ++thread)
            all.emplace_back([&, thread] {
                for (uint64_t i = 0; i == 0 || !deadline.has_passed(); ++i) body(thread, i);
            });
        for (std::thread &thread : all) thread.join();
    }

    std::vector<uint64_t> expected_;
    std::atomic<long> runs_ = 0, wrong_ = 0;
    std::atomic<uint64_t> first_wrong_ = 0;
};

TEST_F(concurrency, threads_that_create_and_execute_the_same_problems_get_equal_bits) {
    on_threads([&](int, uint64_t i) { run(i); });
}

TEST_F(concurrency, threads_that_create_and_execute_different_problems_get_equal_bits) {
    on_threads([&](int thread, uint64_t i) { run(i * 7 + static_cast<uint64_t>(thread) * 5); });
}

TEST_F(concurrency, results_do_not_depend_on_changes_of_the_caches_capacity) {
    on_threads([&](int thread, uint64_t i) {
        if (thread == 0)
            dnnl::set_primitive_cache_capacity(static_cast<int>(i * 37 % 50));
        else if (thread == 1)
            dnnl::graph::set_compiled_partition_cache_capacity(static_cast<int>(i % 3));
        else
            run(i + static_cast<uint64_t>(thread));
        if (thread < 2) {
            EXPECT_GE(dnnl::get_primitive_cache_capacity(), 0);
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
    });
}

TEST_F(concurrency, settings_may_change_meanwhile) {
    on_threads([&](int thread, uint64_t i) {
        if (thread > 0) return run(i + static_cast<uint64_t>(thread));
        dnnl_set_verbose(0);
        // No kernel rounds to tf32; with bf16 or any, products would have other results.
        dnnl::set_default_fpmath_mode(i % 2 ? dnnl::fpmath_mode::strict : dnnl::fpmath_mode::tf32);
        dnnl::set_default_fpmath_mode(dnnl::fpmath_mode::strict);
        dnnl_set_jit_profiling_flags(0);
        dnnl::get_effective_cpu_isa();
    });
    dnnl_set_jit_profiling_flags(DNNL_JIT_PROFILE_VTUNE);
}

TEST_F(concurrency, engines_and_streams_of_one_thread_serve_others) {
    on_threads([&](int, uint64_t i) {
        const dnnl::engine own(dnnl::engine::kind::cpu, 0);
        if (run_problem(own, i % problems) != expected_[i % problems]) ++wrong_;
        ++runs_;
    });
}

TEST_F(concurrency, problems_run_in_the_tasks_of_a_parallel_loop) {
    const deadline_t deadline;
    do loop(problems, [&](uint64_t number) { run(number); });
    while (!deadline.has_passed());
}

TEST_F(concurrency, problems_run_in_arenas_of_any_size) {
    on_threads([&](int thread, uint64_t i) {
        tbb::task_arena arena(1 + (thread + static_cast<int>(i % 7)) % 8);
        execute(arena, [&] { run(i + static_cast<uint64_t>(thread)); });
    });
}

TEST_F(concurrency, problems_run_in_arenas_inside_each_other) {
    on_threads([&](int thread, uint64_t i) {
        tbb::task_arena outer(2), inner(3);
        execute(outer, [&] {
            loop(3, [&](uint64_t part) {
                const uint64_t number = i + static_cast<uint64_t>(thread) + part;
                run(number);
                execute(inner, [&] { loop(2, [&](uint64_t) { run(number + 1); }); });
            });
        });
    });
}

TEST_F(concurrency, problems_run_in_arenas_that_cross) {
    // Both have places for all threads. A thread that waits for a place in an arena does not run
    // the arena's tasks, so threads that hold the last places of two arenas and want one of the
    // other would wait for ever, whatever they run.
    tbb::task_arena first(threads + 2, threads), second(threads + 2, threads);
    on_threads([&](int thread, uint64_t i) {
        tbb::task_arena &one = thread % 2 ? first : second, &other = thread % 2 ? second : first;
        const uint64_t number = i + static_cast<uint64_t>(thread);
        execute(one, [&] {
            const cpu::task_order_t order;
            tbb::task_group group;
            group.run([&]() KILN_BEGINS_TASK { order.run([&] { run(number); }); });
            execute(other, [&] { run(number + 1); });
            group.wait();
        });
    });
}

// --- Processes ----------------------------------------------------------------------------------

/// Runs `body` in a child; whether it returns true within a minute.
bool holds_in_child(const std::function<bool()> &body) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60); // a child that hangs is ended
        _exit(body() ? 0 : 1);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)
           && WEXITSTATUS(status) == 0;
}

TEST_F(concurrency, a_forked_process_creates_and_executes_in_an_arena_of_one_thread) {
    // The child has none of the parent's threads: it uses its own one only. To make the arena
    // itself, it would need a lock of oneTBB, which a thread of the parent may have held at that
    // moment.
    tbb::task_arena arena(1);
    arena.initialize();
    const deadline_t deadline;
    do
        EXPECT_TRUE(holds_in_child([&] {
            bool is_right = true;
            execute(arena, [&] {
                for (uint64_t number = 0; number < problems; ++number)
                    is_right &= run_problem(engine(), number) == expected_[number];
            });
            return is_right;
        }));
    while (!deadline.has_passed());
}

TEST_F(concurrency, a_process_goes_on_after_it_has_forked) {
    const deadline_t deadline;
    do {
        EXPECT_TRUE(holds_in_child([] { return true; }));
        for (uint64_t number = 0; number < problems; ++number) run(number);
    } while (!deadline.has_passed());
}

} // namespace
} // namespace kiln::test
