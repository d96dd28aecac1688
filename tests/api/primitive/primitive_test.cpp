// SPDX-License-Identifier: Apache-2.0
// Primitives are created, executed and destroyed. Layer normalization is the example; its results
// are tested elsewhere.
#include <vector>

#include <gtest/gtest.h>

#include "api/normalization_desc.hpp"
#include "api/primitive/forward_example.hpp"

namespace kiln::test {

namespace {

// ---- lifetime

TEST(primitive, computes) {
    const forward_t forward;
    EXPECT_EQ(forward.execute(forward.args()), dnnl_success);
    forward.expect_result();
}

TEST(primitive, takes_its_arguments_in_any_order) {
    const forward_t forward;
    const auto args = forward.args();
    const std::vector<dnnl_exec_arg_t> reversed(args.rbegin(), args.rend());
    EXPECT_EQ(forward.execute(reversed), dnnl_success);
    forward.expect_result();
}

TEST(primitive, outlives_its_descriptor) {
    forward_t forward;
    forward.pd = primitive_desc_handle_t();
    EXPECT_EQ(forward.execute(forward.args()), dnnl_success);
    forward.expect_result();
}

TEST(primitive, gives_a_descriptor_that_says_the_same) {
    const forward_t forward;
    const_dnnl_primitive_desc_t found = nullptr;
    ASSERT_EQ(dnnl_primitive_get_primitive_desc(forward.primitive, &found), dnnl_success);
    const char *name = nullptr, *found_name = nullptr;
    EXPECT_EQ(dnnl_primitive_desc_query(found, dnnl_query_impl_info_str, 0, &found_name),
            dnnl_success);
    EXPECT_EQ(dnnl_primitive_desc_query(forward.pd, dnnl_query_impl_info_str, 0, &name),
            dnnl_success);
    EXPECT_STREQ(found_name, name);
    EXPECT_TRUE(dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(found, dnnl_query_src_md, 0),
            dnnl_primitive_desc_query_md(forward.pd, dnnl_query_src_md, 0)));
    dnnl_engine_t engine = nullptr;
    EXPECT_EQ(dnnl_primitive_desc_query(found, dnnl_query_engine, 0, &engine), dnnl_success);
    EXPECT_EQ(engine, cpu_engine());
    const primitive_handle_t second = make_primitive(found);
    EXPECT_NE(second, nullptr);
}

TEST(primitive, nothing_may_be_destroyed) {
    EXPECT_EQ(dnnl_primitive_destroy(nullptr), dnnl_success);
}

TEST(primitive, of_the_last_implementation_computes_too) {
    forward_t forward;
    while (dnnl_primitive_desc_next_impl(forward.pd) == dnnl_success) {
    }
    forward.primitive = make_primitive(forward.pd);
    EXPECT_EQ(forward.execute(forward.args()), dnnl_success);
    forward.expect_result();
}

TEST(primitive, runs_on_an_engine_of_its_own) {
    engine_handle_t engine;
    ASSERT_EQ(dnnl_engine_create(engine.out(), dnnl_cpu, 0), dnnl_success);
    stream_handle_t stream;
    ASSERT_EQ(dnnl_stream_create(stream.out(), engine, dnnl_stream_in_order), dnnl_success);
    const auto pd = made_pd({dnnl_forward_inference, 0, {2, 4}}, nullptr, engine);
    const primitive_handle_t primitive = make_primitive(pd);
    float src[8] = {1, 3, 1, 3, 1, 3, 1, 3}, dst[8] = {};
    memory_handle_t src_memory, dst_memory;
    const auto md = dnnl_primitive_desc_query_md(pd, dnnl_query_src_md, 0);
    ASSERT_EQ(dnnl_memory_create(src_memory.out(), md, engine, src), dnnl_success);
    ASSERT_EQ(dnnl_memory_create(dst_memory.out(), md, engine, dst), dnnl_success);
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src_memory}, {DNNL_ARG_DST, dst_memory}};
    EXPECT_EQ(dnnl_primitive_execute(primitive, stream, 2, args), dnnl_success);
    EXPECT_EQ(dnnl_stream_wait(stream), dnnl_success);
    for (int i = 0; i < 8; ++i) EXPECT_NEAR(dst[i], i % 2 ? 1 : -1, 1e-4) << i;
}

// ---- cache blobs

TEST(primitive, cache_blobs_are_unimplemented) {
    const forward_t forward;
    size_t size = 64;
    uint8_t blob[64] = {};
    primitive_handle_t primitive;
    EXPECT_EQ(dnnl_primitive_get_cache_blob(forward.primitive, &size, nullptr), dnnl_unimplemented);
    EXPECT_EQ(dnnl_primitive_get_cache_blob(forward.primitive, &size, blob), dnnl_unimplemented);
    EXPECT_EQ(dnnl_primitive_create_from_cache_blob(primitive.out(), forward.pd, size, blob),
            dnnl_unimplemented);
}

TEST(primitive, cache_blobs_without_bytes_are_refused) {
    const forward_t forward;
    const uint8_t blob[64] = {};
    size_t size = 64;
    primitive_handle_t primitive;
    EXPECT_EQ(dnnl_primitive_create_from_cache_blob(primitive.out(), forward.pd, 0, blob),
            dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_primitive_create_from_cache_blob(primitive.out(), forward.pd, 64, nullptr),
            dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_primitive_create_from_cache_blob(primitive.out(), nullptr, 64, blob),
            dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_primitive_get_cache_blob(nullptr, &size, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_primitive_get_cache_blob(forward.primitive, nullptr, nullptr),
            dnnl_invalid_arguments);
}

} // namespace

} // namespace kiln::test
