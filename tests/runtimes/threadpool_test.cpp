// SPDX-License-Identifier: Apache-2.0
// The library that is built for the program's own pool of threads.

#include <functional>
#include <thread>

#include <sched.h>

#include <gtest/gtest.h>

#include "oneapi/dnnl/dnnl_threadpool.hpp"
#include "thread_pool.hpp"
#include "work.hpp"

namespace kiln::test {
namespace {

using dnnl::threadpool_interop::make_stream;

TEST(threadpool, is_the_runtime) {
    EXPECT_EQ(dnnl_version()->cpu_runtime, DNNL_RUNTIME_THREADPOOL);
}

TEST(threadpool, streams_know_their_pool) {
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    thread_pool_t pool(2);
    EXPECT_EQ(dnnl::threadpool_interop::get_threadpool(make_stream(engine, &pool)), &pool);
    EXPECT_EQ(dnnl::threadpool_interop::get_threadpool(make_stream(engine, nullptr)), nullptr);
    EXPECT_EQ(dnnl::threadpool_interop::get_threadpool(dnnl::stream(engine)), nullptr);
}

TEST(threadpool, null_pointers_are_refused) {
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    dnnl_stream_t stream = nullptr;
    void *pool = nullptr;
    EXPECT_EQ(dnnl_threadpool_interop_stream_create(nullptr, engine.get(), nullptr),
            dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_threadpool_interop_stream_create(&stream, nullptr, nullptr),
            dnnl_invalid_arguments);
    EXPECT_EQ(
            dnnl_threadpool_interop_stream_get_threadpool(nullptr, &pool), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_threadpool_interop_stream_get_threadpool(dnnl::stream(engine).get(), nullptr),
            dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_threadpool_interop_get_max_concurrency(nullptr), dnnl_invalid_arguments);
}

TEST(threadpool, executions_give_the_same_bits_on_any_pool) {
    const work_t work;
    dnnl::stream alone(work.engine());
    const std::vector<float> expected = work.run(alone);
    for (const uint64_t flags : {uint64_t(0), thread_pool_t::ASYNCHRONOUS})
        for (const int threads : {1, 2, 3, 8}) {
            thread_pool_t pool(threads, flags);
            dnnl::stream stream = make_stream(work.engine(), &pool);
            for (int repetition = 0; repetition < 20; ++repetition)
                EXPECT_EQ(work.run(stream), expected) << threads << " threads, flags " << flags;
            // A loop on one thread needs no pool.
            EXPECT_EQ(pool.parallel_loops() > 0, threads > 1);
            EXPECT_EQ(pool.loops(), pool.parallel_loops());
        }
}

TEST(threadpool, an_execution_inside_the_pool_stays_on_its_thread) {
    const work_t work;
    dnnl::stream alone(work.engine());
    const std::vector<float> expected = work.run(alone);
    thread_pool_t pool(3);
    std::vector<std::vector<float>> results(3);
    pool.parallel_for(3, [&](int i, int) {
        dnnl::stream stream = make_stream(work.engine(), &pool);
        results[static_cast<size_t>(i)] = work.run(stream);
    });
    EXPECT_EQ(pool.loops(), 1);
    for (const auto &result : results) EXPECT_EQ(result, expected);
}

/// A pool without threads: a loop runs on the calling thread, after what `before_loop` does there.
struct calling_pool_t : dnnl::threadpool_interop::threadpool_iface {
    std::function<void()> before_loop = [] {};
    int loops = 0;

    int get_num_threads() const override { return 4; }
    bool get_in_parallel() const override { return false; }
    void parallel_for(int n, const std::function<void(int, int)> &task) override {
        ++loops;
        before_loop();
        for (int i = 0; i < n; ++i) task(i, n);
    }
    uint64_t get_flags() const override { return 0; }
    void wait() override {}
};

TEST(threadpool, an_execution_without_a_pool_stays_out_of_the_pool_around_it) {
    const work_t work;
    dnnl::stream alone(work.engine());
    const std::vector<float> expected = work.run(alone);
    calling_pool_t outer, inner;
    dnnl::stream outside = make_stream(work.engine(), &outer);
    dnnl::stream inside = make_stream(work.engine(), &inner);
    EXPECT_EQ(work.run(outside), expected);
    const int loops = outer.loops;
    EXPECT_GE(loops, 1);

    outer.loops = 0;
    int nested = 0;
    outer.before_loop = [&] {
        if (nested++ > 0) return;
        EXPECT_EQ(work.run(alone), expected);
        EXPECT_EQ(outer.loops, 1);
        EXPECT_EQ(work.run(inside), expected);
        EXPECT_EQ(outer.loops, 1);
        EXPECT_EQ(inner.loops, loops);
    };
    EXPECT_EQ(work.run(outside), expected);
    EXPECT_EQ(outer.loops, loops); // the outer pool is in use again
}

TEST(threadpool, a_thread_counts_the_processors_that_it_may_run_on) {
    int before = 0, pinned = 0;
    ASSERT_EQ(dnnl_threadpool_interop_get_max_concurrency(&before), dnnl_success);
    std::thread([&] {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(sched_getcpu(), &one);
        ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
        dnnl_threadpool_interop_get_max_concurrency(&pinned);
    }).join();
    EXPECT_GE(before, 1);
    EXPECT_EQ(pinned, 1);
}

TEST(threadpool, the_number_of_threads_for_creation_belongs_to_the_calling_thread) {
    int before = 0, here = 0, there = 0;
    ASSERT_EQ(dnnl_threadpool_interop_get_max_concurrency(&before), dnnl_success);
    EXPECT_GE(before, 1);
    EXPECT_EQ(dnnl_threadpool_interop_set_max_concurrency(before + 5), dnnl_success);
    EXPECT_EQ(dnnl_threadpool_interop_set_max_concurrency(0), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_threadpool_interop_set_max_concurrency(-1), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_threadpool_interop_get_max_concurrency(&here), dnnl_success);
    std::thread([&] { dnnl_threadpool_interop_get_max_concurrency(&there); }).join();
    EXPECT_EQ(here, before + 5);
    EXPECT_EQ(there, before);
    EXPECT_EQ(dnnl_threadpool_interop_set_max_concurrency(before), dnnl_success);
}

TEST(threadpool, primitives_do_not_depend_on_the_number_of_threads_they_are_created_for) {
    std::vector<float> expected;
    thread_pool_t pool(4);
    for (const int threads : {1, 2, 64}) {
        ASSERT_EQ(dnnl_threadpool_interop_set_max_concurrency(threads), dnnl_success);
        const work_t work;
        dnnl::stream stream = make_stream(work.engine(), &pool);
        const std::vector<float> result = work.run(stream);
        if (expected.empty()) expected = result;
        EXPECT_EQ(result, expected) << threads;
    }
}

TEST(threadpool, several_pools_may_be_in_use_at_once) {
    const work_t work;
    dnnl::stream alone(work.engine());
    const std::vector<float> expected = work.run(alone);
    std::vector<std::thread> threads;
    std::vector<char> is_right(4);
    for (size_t i = 0; i < is_right.size(); ++i)
        threads.emplace_back([&, i] {
            thread_pool_t pool(1 + static_cast<int>(i), i % 2 ? thread_pool_t::ASYNCHRONOUS : 0);
            dnnl::stream stream = make_stream(work.engine(), &pool);
            is_right[i] = true;
            for (int repetition = 0; repetition < 10; ++repetition)
                if (work.run(stream) != expected) is_right[i] = false;
        });
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(is_right, std::vector<char>(is_right.size(), true));
}

} // namespace
} // namespace kiln::test
