// SPDX-License-Identifier: Apache-2.0
// Logical tensors through the C interface.
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "oneapi/dnnl/dnnl_graph.h"

namespace kiln::test {

namespace {

using lt_t = dnnl_graph_logical_tensor_t;
using dims_t = std::vector<dnnl_dim_t>;

constexpr auto undef = dnnl_graph_layout_type_undef;
constexpr auto any = dnnl_graph_layout_type_any;
constexpr auto strided = dnnl_graph_layout_type_strided;
constexpr auto opaque = dnnl_graph_layout_type_opaque;
constexpr auto variable = dnnl_graph_tensor_property_variable;
constexpr auto constant = dnnl_graph_tensor_property_constant;
constexpr auto host_scalar = dnnl_graph_tensor_property_host_scalar;
constexpr dnnl_dim_t unknown = DNNL_GRAPH_UNKNOWN_DIM;

lt_t made(const dims_t &dims, dnnl_data_type_t type = dnnl_f32,
        dnnl_graph_layout_type_t layout = strided) {
    lt_t lt;
    EXPECT_EQ(dnnl_graph_logical_tensor_init_with_dims(
                      &lt, 7, type, static_cast<int>(dims.size()), dims.data(), layout, variable),
            dnnl_success);
    return lt;
}

lt_t with_strides(const dims_t &dims, const dims_t &strides, dnnl_data_type_t type = dnnl_f32) {
    lt_t lt;
    EXPECT_EQ(dnnl_graph_logical_tensor_init_with_strides(&lt, 7, type,
                      static_cast<int>(dims.size()), dims.data(), strides.data(), variable),
            dnnl_success);
    return lt;
}

size_t bytes(const lt_t &lt) {
    size_t size = 0;
    EXPECT_EQ(dnnl_graph_logical_tensor_get_mem_size(&lt, &size), dnnl_success);
    return size;
}

bool equal(const lt_t &lhs, const lt_t &rhs) {
    uint8_t answer = 9;
    EXPECT_EQ(dnnl_graph_logical_tensor_is_equal(&lhs, &rhs, &answer), dnnl_success);
    EXPECT_LE(answer, 1);
    return answer == 1;
}

dims_t strides_of(const lt_t &lt) { return {lt.layout.strides, lt.layout.strides + lt.ndims}; }

TEST(logical_tensor, keeps_its_arguments) {
    for (auto layout : {undef, any, strided, opaque})
        for (auto property : {dnnl_graph_tensor_property_undef, variable, constant}) {
            lt_t lt;
            ASSERT_EQ(dnnl_graph_logical_tensor_init(&lt, 42, dnnl_bf16, 3, layout, property),
                    dnnl_success);
            EXPECT_EQ(lt.id, 42u);
            EXPECT_EQ(lt.ndims, 3);
            EXPECT_EQ(lt.data_type, dnnl_bf16);
            EXPECT_EQ(lt.layout_type, layout);
            EXPECT_EQ(lt.property, property);
            for (int d = 0; d < DNNL_MAX_NDIMS; ++d) {
                EXPECT_EQ(lt.dims[d], unknown);
                EXPECT_EQ(lt.layout.strides[d], unknown);
            }
        }
}

TEST(logical_tensor, may_have_an_unknown_number_of_dims) {
    lt_t lt;
    ASSERT_EQ(dnnl_graph_logical_tensor_init(
                      &lt, 1, dnnl_f32, DNNL_GRAPH_UNKNOWN_NDIMS, any, variable),
            dnnl_success);
    EXPECT_EQ(lt.ndims, DNNL_GRAPH_UNKNOWN_NDIMS);
    EXPECT_EQ(bytes(lt), SIZE_MAX);
}

TEST(logical_tensor, with_known_dims_and_layout_strided_is_row_major) {
    EXPECT_EQ(strides_of(made({2, 3, 4})), (dims_t{12, 4, 1}));
    EXPECT_EQ(strides_of(made({2, 0, 4})), (dims_t{4, 4, 1})); // as if 0 were 1
    EXPECT_EQ(strides_of(made({5})), (dims_t{1}));
    EXPECT_EQ(strides_of(made({2, unknown, 4})), dims_t(3, unknown));
    EXPECT_EQ(strides_of(made({2, 3, 4}, dnnl_f32, any)), dims_t(3, unknown));
}

TEST(logical_tensor, keeps_given_strides) {
    const lt_t lt = with_strides({2, 3}, {1, 8});
    EXPECT_EQ(lt.layout_type, strided);
    EXPECT_EQ(strides_of(lt), (dims_t{1, 8}));
}

TEST(logical_tensor, without_dims_is_one_element) {
    for (const lt_t &lt : {made({}), with_strides({}, {})}) {
        EXPECT_EQ(lt.ndims, 0);
        EXPECT_EQ(lt.dims[0], 0);
        EXPECT_EQ(lt.layout.strides[0], 0);
        EXPECT_EQ(bytes(lt), sizeof(float));
    }
}

TEST(logical_tensor, returns_the_bytes_of_its_buffer) {
    EXPECT_EQ(bytes(made({2, 3, 4})), 96u);
    EXPECT_EQ(bytes(made({2, 3, 4}, dnnl_bf16)), 48u);
    EXPECT_EQ(bytes(made({2, 3, 4}, dnnl_boolean)), 24u);
    EXPECT_EQ(bytes(made({3, 5}, dnnl_s4)), 8u); // two to a byte
    EXPECT_EQ(bytes(made({2, 0, 4})), 0u);
    EXPECT_EQ(bytes(with_strides({2, 3}, {8, 1})), 64u); // rows in a wider matrix
    EXPECT_EQ(bytes(with_strides({2, 3}, {1, 8})), 96u);
    EXPECT_EQ(bytes(with_strides({1, 3}, {100, 1})), 12u); // the stride of 100 is not used
}

TEST(logical_tensor, does_not_know_its_bytes_without_dims_or_layout) {
    EXPECT_EQ(bytes(made({2, unknown})), SIZE_MAX);
    EXPECT_EQ(bytes(made({2, 3}, dnnl_f32, any)), SIZE_MAX);
    EXPECT_EQ(bytes(made({2, 3}, dnnl_f32, undef)), SIZE_MAX);
    lt_t nowhere = made({2, 3}, dnnl_f32, opaque);
    nowhere.layout.layout_id = 1000000; // no compilation returned this id
    EXPECT_EQ(bytes(nowhere), SIZE_MAX);
}

TEST(logical_tensor, may_be_larger_than_any_memory) {
    const dnnl_dim_t half = dnnl_dim_t(1) << 40;
    EXPECT_EQ(bytes(made({half, half})), SIZE_MAX);
    EXPECT_EQ(bytes(made({half, 1, half, half})), SIZE_MAX);
}

TEST(logical_tensor, equals_one_of_the_same_id_shape_type_property_and_layout) {
    const lt_t lt = made({2, 3});
    EXPECT_TRUE(equal(lt, lt));
    EXPECT_TRUE(equal(lt, with_strides({2, 3}, {3, 1})));
    EXPECT_FALSE(equal(lt, with_strides({2, 3}, {1, 2})));
    EXPECT_FALSE(equal(lt, made({3, 2})));
    EXPECT_FALSE(equal(lt, made({2, 3, 1})));
    EXPECT_FALSE(equal(lt, made({2, 3}, dnnl_bf16)));
    EXPECT_FALSE(equal(lt, made({2, 3}, dnnl_f32, any)));
    EXPECT_TRUE(equal(made({2, 3}, dnnl_f32, any), made({2, 3}, dnnl_f32, any)));
    lt_t other = lt;
    other.id = 8;
    EXPECT_FALSE(equal(lt, other));
    other = lt;
    other.property = constant;
    EXPECT_FALSE(equal(lt, other));
}

TEST(logical_tensor, ignores_dims_beyond_ndims_in_comparisons) {
    lt_t lhs = made({2, 3});
    lt_t rhs = lhs;
    rhs.dims[5] = 99;
    rhs.layout.strides[5] = 99;
    EXPECT_TRUE(equal(lhs, rhs));
}

TEST(logical_tensor, of_a_host_scalar_has_no_dims_and_one_of_three_types) {
    lt_t lt;
    for (auto type : {dnnl_f32, dnnl_s32, dnnl_s64})
        EXPECT_EQ(dnnl_graph_logical_tensor_init(&lt, 0, type, 0, strided, host_scalar),
                dnnl_success);
    EXPECT_EQ(dnnl_graph_logical_tensor_init(&lt, 0, dnnl_bf16, 0, strided, host_scalar),
            dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_graph_logical_tensor_init(&lt, 0, dnnl_f32, -1, strided, host_scalar),
            dnnl_invalid_arguments);
    const dnnl_dim_t one = 1;
    EXPECT_EQ(dnnl_graph_logical_tensor_init_with_dims(
                      &lt, 0, dnnl_f32, 1, &one, strided, host_scalar),
            dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_graph_logical_tensor_init_with_strides(
                      &lt, 0, dnnl_f32, 1, &one, &one, host_scalar),
            dnnl_invalid_arguments);
}

TEST(logical_tensor, is_refused_with_an_invalid_number_of_dims) {
    lt_t lt;
    const dims_t ones(DNNL_MAX_NDIMS + 1, 1);
    const int too_many = DNNL_MAX_NDIMS + 1;
    EXPECT_EQ(dnnl_graph_logical_tensor_init(&lt, 0, dnnl_f32, too_many, any, variable),
            dnnl_invalid_arguments);
    for (int ndims : {-1, too_many}) {
        EXPECT_EQ(dnnl_graph_logical_tensor_init_with_dims(
                          &lt, 0, dnnl_f32, ndims, ones.data(), strided, variable),
                dnnl_invalid_arguments);
        EXPECT_EQ(dnnl_graph_logical_tensor_init_with_strides(
                          &lt, 0, dnnl_f32, ndims, ones.data(), ones.data(), variable),
                dnnl_invalid_arguments);
    }
}

TEST(logical_tensor, is_refused_with_null_pointers) {
    lt_t lt;
    const dnnl_dim_t two = 2;
    size_t size = 0;
    uint8_t answer = 0;
    const auto refused = dnnl_invalid_arguments;
    EXPECT_EQ(dnnl_graph_logical_tensor_init(nullptr, 0, dnnl_f32, 1, any, variable), refused);
    EXPECT_EQ(
            dnnl_graph_logical_tensor_init_with_dims(nullptr, 0, dnnl_f32, 1, &two, any, variable),
            refused);
    EXPECT_EQ(dnnl_graph_logical_tensor_init_with_dims(&lt, 0, dnnl_f32, 1, nullptr, any, variable),
            refused);
    EXPECT_EQ(dnnl_graph_logical_tensor_init_with_strides(
                      &lt, 0, dnnl_f32, 1, &two, nullptr, variable),
            refused);
    EXPECT_EQ(dnnl_graph_logical_tensor_init_with_strides(
                      &lt, 0, dnnl_f32, 1, nullptr, &two, variable),
            refused);
    lt = made({2});
    EXPECT_EQ(dnnl_graph_logical_tensor_get_mem_size(nullptr, &size), refused);
    EXPECT_EQ(dnnl_graph_logical_tensor_get_mem_size(&lt, nullptr), refused);
    EXPECT_EQ(dnnl_graph_logical_tensor_is_equal(nullptr, &lt, &answer), refused);
    EXPECT_EQ(dnnl_graph_logical_tensor_is_equal(&lt, nullptr, &answer), refused);
    EXPECT_EQ(dnnl_graph_logical_tensor_is_equal(&lt, &lt, nullptr), refused);
}

TEST(logical_tensor, is_unchanged_after_a_refusal) {
    lt_t lt = made({2, 3});
    lt_t before = lt;
    EXPECT_EQ(dnnl_graph_logical_tensor_init_with_strides(
                      &lt, 0, dnnl_f32, 2, lt.dims, nullptr, variable),
            dnnl_invalid_arguments);
    EXPECT_EQ(std::memcmp(&lt, &before, sizeof lt), 0);
}

} // namespace

} // namespace kiln::test
