// SPDX-License-Identifier: Apache-2.0
// Conversion between logical tensors and memory descriptors, with opaque layouts.
#include <thread>

#include <gtest/gtest.h>

#include "graph/op/layout_ids.hpp"
#include "graph/op_samples.hpp"

namespace kiln::test {

namespace {

using graph::logical_tensor_t;

memory_desc_t blocked(dim_t channels) {
    const dim_t dims[] = {2, channels, 3};
    memory_desc_t md{};
    EXPECT_EQ(init_by_tag(md, 3, dims, dnnl_f32, dnnl_aBc16b), dnnl_success);
    return md;
}

TEST(layout_ids, are_the_same_for_equal_layouts) {
    namespace ids = graph::layout_ids;
    const size_t id = ids::id_of(blocked(20));
    EXPECT_EQ(ids::id_of(blocked(20)), id);
    EXPECT_NE(ids::id_of(blocked(21)), id);
    EXPECT_EQ(ids::md(id), blocked(20));
    EXPECT_TRUE(is_zero(ids::md(SIZE_MAX)));
}

TEST(layout_ids, are_assigned_on_any_thread) {
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([] {
            for (dim_t channels = 1; channels < 100; ++channels) {
                const size_t id = graph::layout_ids::id_of(blocked(channels));
                EXPECT_EQ(graph::layout_ids::md(id), blocked(channels));
            }
        });
    for (std::thread &thread : threads) thread.join();
}

TEST(layout, of_a_strided_tensor_is_its_strides) {
    logical_tensor_t lt = tensor(dnnl_bf16, {2, 3});
    lt.layout.strides[0] = 1;
    lt.layout.strides[1] = 4;
    const memory_desc_t md = graph::md_of(lt);
    ASSERT_EQ(md.ndims, 2);
    EXPECT_EQ(md.data_type, dnnl_bf16);
    EXPECT_EQ(md.dims[1], 3);
    EXPECT_EQ(md.format_desc.blocking.strides[0], 1);
    EXPECT_EQ(md.format_desc.blocking.strides[1], 4);
}

TEST(layout, of_a_tensor_without_dims_has_one_dim_of_one) {
    const memory_desc_t md = graph::md_of(tensor(dnnl_f32, {}));
    ASSERT_EQ(md.ndims, 1);
    EXPECT_EQ(md.dims[0], 1);
    EXPECT_TRUE(is_plain(md));
}

TEST(layout, that_is_unknown_is_any) {
    logical_tensor_t lt = tensor(dnnl_f32, {2, 3});
    lt.layout_type = dnnl_graph_layout_type_any;
    EXPECT_TRUE(is_any(graph::md_of(lt)));
}

TEST(layout, of_strides_that_overlap_is_refused) {
    logical_tensor_t lt = tensor(dnnl_f32, {2, 3});
    lt.layout.strides[0] = 2;
    EXPECT_TRUE(is_zero(graph::md_of(lt)));
}

TEST(layout, is_restored_from_a_memory_descriptor) {
    logical_tensor_t lt = tensor(dnnl_f32, {2, 20, 3});
    graph::set_layout(lt, blocked(20));
    EXPECT_EQ(lt.layout_type, dnnl_graph_layout_type_opaque);
    EXPECT_EQ(graph::md_of(lt), blocked(20));
    EXPECT_EQ(graph::bytes_of(lt), byte_size(blocked(20)));
    const memory_desc_t plain = graph::md_of(tensor(dnnl_f32, {2, 20, 3}));
    graph::set_layout(lt, plain);
    EXPECT_EQ(lt.layout_type, dnnl_graph_layout_type_strided);
    EXPECT_EQ(graph::md_of(lt), plain);
}

TEST(layout, that_is_opaque_and_belongs_to_another_tensor_is_refused) {
    logical_tensor_t lt = tensor(dnnl_f32, {2, 20, 3});
    graph::set_layout(lt, blocked(20));
    logical_tensor_t longer = lt, flatter = lt, narrower = lt;
    longer.dims[1] = 21;
    flatter.ndims = 2;
    narrower.data_type = dnnl_bf16;
    for (const logical_tensor_t &other : {longer, flatter, narrower})
        EXPECT_TRUE(is_zero(graph::md_of(other)));
}

TEST(layout, with_an_offset_is_opaque) {
    memory_desc_t part = graph::md_of(tensor(dnnl_f32, {2, 3}));
    part.offset0 = 6; // strides cannot express an offset
    logical_tensor_t lt = tensor(dnnl_f32, {2, 3});
    graph::set_layout(lt, part);
    EXPECT_EQ(lt.layout_type, dnnl_graph_layout_type_opaque);
    EXPECT_EQ(graph::md_of(lt), part);
}

TEST(layout, is_equal_whether_strided_or_opaque) {
    const logical_tensor_t strided = tensor(dnnl_f32, {2, 3});
    logical_tensor_t opaque = strided;
    opaque.layout_type = dnnl_graph_layout_type_opaque;
    opaque.layout.layout_id = graph::layout_ids::id_of(graph::md_of(strided));
    EXPECT_TRUE(graph::is_equal(strided, opaque));
    EXPECT_TRUE(graph::is_equal(opaque, strided));
    logical_tensor_t other = strided;
    other.layout.strides[0] = 8;
    EXPECT_FALSE(graph::is_equal(other, opaque));
    other.layout_type = dnnl_graph_layout_type_any;
    EXPECT_FALSE(graph::is_equal(other, opaque));
}

} // namespace

} // namespace kiln::test
