// SPDX-License-Identifier: Apache-2.0
// Memory descriptors created from strides or with format any: their queries, equality, sizes, and
// which are refused. The layouts of format tags are in format_tag_test.

#include <cstdint>
#include <limits>

#include "api/description.hpp"
#include "api/descriptors.hpp"

// An exported function that no public header declares; tools call it.
extern "C" dnnl_status_t dnnl_memory_desc_set_data_type(dnnl_memory_desc_t, dnnl_data_type_t);

namespace kiln::test {

namespace {

constexpr dnnl_dim_t runtime = DNNL_RUNTIME_DIM_VAL;
constexpr dnnl_dim_t greatest = std::numeric_limits<dnnl_dim_t>::max();

dnnl_status_t by_strides(memory_desc_handle_t &md, const dims_t &dims, const dims_t &strides,
        dnnl_data_type_t data_type = dnnl_f32) {
    return dnnl_memory_desc_create_with_strides(
            md.out(), static_cast<int>(dims.size()), dims.data(), data_type, strides.data());
}

// ---- strides

TEST(memory_desc, strides_are_kept_as_given) {
    const std::pair<dims_t, dims_t> cases[] = {
            {{4}, {1}},
            {{4}, {3}},
            {{2, 3}, {3, 1}},
            {{2, 3}, {1, 2}},
            {{2, 3}, {100, 10}},
            {{2, 3, 4}, {12, 4, 1}},
            {{2, 3, 4}, {1, 8, 2}},
            {{1, 3, 1}, {77, 1, 55}},
            {{2, 3}, {0, 1}},
            {{2, 3}, {0, 0}},
            {{2, 0}, {5, 7}},
            {dims_t(12, 2), {2048, 1024, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1}},
    };
    for (const auto &[dims, strides] : cases) {
        memory_desc_handle_t md;
        ASSERT_EQ(by_strides(md, dims, strides), dnnl_success) << to_string(strides);
        EXPECT_EQ(describe(md), plain(dims, strides));
    }
}

TEST(memory_desc, without_strides_it_is_row_major) {
    memory_desc_handle_t md;
    const dims_t dims = {2, 3, 4};
    ASSERT_EQ(dnnl_memory_desc_create_with_strides(md.out(), 3, dims.data(), dnnl_f16, nullptr),
            dnnl_success);
    EXPECT_EQ(describe(md), plain(dims, {12, 4, 1}, dnnl_f16));
}

TEST(memory_desc, strides_under_which_elements_overlap_are_refused) {
    const std::pair<dims_t, dims_t> cases[] = {
            {{2, 3}, {2, 1}}, // the second row begins within the first
            {{2, 3}, {1, 1}},
            {{3, 2}, {1, 2}},
            {{2, 3, 4}, {12, 3, 1}},
            {{2, 3}, {3, -1}},
            {{2, 3}, {-3, 1}},
    };
    for (const auto &[dims, strides] : cases) {
        memory_desc_handle_t md;
        EXPECT_EQ(by_strides(md, dims, strides), dnnl_invalid_arguments)
                << to_string(dims) << " " << to_string(strides);
    }
}

TEST(memory_desc, a_span_that_overflows_is_refused) {
    const std::pair<dims_t, dims_t> cases[] = {
            {{2, 3}, {greatest, 1}},
            {{2, 3}, {greatest / 2 + 1, 1}},
            {{4, 4}, {greatest / 3, 1}},
    };
    for (const auto &[dims, strides] : cases) {
        memory_desc_handle_t md;
        EXPECT_EQ(by_strides(md, dims, strides), dnnl_invalid_arguments)
                << to_string(dims) << " " << to_string(strides);
    }
}

// ---- shapes

TEST(memory_desc, a_number_of_axes_beyond_the_limits_is_refused) {
    const dims_t dims(13, 1);
    for (const int ndims : {-1, 13, 100, std::numeric_limits<int>::min()}) {
        memory_desc_handle_t md;
        EXPECT_EQ(dnnl_memory_desc_create_with_tag(
                          md.out(), ndims, dims.data(), dnnl_f32, dnnl_format_tag_any),
                dnnl_invalid_arguments)
                << ndims;
        EXPECT_EQ(dnnl_memory_desc_create_with_strides(
                          md.out(), ndims, dims.data(), dnnl_f32, nullptr),
                dnnl_invalid_arguments)
                << ndims;
    }
}

TEST(memory_desc, negative_extents_are_refused) {
    for (const dims_t &dims : {dims_t{-1, 4}, dims_t{4, -1}, dims_t{0, -4}}) {
        memory_desc_handle_t md;
        EXPECT_EQ(by_tag(md, dims, dnnl_ab), dnnl_invalid_arguments) << to_string(dims);
        EXPECT_EQ(by_tag(md, dims, dnnl_format_tag_any), dnnl_invalid_arguments) << to_string(dims);
        EXPECT_EQ(by_strides(md, dims, {4, 1}), dnnl_invalid_arguments) << to_string(dims);
    }
}

TEST(memory_desc, extents_whose_product_overflows_are_refused) {
    for (const dims_t &dims :
            {dims_t{greatest, 2}, dims_t{dnnl_dim_t(1) << 32, dnnl_dim_t(1) << 31}}) {
        memory_desc_handle_t md;
        EXPECT_EQ(by_tag(md, dims, dnnl_ab), dnnl_invalid_arguments) << to_string(dims);
        EXPECT_EQ(by_tag(md, dims, dnnl_format_tag_any), dnnl_invalid_arguments) << to_string(dims);
        EXPECT_EQ(dnnl_memory_desc_create_with_strides(md.out(), 2, dims.data(), dnnl_f32, nullptr),
                dnnl_invalid_arguments)
                << to_string(dims);
    }
}

TEST(memory_desc, bytes_that_overflow_are_refused) {
    memory_desc_handle_t md;
    EXPECT_EQ(by_tag(md, {dnnl_dim_t(1) << 31, dnnl_dim_t(1) << 31}, dnnl_ab, dnnl_f64),
            dnnl_invalid_arguments);
    EXPECT_EQ(by_tag(md, {dnnl_dim_t(1) << 20, dnnl_dim_t(1) << 20}, dnnl_ab, dnnl_f64),
            dnnl_success);
}

TEST(memory_desc, data_types_that_do_not_exist_are_refused) {
    const dims_t dims = {2, 3};
    for (const int data_type : {int(dnnl_data_type_undef), 999, int(dnnl_data_type_max)}) {
        memory_desc_handle_t md;
        EXPECT_EQ(by_tag(md, dims, dnnl_ab, static_cast<dnnl_data_type_t>(data_type)),
                dnnl_invalid_arguments)
                << data_type;
        EXPECT_EQ(by_strides(md, dims, {3, 1}, static_cast<dnnl_data_type_t>(data_type)),
                dnnl_invalid_arguments)
                << data_type;
    }
}

TEST(memory_desc, every_data_type_of_tensors_is_taken) {
    for (const dnnl_data_type_t data_type :
            {dnnl_f16, dnnl_bf16, dnnl_f32, dnnl_f64, dnnl_s32, dnnl_s8, dnnl_u8, dnnl_s64,
                    dnnl_f8_e5m2, dnnl_f8_e4m3, dnnl_e8m0, dnnl_f4_e2m1, dnnl_s4, dnnl_u4}) {
        memory_desc_handle_t md;
        EXPECT_EQ(by_tag(md, {2, 4}, dnnl_ab, data_type), dnnl_success) << dnnl_dt2str(data_type);
    }
}

TEST(memory_desc, the_size_of_a_data_type_is_in_whole_bytes) {
    const std::pair<dnnl_data_type_t, size_t> sizes[] = {{dnnl_f64, 8}, {dnnl_s64, 8},
            {dnnl_f32, 4}, {dnnl_s32, 4}, {dnnl_bf16, 2}, {dnnl_f16, 2}, {dnnl_s8, 1}, {dnnl_u8, 1},
            {dnnl_f8_e5m2, 1}, {dnnl_f8_e4m3, 1}, {dnnl_e8m0, 1}, {dnnl_s4, 1}, {dnnl_u4, 1},
            {dnnl_f4_e2m1, 1}};
    for (const auto &[data_type, size] : sizes)
        EXPECT_EQ(dnnl_data_type_size(data_type), size) << dnnl_dt2str(data_type);
}

// ---- sizes

TEST(memory_desc, the_size_reaches_from_the_first_to_the_last_stride) {
    const struct {
        dims_t dims, strides;
        size_t elements;
    } cases[] = {
            {{2, 3}, {3, 1}, 6},
            {{2, 3}, {10, 1}, 20},
            {{2, 3}, {1, 10}, 30},
            {{2, 3}, {0, 1}, 3},
            {{1, 3}, {100, 1}, 3}, // the stride of an extent of 1 is never used
            {{1, 1}, {100, 50}, 1},
            {{4}, {3}, 12},
    };
    for (const auto &[dims, strides, elements] : cases) {
        memory_desc_handle_t md;
        ASSERT_EQ(by_strides(md, dims, strides), dnnl_success);
        EXPECT_EQ(dnnl_memory_desc_get_size(md), elements * sizeof(float))
                << to_string(dims) << " " << to_string(strides);
        EXPECT_EQ(dnnl_memory_desc_get_size_v2(md, 0), elements * sizeof(float));
        EXPECT_EQ(dnnl_memory_desc_get_size_v2(md, 1), 0u);
    }
}

TEST(memory_desc, half_bytes_are_rounded_up_to_a_byte) {
    for (const dnnl_data_type_t data_type : {dnnl_s4, dnnl_u4, dnnl_f4_e2m1}) {
        EXPECT_EQ(dnnl_memory_desc_get_size(tagged({3, 4}, dnnl_ab, data_type)), 6u);
        EXPECT_EQ(dnnl_memory_desc_get_size(tagged({7}, dnnl_a, data_type)), 4u);
        EXPECT_EQ(dnnl_memory_desc_get_size(tagged({1}, dnnl_a, data_type)), 1u);
    }
}

// ---- any and zero

TEST(memory_desc, an_open_layout_has_a_shape_and_no_size) {
    const auto md = tagged({2, 3}, dnnl_format_tag_any, dnnl_bf16);
    const description_t open = describe(md);
    EXPECT_EQ(open.format_kind, dnnl_format_kind_any);
    EXPECT_EQ(open.dims, (dims_t{2, 3}));
    EXPECT_EQ(open.padded_dims, (dims_t{2, 3}));
    EXPECT_EQ(open.data_type, dnnl_bf16);
    EXPECT_EQ(dnnl_memory_desc_get_size(md), 0u);
    const dnnl_dims_t *dims = nullptr;
    for (const dnnl_query_t what :
            {dnnl_query_strides, dnnl_query_inner_blks, dnnl_query_inner_idxs})
        EXPECT_EQ(dnnl_memory_desc_query(md, what, &dims), dnnl_invalid_arguments) << what;
    int count = 0;
    EXPECT_EQ(
            dnnl_memory_desc_query(md, dnnl_query_inner_nblks_s32, &count), dnnl_invalid_arguments);
}

TEST(memory_desc, without_axes_or_with_the_undefined_tag_it_is_the_zero_descriptor) {
    const dims_t dims = {2, 3};
    memory_desc_handle_t zeros[3];
    ASSERT_EQ(dnnl_memory_desc_create_with_tag(
                      zeros[0].out(), 0, nullptr, dnnl_data_type_undef, dnnl_format_tag_undef),
            dnnl_success);
    ASSERT_EQ(dnnl_memory_desc_create_with_strides(
                      zeros[1].out(), 0, nullptr, dnnl_data_type_undef, nullptr),
            dnnl_success);
    ASSERT_EQ(dnnl_memory_desc_create_with_tag(
                      zeros[2].out(), 2, dims.data(), dnnl_f32, dnnl_format_tag_undef),
            dnnl_success);
    for (const auto &zero : zeros) {
        EXPECT_EQ(describe(zero), description_t());
        EXPECT_EQ(dnnl_memory_desc_get_size(zero), 0u);
        EXPECT_TRUE(dnnl_memory_desc_equal(zero, zeros[0]));
    }
    EXPECT_FALSE(dnnl_memory_desc_equal(zeros[0], tagged({1}, dnnl_a)));
}

// ---- runtime extents

TEST(memory_desc, runtime_extents_make_strides_and_size_runtime_values) {
    const auto md = tagged({runtime, 3, 4}, dnnl_abc);
    EXPECT_EQ(describe(md), plain({runtime, 3, 4}, {12, 4, 1}));
    EXPECT_EQ(dnnl_memory_desc_get_size(md), DNNL_RUNTIME_SIZE_VAL);

    const auto middle = tagged({2, runtime, 4}, dnnl_abc);
    EXPECT_EQ(describe(middle), plain({2, runtime, 4}, {runtime, 4, 1}));
    EXPECT_EQ(dnnl_memory_desc_get_size(middle), DNNL_RUNTIME_SIZE_VAL);
}

TEST(memory_desc, runtime_strides_are_kept) {
    memory_desc_handle_t md;
    ASSERT_EQ(by_strides(md, {2, 3}, {runtime, 1}), dnnl_success);
    EXPECT_EQ(describe(md), plain({2, 3}, {runtime, 1}));
    EXPECT_EQ(dnnl_memory_desc_get_size(md), DNNL_RUNTIME_SIZE_VAL);
}

TEST(memory_desc, runtime_extents_of_an_open_layout_are_refused) {
    memory_desc_handle_t md;
    EXPECT_EQ(by_tag(md, {runtime, 3}, dnnl_format_tag_any), dnnl_invalid_arguments);
}

// ---- host scalars

TEST(memory_desc, a_host_scalar_is_one_element_without_a_layout) {
    for (const dnnl_data_type_t data_type : {dnnl_f32, dnnl_bf16, dnnl_s32, dnnl_s8, dnnl_s64}) {
        memory_desc_handle_t md;
        ASSERT_EQ(dnnl_memory_desc_create_host_scalar(md.out(), data_type), dnnl_success);
        EXPECT_EQ(asked<int>(md, dnnl_query_ndims_s32), 1);
        EXPECT_EQ(asked_dims(md, dnnl_query_dims, 1), dims_t{1});
        EXPECT_EQ(asked<dnnl_data_type_t>(md, dnnl_query_data_type), data_type);
        EXPECT_EQ(asked<dnnl_format_kind_t>(md, dnnl_query_format_kind),
                dnnl_format_kind_host_scalar);
        EXPECT_EQ(dnnl_memory_desc_get_size(md), dnnl_data_type_size(data_type));
        const dnnl_dims_t *strides = nullptr;
        EXPECT_EQ(dnnl_memory_desc_query(md, dnnl_query_strides, &strides), dnnl_invalid_arguments);
    }
    memory_desc_handle_t md;
    EXPECT_EQ(dnnl_memory_desc_create_host_scalar(md.out(), dnnl_data_type_undef),
            dnnl_invalid_arguments);
}

// ---- queries

TEST(memory_desc, queries_about_primitives_are_unimplemented) {
    const auto md = tagged({2, 3}, dnnl_ab);
    int64_t room[16] = {};
    for (const dnnl_query_t what : {dnnl_query_undef, dnnl_query_engine, dnnl_query_primitive_kind,
                 dnnl_query_num_of_inputs_s32, dnnl_query_impl_info_str, dnnl_query_prop_kind,
                 dnnl_query_epsilon_f32, dnnl_query_some_md, dnnl_query_src_md,
                 dnnl_query_exec_arg_md, dnnl_query_max}) {
        EXPECT_EQ(dnnl_memory_desc_query(md, what, room), dnnl_unimplemented) << what;
        EXPECT_EQ(dnnl_memory_desc_query_v2(md, what, 0, room), dnnl_unimplemented) << what;
    }
}

TEST(memory_desc, the_second_query_function_answers_the_same_at_index_zero) {
    const auto md = tagged({2, 17, 3, 3}, dnnl_aBcd16b);
    for (const dnnl_query_t what :
            {dnnl_query_dims, dnnl_query_padded_dims, dnnl_query_padded_offsets, dnnl_query_strides,
                    dnnl_query_inner_blks, dnnl_query_inner_idxs}) {
        const dnnl_dims_t *answer = nullptr;
        EXPECT_EQ(dnnl_memory_desc_query_v2(md, what, 0, &answer), dnnl_success) << what;
        EXPECT_EQ(answer, asked<const dnnl_dims_t *>(md, what)) << what;
    }
    for (const dnnl_query_t what : {dnnl_query_ndims_s32, dnnl_query_data_type,
                 dnnl_query_format_kind, dnnl_query_inner_nblks_s32}) {
        int answer = -1;
        EXPECT_EQ(dnnl_memory_desc_query_v2(md, what, 0, &answer), dnnl_success) << what;
        EXPECT_EQ(answer, asked<int>(md, what)) << what;
    }
    int64_t offset = -1;
    EXPECT_EQ(dnnl_memory_desc_query_v2(md, dnnl_query_submemory_offset_s64, 0, &offset),
            dnnl_success);
    EXPECT_EQ(offset, 0);
}

TEST(memory_desc, a_dense_tensor_has_one_handle_and_nothing_sparse) {
    const auto md = tagged({2, 3}, dnnl_ab);
    int handles = 0;
    EXPECT_EQ(dnnl_memory_desc_query_v2(md, dnnl_query_num_handles_s32, 0, &handles), dnnl_success);
    EXPECT_EQ(handles, 1);
    int64_t room = 0;
    EXPECT_EQ(dnnl_memory_desc_query_v2(md, dnnl_query_nnz_s64, 0, &room), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_desc_query_v2(md, dnnl_query_sparse_encoding, 0, &room),
            dnnl_invalid_arguments);
    for (const dnnl_query_t what :
            {dnnl_query_data_type, dnnl_query_ndims_s32, dnnl_query_num_handles_s32})
        EXPECT_EQ(dnnl_memory_desc_query_v2(md, what, 1, &room), dnnl_invalid_arguments) << what;
    // dnnl_memory_desc_query does not support the queries of dnnl_memory_desc_query_v2.
    for (const dnnl_query_t what :
            {dnnl_query_num_handles_s32, dnnl_query_nnz_s64, dnnl_query_sparse_encoding})
        EXPECT_EQ(dnnl_memory_desc_query(md, what, &room), dnnl_unimplemented) << what;
}

// ---- equality and copies

TEST(memory_desc, descriptors_are_equal_where_nothing_that_counts_differs) {
    const auto reference = tagged({2, 3, 1}, dnnl_abc);
    memory_desc_handle_t strided, other_unit_stride;
    ASSERT_EQ(by_strides(strided, {2, 3, 1}, {3, 1, 1}), dnnl_success);
    ASSERT_EQ(by_strides(other_unit_stride, {2, 3, 1}, {3, 1, 99}), dnnl_success);
    EXPECT_TRUE(dnnl_memory_desc_equal(reference, reference));
    EXPECT_TRUE(dnnl_memory_desc_equal(reference, strided));
    EXPECT_TRUE(dnnl_memory_desc_equal(reference, other_unit_stride));
    EXPECT_TRUE(dnnl_memory_desc_equal(reference, clone_desc(reference)));
}

TEST(memory_desc, descriptors_differ_by_any_of_their_parts) {
    const auto reference = tagged({4, 16}, dnnl_ab);
    memory_desc_handle_t pitched, scalar, sub;
    ASSERT_EQ(by_strides(pitched, {4, 16}, {17, 1}), dnnl_success);
    ASSERT_EQ(dnnl_memory_desc_create_host_scalar(scalar.out(), dnnl_f32), dnnl_success);
    const dims_t dims = {4, 16}, offsets = {1, 0};
    const auto parent = tagged({5, 16}, dnnl_ab);
    ASSERT_EQ(dnnl_memory_desc_create_submemory(sub.out(), parent, dims.data(), offsets.data()),
            dnnl_success);
    const auto other_dims = tagged({4, 15}, dnnl_ab), fewer_axes = tagged({4}, dnnl_a),
               other_type = tagged({4, 16}, dnnl_ab, dnnl_s32),
               other_order = tagged({4, 16}, dnnl_ba), open = tagged({4, 16}, dnnl_format_tag_any),
               blocked = tagged({4, 16}, dnnl_AB16b16a);
    const const_dnnl_memory_desc_t others[] = {pitched, scalar, sub, other_dims, fewer_axes,
            other_type, other_order, open, blocked, nullptr};
    for (const const_dnnl_memory_desc_t other : others) {
        EXPECT_FALSE(dnnl_memory_desc_equal(reference, other)) << describe(other ? other : open);
        EXPECT_FALSE(dnnl_memory_desc_equal(other, reference)) << describe(other ? other : open);
    }
}

TEST(memory_desc, a_copy_outlives_its_original) {
    memory_desc_handle_t copy;
    {
        const auto original = tagged({2, 17}, dnnl_AB16b16a);
        ASSERT_EQ(dnnl_memory_desc_clone(copy.out(), original), dnnl_success);
    }
    EXPECT_TRUE(dnnl_memory_desc_equal(copy, tagged({2, 17}, dnnl_AB16b16a)));
}

TEST(memory_desc, its_data_type_can_be_changed_by_tools) {
    const auto md = tagged({2, 3}, dnnl_ab);
    EXPECT_EQ(dnnl_memory_desc_set_data_type(md, dnnl_s8), dnnl_success);
    EXPECT_EQ(describe(md), plain({2, 3}, {3, 1}, dnnl_s8));
    EXPECT_EQ(dnnl_memory_desc_get_size(md), 6u);
}

} // namespace

} // namespace kiln::test
