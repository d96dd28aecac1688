// SPDX-License-Identifier: Apache-2.0
// Engines and streams: which kinds exist, what queries return, and their lifetimes.

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support/handle.hpp"

namespace kiln::test {

namespace {

engine_handle_t make_engine() {
    engine_handle_t engine;
    require(dnnl_engine_create(engine.out(), dnnl_cpu, 0), "dnnl_engine_create");
    return engine;
}

TEST(engine, there_is_one_cpu_and_nothing_else) {
    EXPECT_EQ(dnnl_engine_get_count(dnnl_cpu), 1u);
    EXPECT_EQ(dnnl_engine_get_count(dnnl_gpu), 0u);
    EXPECT_EQ(dnnl_engine_get_count(dnnl_any_engine), 0u);
    EXPECT_EQ(dnnl_engine_get_count(static_cast<dnnl_engine_kind_t>(77)), 0u);
}

TEST(engine, says_its_kind) {
    dnnl_engine_kind_t kind = dnnl_any_engine;
    EXPECT_EQ(dnnl_engine_get_kind(make_engine(), &kind), dnnl_success);
    EXPECT_EQ(kind, dnnl_cpu);
}

TEST(engine, that_does_not_exist_is_refused) {
    dnnl_engine_t untouched = reinterpret_cast<dnnl_engine_t>(16);
    const std::pair<int, size_t> cases[] = {
            {dnnl_cpu, 1}, {dnnl_cpu, size_t(-1)}, {dnnl_gpu, 0}, {dnnl_any_engine, 0}, {77, 0}};
    for (const auto &[kind, index] : cases) {
        EXPECT_EQ(dnnl_engine_create(&untouched, static_cast<dnnl_engine_kind_t>(kind), index),
                dnnl_invalid_arguments)
                << kind << " " << index;
        EXPECT_EQ(untouched, reinterpret_cast<dnnl_engine_t>(16));
    }
}

TEST(engine, may_be_destroyed_before_the_objects_made_on_it) {
    stream_handle_t stream;
    memory_handle_t memory;
    memory_desc_handle_t md;
    const dnnl_dims_t dims = {4};
    ASSERT_EQ(dnnl_memory_desc_create_with_tag(md.out(), 1, dims, dnnl_f32, dnnl_a), dnnl_success);
    {
        const engine_handle_t engine = make_engine();
        ASSERT_EQ(
                dnnl_stream_create(stream.out(), engine, dnnl_stream_default_flags), dnnl_success);
        ASSERT_EQ(dnnl_memory_create(memory.out(), md, engine, DNNL_MEMORY_ALLOCATE), dnnl_success);
    }
    dnnl_engine_t of_stream = nullptr, of_memory = nullptr;
    EXPECT_EQ(dnnl_stream_get_engine(stream, &of_stream), dnnl_success);
    EXPECT_EQ(dnnl_memory_get_engine(memory, &of_memory), dnnl_success);
    EXPECT_EQ(of_stream, of_memory);
    dnnl_engine_kind_t kind = dnnl_any_engine;
    EXPECT_EQ(dnnl_engine_get_kind(of_stream, &kind), dnnl_success);
    EXPECT_EQ(kind, dnnl_cpu);
    EXPECT_EQ(dnnl_stream_wait(stream), dnnl_success);
}

TEST(engine, nothing_may_be_destroyed) {
    EXPECT_EQ(dnnl_engine_destroy(nullptr), dnnl_success);
    EXPECT_EQ(dnnl_stream_destroy(nullptr), dnnl_success);
}

TEST(engine, engines_and_streams_come_and_go_in_many_threads) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([] {
            for (int k = 0; k < 100; ++k) {
                const engine_handle_t engine = make_engine();
                stream_handle_t stream;
                require(dnnl_stream_create(stream.out(), engine, dnnl_stream_default_flags),
                        "dnnl_stream_create");
                require(dnnl_stream_wait(stream), "dnnl_stream_wait");
            }
        });
    for (auto &thread : threads) thread.join();
}

TEST(stream, takes_either_order) {
    const engine_handle_t engine = make_engine();
    for (const unsigned flags : {unsigned(dnnl_stream_default_flags),
                 unsigned(dnnl_stream_in_order), unsigned(dnnl_stream_out_of_order)}) {
        stream_handle_t stream;
        EXPECT_EQ(dnnl_stream_create(stream.out(), engine, flags), dnnl_success) << flags;
    }
}

TEST(stream, does_not_profile) {
    const engine_handle_t engine = make_engine();
    constexpr unsigned profiling = 4; // experimental, of GPU streams: no public header has it
    stream_handle_t stream;
    EXPECT_EQ(dnnl_stream_create(stream.out(), engine, profiling), dnnl_unimplemented);
    EXPECT_EQ(dnnl_stream_create(stream.out(), engine, dnnl_stream_in_order | profiling),
            dnnl_unimplemented);
}

TEST(stream, belongs_to_its_engine) {
    const engine_handle_t engine = make_engine();
    stream_handle_t stream;
    ASSERT_EQ(dnnl_stream_create(stream.out(), engine, dnnl_stream_in_order), dnnl_success);
    dnnl_engine_t found = nullptr;
    EXPECT_EQ(dnnl_stream_get_engine(stream, &found), dnnl_success);
    EXPECT_EQ(found, static_cast<dnnl_engine_t>(engine));
}

TEST(stream, waiting_for_nothing_returns) {
    const engine_handle_t engine = make_engine();
    stream_handle_t stream;
    ASSERT_EQ(dnnl_stream_create(stream.out(), engine, dnnl_stream_default_flags), dnnl_success);
    EXPECT_EQ(dnnl_stream_wait(stream), dnnl_success);
    EXPECT_EQ(dnnl_stream_wait(stream), dnnl_success);
}

} // namespace

} // namespace kiln::test
