// SPDX-License-Identifier: Apache-2.0
// Memory descriptors of sparse tensors: encodings; number, types and sizes of their buffers. No
// primitive supports them.

#include "api/description.hpp"
#include "api/descriptors.hpp"

namespace kiln::test {

namespace {

const dims_t dims = {4, 6};
constexpr dnnl_dim_t nnz = 5;

template <typename answer_t>
answer_t asked_v2(const_dnnl_memory_desc_t md, dnnl_query_t what, int index = 0) {
    answer_t answer{};
    EXPECT_EQ(dnnl_memory_desc_query_v2(md, what, index, &answer), dnnl_success)
            << "query " << what << " at " << index;
    return answer;
}

memory_desc_handle_t packed() {
    memory_desc_handle_t md;
    require(dnnl_memory_desc_create_with_packed_encoding(md.out(), 2, dims.data(), dnnl_f32, nnz),
            "dnnl_memory_desc_create_with_packed_encoding");
    return md;
}

void expect_sparse(const_dnnl_memory_desc_t md, dnnl_sparse_encoding_t encoding) {
    EXPECT_EQ(asked<dnnl_format_kind_t>(md, dnnl_query_format_kind), dnnl_format_kind_sparse);
    EXPECT_EQ(asked<int>(md, dnnl_query_ndims_s32), 2);
    EXPECT_EQ(asked_dims(md, dnnl_query_dims, 2), dims);
    EXPECT_EQ(asked_v2<dnnl_sparse_encoding_t>(md, dnnl_query_sparse_encoding), encoding);
    EXPECT_EQ(asked_v2<dnnl_dim_t>(md, dnnl_query_nnz_s64), nnz);
    EXPECT_EQ(asked_v2<int>(md, dnnl_query_num_handles_s32), 3);
    const dnnl_dims_t *strides = nullptr;
    EXPECT_EQ(dnnl_memory_desc_query(md, dnnl_query_strides, &strides), dnnl_invalid_arguments);
}

TEST(sparse_memory_desc, compressed_rows_have_values_columns_and_row_pointers) {
    const auto md = csr_desc(nnz, dnnl_bf16, dnnl_s64);
    expect_sparse(md, dnnl_csr);
    EXPECT_EQ(asked_v2<dnnl_data_type_t>(md, dnnl_query_data_type, 0), dnnl_bf16);
    EXPECT_EQ(asked_v2<dnnl_data_type_t>(md, dnnl_query_data_type, 1), dnnl_s32);
    EXPECT_EQ(asked_v2<dnnl_data_type_t>(md, dnnl_query_data_type, 2), dnnl_s64);
    EXPECT_EQ(dnnl_memory_desc_get_size(md), nnz * 2u);
    EXPECT_EQ(dnnl_memory_desc_get_size_v2(md, 0), nnz * 2u);
    EXPECT_EQ(dnnl_memory_desc_get_size_v2(md, 1), nnz * 4u);
    EXPECT_EQ(dnnl_memory_desc_get_size_v2(md, 2), (dims[0] + 1) * 8u);
}

TEST(sparse_memory_desc, coordinates_have_values_and_one_index_an_axis) {
    const auto md = coo_desc(nnz);
    expect_sparse(md, dnnl_coo);
    EXPECT_EQ(asked_v2<dnnl_data_type_t>(md, dnnl_query_data_type, 0), dnnl_f32);
    EXPECT_EQ(asked_v2<dnnl_data_type_t>(md, dnnl_query_data_type, 1), dnnl_s32);
    EXPECT_EQ(asked_v2<dnnl_data_type_t>(md, dnnl_query_data_type, 2), dnnl_s32);
    for (const int index : {0, 1, 2})
        EXPECT_EQ(dnnl_memory_desc_get_size_v2(md, index), nnz * 4u) << index;
}

TEST(sparse_memory_desc, packed_has_no_size_until_an_implementation_decides) {
    const auto md = packed();
    expect_sparse(md, dnnl_packed);
    EXPECT_EQ(dnnl_memory_desc_get_size(md), 0u);
}

TEST(sparse_memory_desc, an_index_is_allowed_for_the_data_type_only) {
    const auto md = csr_desc(nnz, dnnl_bf16, dnnl_s64);
    int64_t room = 0;
    for (const dnnl_query_t what : {dnnl_query_sparse_encoding, dnnl_query_nnz_s64,
                 dnnl_query_num_handles_s32, dnnl_query_ndims_s32})
        EXPECT_EQ(dnnl_memory_desc_query_v2(md, what, 1, &room), dnnl_invalid_arguments) << what;
}

TEST(sparse_memory_desc, descriptors_differ_by_encoding_count_and_index_types) {
    const auto reference = csr_desc(nnz, dnnl_bf16, dnnl_s64);
    memory_desc_handle_t other_count, other_indices, other_pointers;
    ASSERT_EQ(dnnl_memory_desc_create_with_csr_encoding(
                      other_count.out(), 2, dims.data(), dnnl_bf16, nnz + 1, dnnl_s32, dnnl_s64),
            dnnl_success);
    ASSERT_EQ(dnnl_memory_desc_create_with_csr_encoding(
                      other_indices.out(), 2, dims.data(), dnnl_bf16, nnz, dnnl_s64, dnnl_s64),
            dnnl_success);
    ASSERT_EQ(dnnl_memory_desc_create_with_csr_encoding(
                      other_pointers.out(), 2, dims.data(), dnnl_bf16, nnz, dnnl_s32, dnnl_s32),
            dnnl_success);
    EXPECT_TRUE(dnnl_memory_desc_equal(reference, csr_desc(nnz, dnnl_bf16, dnnl_s64)));
    for (const auto *other : {&other_count, &other_indices, &other_pointers})
        EXPECT_FALSE(dnnl_memory_desc_equal(reference, *other));
    EXPECT_FALSE(dnnl_memory_desc_equal(coo_desc(nnz), packed()));
}

TEST(sparse_memory_desc, more_than_two_axes_are_unimplemented) {
    const dims_t three = {2, 3, 4};
    memory_desc_handle_t md;
    EXPECT_EQ(dnnl_memory_desc_create_with_csr_encoding(
                      md.out(), 3, three.data(), dnnl_f32, nnz, dnnl_s32, dnnl_s32),
            dnnl_unimplemented);
    EXPECT_EQ(dnnl_memory_desc_create_with_coo_encoding(
                      md.out(), 3, three.data(), dnnl_f32, nnz, dnnl_s32),
            dnnl_unimplemented);
}

TEST(sparse_memory_desc, bad_shapes_are_refused) {
    const dims_t negative = {-4, 6};
    memory_desc_handle_t md;
    EXPECT_EQ(dnnl_memory_desc_create_with_csr_encoding(
                      md.out(), 2, negative.data(), dnnl_f32, nnz, dnnl_s32, dnnl_s32),
            dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_desc_create_with_coo_encoding(
                      md.out(), 2, negative.data(), dnnl_f32, nnz, dnnl_s32),
            dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_desc_create_with_packed_encoding(
                      md.out(), 2, negative.data(), dnnl_f32, nnz),
            dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_desc_create_with_csr_encoding(
                      md.out(), 2, dims.data(), dnnl_data_type_undef, nnz, dnnl_s32, dnnl_s32),
            dnnl_invalid_arguments);
}

TEST(sparse_memory_desc, it_has_no_parts_other_shapes_or_orders) {
    const auto md = csr_desc(nnz, dnnl_bf16, dnnl_s64);
    const dims_t part = {2, 6}, offsets = {0, 0}, joined = {24};
    const int permutation[] = {1, 0};
    memory_desc_handle_t out;
    EXPECT_EQ(dnnl_memory_desc_create_submemory(out.out(), md, part.data(), offsets.data()),
            dnnl_unimplemented);
    EXPECT_EQ(dnnl_memory_desc_reshape(out.out(), md, 1, joined.data()), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_desc_permute_axes(out.out(), md, permutation), dnnl_invalid_arguments);
}

} // namespace

} // namespace kiln::test
