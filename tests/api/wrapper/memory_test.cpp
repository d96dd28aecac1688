// SPDX-License-Identifier: Apache-2.0
// dnnl::memory and dnnl::memory::desc. Only the C++ interface is called.
#include "oneapi/dnnl/dnnl.hpp"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "api/status_of.hpp"

using namespace dnnl;
using kiln::test::status_of;
using desc = memory::desc;
using dims = memory::dims;
using dt = memory::data_type;
using tag = memory::format_tag;

TEST(wrapper_memory_desc, a_default_one_is_zero) {
    const desc zero;
    EXPECT_TRUE(zero);
    EXPECT_TRUE(zero.is_zero());
    EXPECT_EQ(zero.get_ndims(), 0);
    EXPECT_EQ(zero.get_dims(), dims());
    EXPECT_EQ(zero.get_data_type(), dt::undef);
    EXPECT_EQ(zero.get_format_kind(), memory::format_kind::undef);
    EXPECT_EQ(zero.get_size(), 0U);
    EXPECT_EQ(zero, desc());
}

TEST(wrapper_memory_desc, a_plain_tag_gives_dense_strides) {
    const desc md({2, 3, 4, 5}, dt::bf16, tag::nhwc);
    EXPECT_FALSE(md.is_zero());
    EXPECT_EQ(md.get_ndims(), 4);
    EXPECT_EQ(md.get_dims(), dims({2, 3, 4, 5}));
    EXPECT_EQ(md.get_padded_dims(), dims({2, 3, 4, 5}));
    EXPECT_EQ(md.get_padded_offsets(), dims({0, 0, 0, 0}));
    EXPECT_EQ(md.get_strides(), dims({60, 1, 15, 3}));
    EXPECT_EQ(md.get_data_type(), dt::bf16);
    EXPECT_EQ(md.get_format_kind(), memory::format_kind::blocked);
    EXPECT_EQ(md.get_inner_nblks(), 0);
    EXPECT_EQ(md.get_inner_blks(), dims());
    EXPECT_EQ(md.get_inner_idxs(), dims());
    EXPECT_EQ(md.get_submemory_offset(), 0);
    EXPECT_EQ(md.get_num_handles(), 1);
    EXPECT_EQ(md.get_size(), 2U * 3 * 4 * 5 * 2);
}

TEST(wrapper_memory_desc, a_blocked_tag_pads_and_tells_its_blocks) {
    const desc md({2, 20, 3, 3}, dt::f32, tag::aBcd16b);
    EXPECT_EQ(md.get_dims(), dims({2, 20, 3, 3}));
    EXPECT_EQ(md.get_padded_dims(), dims({2, 32, 3, 3}));
    EXPECT_EQ(md.get_strides(), dims({288, 144, 48, 16}));
    EXPECT_EQ(md.get_inner_nblks(), 1);
    EXPECT_EQ(md.get_inner_blks(), dims({16}));
    EXPECT_EQ(md.get_inner_idxs(), dims({1}));
    EXPECT_EQ(md.get_size(), 2U * 32 * 9 * 4);
    EXPECT_EQ(md, desc({2, 20, 3, 3}, dt::f32, tag::nChw16c));
}

TEST(wrapper_memory_desc, two_inner_blocks_come_outermost_first) {
    const desc md({16, 16}, dt::s8, tag::BA16a16b4a);
    const desc nested({16, 4}, dt::s8, tag::AB8b16a2b);
    EXPECT_EQ(md.get_inner_blks(), dims({16, 16, 4}));
    EXPECT_EQ(md.get_inner_idxs(), dims({0, 1, 0}));
    EXPECT_EQ(nested.get_inner_blks(), dims({8, 16, 2}));
    EXPECT_EQ(nested.get_inner_idxs(), dims({1, 0, 1}));
}

TEST(wrapper_memory_desc, strides_describe_what_the_tag_does) {
    EXPECT_EQ(desc({3, 4}, dt::f32, dims({4, 1})), desc({3, 4}, dt::f32, tag::ab));
    EXPECT_EQ(desc({3, 4}, dt::f32, dims()), desc({3, 4}, dt::f32, tag::ab));
    EXPECT_NE(desc({3, 4}, dt::f32, dims({8, 1})), desc({3, 4}, dt::f32, tag::ab));
    EXPECT_NE(desc({3, 4}, dt::f16, tag::ab), desc({3, 4}, dt::f32, tag::ab));
    EXPECT_EQ(desc({3, 4}, dt::f32, dims({8, 1})).get_size(), 3U * 8 * 4);
}

TEST(wrapper_memory_desc, any_leaves_the_layout_open) {
    const desc md({3, 4}, dt::f32, tag::any);
    EXPECT_EQ(md.get_format_kind(), memory::format_kind::any);
    EXPECT_EQ(md.get_strides(), dims());
    EXPECT_EQ(md.get_inner_nblks(), 0);
    EXPECT_EQ(md.get_size(), 0U);
}

TEST(wrapper_memory_desc, a_runtime_extent_leaves_the_size_open) {
    const desc md({DNNL_RUNTIME_DIM_VAL, 4}, dt::f32, tag::ab);
    EXPECT_EQ(md.get_dims(), dims({DNNL_RUNTIME_DIM_VAL, 4}));
    EXPECT_EQ(md.get_size(), DNNL_RUNTIME_SIZE_VAL);
}

TEST(wrapper_memory_desc, what_is_refused_throws_or_is_empty) {
    EXPECT_EQ(status_of([] { desc({2, 3}, dt::f32, tag::abc); }), dnnl_invalid_arguments);
    EXPECT_EQ(status_of([] { desc({-2, 3}, dt::f32, tag::ab); }), dnnl_invalid_arguments);
    EXPECT_EQ(status_of([] { desc({2, 3}, dt::f32, dims({1})); }), dnnl_invalid_arguments);
    EXPECT_EQ(status_of([] { desc(dims(13, 1), dt::f32, tag::a); }), dnnl_invalid_arguments);
    const desc empty({2, 3}, dt::f32, tag::abc, true);
    EXPECT_FALSE(empty);
    EXPECT_EQ(status_of([&] { empty.get_ndims(); }), dnnl_invalid_arguments);
    EXPECT_FALSE(desc({-2, 3}, dt::f32, dims({3, 1}), true));
}

TEST(wrapper_memory_desc, a_submemory_keeps_the_strides_and_moves_the_offset) {
    const desc whole({4, 6}, dt::f32, tag::ab);
    const desc part = whole.submemory_desc({2, 3}, {1, 2});
    EXPECT_EQ(part.get_dims(), dims({2, 3}));
    EXPECT_EQ(part.get_strides(), dims({6, 1}));
    EXPECT_EQ(part.get_submemory_offset(), 8);
    EXPECT_EQ(whole.get_submemory_offset(), 0);
    const auto beyond = [&] { whole.submemory_desc({2, 3}, {3, 2}); };
    EXPECT_EQ(status_of(beyond), dnnl_invalid_arguments);
    EXPECT_FALSE(whole.submemory_desc({2, 3}, {3, 2}, true));
}

TEST(wrapper_memory_desc, reshaping_splits_and_merges_dense_axes) {
    const desc md({4, 6}, dt::f32, tag::ab);
    EXPECT_EQ(md.reshape({2, 2, 6}), desc({2, 2, 6}, dt::f32, tag::abc));
    EXPECT_EQ(md.reshape({24}), desc({24}, dt::f32, tag::a));
    const desc transposed({4, 6}, dt::f32, tag::ba);
    EXPECT_EQ(status_of([&] { transposed.reshape({24}); }), dnnl_invalid_arguments);
    EXPECT_EQ(status_of([&] { md.reshape({5, 5}); }), dnnl_invalid_arguments);
    EXPECT_FALSE(md.reshape({5, 5}, true));
    EXPECT_EQ(md.get_dims(), dims({4, 6}));
}

TEST(wrapper_memory_desc, permuting_renames_the_axes) {
    const desc md({2, 3, 4}, dt::f32, tag::abc);
    const desc permuted = md.permute_axes({1, 2, 0});
    EXPECT_EQ(permuted.get_dims(), dims({4, 2, 3}));
    EXPECT_EQ(permuted.get_strides(), dims({1, 12, 4}));
    EXPECT_EQ(permuted, desc({4, 2, 3}, dt::f32, tag::bca));
    EXPECT_EQ(status_of([&] { md.permute_axes({0, 0, 1}); }), dnnl_invalid_arguments);
    EXPECT_EQ(status_of([&] { md.permute_axes({0, 1}); }), dnnl_invalid_arguments);
    EXPECT_FALSE(md.permute_axes({0, 0, 1}, true));
}

TEST(wrapper_memory_desc, blobs_round_trip) {
    for (const desc &md : {desc({2, 20, 3, 3}, dt::f32, tag::aBcd16b), desc(),
                 desc({4, 6}, dt::u8, tag::any), desc({4, 6}, dt::f32, dims({12, 2}))}) {
        const std::vector<uint8_t> blob = md.get_blob();
        EXPECT_FALSE(blob.empty());
        const desc again(blob);
        EXPECT_EQ(again, md);
        EXPECT_EQ(again.get_size(), md.get_size());
    }
    EXPECT_EQ(status_of([] { desc{std::vector<uint8_t>()}; }), dnnl_invalid_arguments);
}

TEST(wrapper_memory_desc, csr_has_values_columns_and_row_starts) {
    const desc md = desc::csr({4, 6}, dt::f32, 9, dt::s32, dt::s32);
    EXPECT_EQ(md.get_format_kind(), memory::format_kind::sparse);
    EXPECT_EQ(md.get_sparse_encoding(), memory::sparse_encoding::csr);
    EXPECT_EQ(md.get_nnz(), 9);
    EXPECT_EQ(md.get_num_handles(), 3);
    EXPECT_EQ(md.get_data_type(0), dt::f32);
    EXPECT_EQ(md.get_data_type(1), dt::s32);
    EXPECT_EQ(md.get_data_type(2), dt::s32);
    EXPECT_EQ(md.get_size(0), 9U * 4);
    EXPECT_EQ(md.get_size(1), 9U * 4);
    EXPECT_EQ(md.get_size(2), 5U * 4);
    EXPECT_EQ(md.get_strides(), dims());
}

TEST(wrapper_memory_desc, coo_and_packed_are_sparse_too) {
    const desc coo = desc::coo({4, 6}, dt::f16, 9, dt::s32);
    EXPECT_EQ(coo.get_sparse_encoding(), memory::sparse_encoding::coo);
    EXPECT_EQ(coo.get_num_handles(), 3);
    EXPECT_EQ(coo.get_nnz(), 9);
    const desc packed = desc::packed({4, 6}, dt::s8, 9);
    EXPECT_EQ(packed.get_sparse_encoding(), memory::sparse_encoding::packed);
    EXPECT_EQ(packed.get_nnz(), 9);
    EXPECT_FALSE(desc::csr({-4, 6}, dt::f32, 9, dt::s32, dt::s32, true));
}

TEST(wrapper_memory_desc, a_dense_one_has_no_sparse_properties) {
    const desc md({4, 6}, dt::f32, tag::ab);
    EXPECT_EQ(md.get_sparse_encoding(), memory::sparse_encoding::undef);
    EXPECT_EQ(md.get_nnz(), 0);
}

TEST(wrapper_memory_desc, copies_are_the_same_object_and_moves_leave_nothing) {
    desc original({4, 6}, dt::f32, tag::ab);
    const desc copy = original;
    EXPECT_EQ(copy.get(), original.get());
    const desc moved = std::move(original);
    EXPECT_EQ(moved, copy);
    EXPECT_FALSE(original);
}

TEST(wrapper_memory_desc, data_types_have_sizes) {
    EXPECT_EQ(memory::data_type_size(dt::f64), 8U);
    EXPECT_EQ(memory::data_type_size(dt::f32), 4U);
    EXPECT_EQ(memory::data_type_size(dt::bf16), 2U);
    EXPECT_EQ(memory::data_type_size(dt::u8), 1U);
}

class wrapper_memory : public testing::Test {
protected:
    const engine cpu_{engine::kind::cpu, 0};
    const desc md_{{2, 3}, dt::f32, tag::ab};
};

TEST_F(wrapper_memory, uses_the_buffer_it_is_given) {
    float buffer[6] = {};
    const memory mem(md_, cpu_, buffer);
    EXPECT_EQ(mem.get_data_handle(), buffer);
    EXPECT_EQ(mem.get_desc(), md_);
    EXPECT_EQ(mem.get_engine(), cpu_);
    float other[6] = {};
    mem.set_data_handle(other);
    EXPECT_EQ(mem.get_data_handle(), other);
    EXPECT_EQ(memory(md_, cpu_, std::vector<void *>({other})).get_data_handle(), other);
}

TEST_F(wrapper_memory, allocates_or_waits_for_a_buffer) {
    EXPECT_NE(memory(md_, cpu_).get_data_handle(), nullptr);
    EXPECT_NE(memory(md_, cpu_, DNNL_MEMORY_ALLOCATE).get_data_handle(), nullptr);
    EXPECT_EQ(memory(md_, cpu_, DNNL_MEMORY_NONE).get_data_handle(), nullptr);
}

TEST_F(wrapper_memory, maps_what_it_holds) {
    const memory mem(md_, cpu_);
    float *values = mem.map_data<float>();
    for (int i = 0; i < 6; ++i) values[i] = static_cast<float>(i);
    mem.unmap_data(values);
    void *again = mem.map_data();
    EXPECT_EQ(static_cast<const float *>(again)[5], 5.f);
    mem.unmap_data(again);
}

TEST_F(wrapper_memory, of_an_undecided_descriptor_throws) {
    EXPECT_EQ(status_of([&] {
        memory({{2, 3}, dt::f32, tag::any}, cpu_);
    }),
            dnnl_invalid_arguments);
    EXPECT_EQ(status_of([&] {
        memory({{DNNL_RUNTIME_DIM_VAL}, dt::f32, tag::a}, cpu_);
    }),
            dnnl_invalid_arguments);
    EXPECT_EQ(status_of([&] { memory(md_, engine()); }), dnnl_invalid_arguments);
}

TEST_F(wrapper_memory, a_sparse_one_has_a_buffer_for_each_part) {
    const desc csr = desc::csr({2, 3}, dt::f32, 2, dt::s32, dt::s32);
    float values[2] = {};
    int32_t columns[2] = {}, starts[3] = {};
    const memory mem(csr, cpu_, {values, columns, starts});
    EXPECT_EQ(mem.get_data_handle(0), values);
    EXPECT_EQ(mem.get_data_handle(1), columns);
    EXPECT_EQ(mem.get_data_handle(2), starts);
    const memory allocated(csr, cpu_);
    EXPECT_NE(allocated.get_data_handle(2), nullptr);
}

TEST_F(wrapper_memory, a_host_scalar_holds_its_value) {
    const desc scalar = desc::host_scalar(dt::f32);
    EXPECT_EQ(scalar.get_format_kind(), memory::format_kind::host_scalar);
    EXPECT_EQ(scalar.get_size(), 4U);
    const memory mem(scalar, 2.5f);
    EXPECT_EQ(mem.get_host_scalar_value<float>(), 2.5f);
    mem.set_host_scalar_value(-1.f);
    EXPECT_EQ(mem.get_host_scalar_value<float>(), -1.f);
    EXPECT_EQ(mem.get_desc(), scalar);
    EXPECT_EQ(status_of([&] { memory(scalar, 2.5); }), dnnl_invalid_arguments);
    EXPECT_EQ(status_of([&] { mem.get_host_scalar_value<int8_t>(); }), dnnl_invalid_arguments);
    EXPECT_EQ(status_of([&] { mem.set_host_scalar_value(int64_t(1)); }), dnnl_invalid_arguments);
}
