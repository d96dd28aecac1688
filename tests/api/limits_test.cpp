// SPDX-License-Identifier: Apache-2.0
// Sizes, strides and offsets near the ends of 64 bits: each is refused or works, and no number
// overflows on the way, which -fsanitize=undefined shows.

#include <limits>

#include "api/description.hpp"

extern "C" dnnl_status_t dnnl_memory_desc_set_data_type(dnnl_memory_desc_t, dnnl_data_type_t);

namespace kiln::test {
namespace {

constexpr dnnl_dim_t most = std::numeric_limits<dnnl_dim_t>::max();
constexpr dnnl_dim_t power(int exponent) { return dnnl_dim_t(1) << exponent; }

dnnl_status_t strided(memory_desc_handle_t &md, const dims_t &dims, dnnl_data_type_t type,
        const dims_t &strides) {
    return dnnl_memory_desc_create_with_strides(
            md.out(), static_cast<int>(dims.size()), dims.data(), type, strides.data());
}

TEST(limits, strides_of_any_size_are_right_where_they_mean_nothing) {
    for (const dnnl_dim_t stride : {most, -most, power(62), dnnl_dim_t(0)})
        for (const dims_t &dims : {dims_t{1, 4}, dims_t{0, 4}, dims_t{4, 0}}) {
            memory_desc_handle_t md;
            ASSERT_EQ(strided(md, dims, dnnl_f32, {stride, 1}), dnnl_success);
            EXPECT_EQ(dnnl_memory_desc_get_size(md), volume(dims) == 0 ? 0u : 16u);
        }
}

TEST(limits, strides_that_do_not_fit_are_refused) {
    const struct {
        dims_t dims, strides;
        dnnl_data_type_t type;
    } cases[] = {
            {{2}, {most}, dnnl_s8},
            {{2}, {power(62)}, dnnl_s8},
            {{2}, {power(61)}, dnnl_bf16},
            {{5, 3}, {power(61), power(59)}, dnnl_s8},
            {{power(31), power(32)}, {power(32), 1}, dnnl_s8},
    };
    for (const auto &[dims, strides, type] : cases) {
        memory_desc_handle_t md;
        EXPECT_EQ(strided(md, dims, type, strides), dnnl_invalid_arguments) << to_string(dims);
    }
    memory_desc_handle_t md;
    EXPECT_EQ(strided(md, {2}, dnnl_s8, {power(61)}), dnnl_success);
    EXPECT_EQ(dnnl_memory_desc_get_size(md), size_t(power(62)));
}

TEST(limits, another_data_type_is_refused_where_the_tensor_does_not_fit) {
    memory_desc_handle_t md;
    ASSERT_EQ(strided(md, {2}, dnnl_s8, {power(61)}), dnnl_success);
    EXPECT_EQ(dnnl_memory_desc_set_data_type(md, dnnl_f64), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_desc_set_data_type(md, dnnl_data_type_undef), dnnl_invalid_arguments);
    EXPECT_EQ(asked<dnnl_data_type_t>(md, dnnl_query_data_type), dnnl_s8);
    EXPECT_EQ(dnnl_memory_desc_set_data_type(md, dnnl_u8), dnnl_success);
}

TEST(limits, parts_of_tensors_without_elements_or_extent_may_begin_anywhere_that_fits) {
    const struct {
        dims_t whole, strides, dims, offsets;
        dnnl_status_t status;
    } cases[] = {
            {{1, 4}, {most, 1}, {0, 4}, {1, 0}, dnnl_success},
            {{1, 4}, {most, 1}, {0, 3}, {1, 1}, dnnl_invalid_arguments},
            {{1, 1}, {most, most}, {0, 0}, {1, 1}, dnnl_invalid_arguments},
            {{4, 0}, {power(62), 1}, {1, 0}, {3, 0}, dnnl_invalid_arguments},
            {{4, 0}, {-5, 1}, {1, 0}, {3, 0}, dnnl_invalid_arguments},
            {{4, 0}, {-most, 1}, {1, 0}, {3, 0}, dnnl_invalid_arguments},
            {{4, 8}, {8, 1}, {1, 2}, {3, 6}, dnnl_success},
    };
    for (const auto &[whole, strides, dims, offsets, status] : cases) {
        memory_desc_handle_t md, part;
        ASSERT_EQ(strided(md, whole, dnnl_f32, strides), dnnl_success);
        EXPECT_EQ(dnnl_memory_desc_create_submemory(part.out(), md, dims.data(), offsets.data()),
                status)
                << to_string(whole) << " by " << to_string(strides);
    }
}

TEST(limits, other_shapes_of_tensors_with_strides_of_any_size) {
    memory_desc_handle_t md, result;
    ASSERT_EQ(strided(md, {1, 6, 1}, dnnl_f32, {most, 1, -most}), dnnl_success);
    for (const dims_t &dims : {dims_t{6}, dims_t{2, 3}, dims_t{1, 2, 1, 3, 1}, dims_t{6, 1}})
        EXPECT_EQ(dnnl_memory_desc_reshape(
                          result.out(), md, static_cast<int>(dims.size()), dims.data()),
                dnnl_success)
                << to_string(dims);
    const int permutation[] = {2, 0, 1};
    EXPECT_EQ(dnnl_memory_desc_permute_axes(result.out(), md, permutation), dnnl_success);
    const dims_t product = {power(32), power(32)};
    EXPECT_EQ(
            dnnl_memory_desc_reshape(result.out(), md, 2, product.data()), dnnl_invalid_arguments);
}

TEST(limits, padding_that_does_not_fit_is_refused) {
    for (const auto tag : {dnnl_aBc16b, dnnl_aBc8b, dnnl_ABc16b16a}) {
        memory_desc_handle_t md;
        const dims_t dims = {1, most - 3, 1};
        EXPECT_EQ(dnnl_memory_desc_create_with_tag(md.out(), 3, dims.data(), dnnl_s8, tag),
                dnnl_invalid_arguments);
    }
}

TEST(limits, sparse_tensors_of_many_rows_have_a_size) {
    memory_desc_handle_t md;
    const dims_t dims = {most, 1};
    ASSERT_EQ(dnnl_memory_desc_create_with_csr_encoding(
                      md.out(), 2, dims.data(), dnnl_f32, 5, dnnl_s32, dnnl_s32),
            dnnl_success);
    EXPECT_EQ(dnnl_memory_desc_get_size_v2(md, 0), 20u);
    EXPECT_GT(dnnl_memory_desc_get_size_v2(md, 1), 0u);
    dnnl_memory_desc_get_size_v2(md, 2);
    EXPECT_EQ(dnnl_memory_desc_create_with_csr_encoding(
                      md.out(), 2, dims.data(), dnnl_f32, -5, dnnl_s32, dnnl_s32),
            dnnl_invalid_arguments);
}

/// Asks for each operation with src and dst of one descriptor.
std::vector<dnnl_status_t> creations(const_dnnl_memory_desc_t md) {
    std::vector<dnnl_status_t> statuses;
    primitive_desc_handle_t pd;
    dnnl_engine_t engine = cpu_engine();
    constexpr unsigned flags = dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift;
    statuses.push_back(
            dnnl_reorder_primitive_desc_create(pd.out(), md, engine, md, engine, nullptr));
    statuses.push_back(dnnl_layer_normalization_forward_primitive_desc_create(
            pd.out(), engine, dnnl_forward_inference, md, md, nullptr, 1e-5f, flags, nullptr));
    statuses.push_back(dnnl_batch_normalization_forward_primitive_desc_create(pd.out(), engine,
            dnnl_forward_training, md, md, 1e-5f, flags | dnnl_fuse_norm_relu, nullptr));
    statuses.push_back(dnnl_group_normalization_forward_primitive_desc_create(
            pd.out(), engine, dnnl_forward_inference, md, md, 1, 1e-5f, flags, nullptr));
    const description_t of = describe(md);
    dims_t reduced = of.dims;
    reduced.back() = 1;
    if (reduced != of.dims)
        statuses.push_back(dnnl_reduction_primitive_desc_create(pd.out(), engine,
                dnnl_reduction_max, md, make_desc(reduced, of.data_type), 0, 0, nullptr));
    return statuses;
}

TEST(limits, tensors_that_no_machine_can_hold_are_refused) {
    const struct {
        dims_t dims, strides;
    } cases[] = {
            {{power(31), power(31)}, {power(31), 1}},
            {{power(20), power(20), power(20)}, {power(40), power(20), 1}},
            {{2, power(61)}, {power(61), 1}},
            {{power(61), 1}, {1, power(61)}},
            {{2, 2, 2}, {power(60), power(58), 1}},
    };
    for (const auto &[dims, strides] : cases) {
        memory_desc_handle_t md;
        ASSERT_EQ(strided(md, dims, dnnl_s8, strides), dnnl_success) << to_string(dims);
        for (const dnnl_status_t status : creations(md))
            EXPECT_NE(status, dnnl_success) << to_string(dims);
    }
}

TEST(limits, operations_ignore_strides_that_mean_nothing) {
    for (const dnnl_dim_t stride : {most, -most, dnnl_dim_t(-1), dnnl_dim_t(0), power(61)})
        for (const auto &[dims, strides] : {std::pair<dims_t, dims_t>{{1, 16}, {stride, 1}},
                     {{16, 1}, {1, stride}}, {{2, 1, 5}, {5, stride, 1}},
                     {{1, 3, 4, 1}, {stride, 4, 1, stride}}, {{2, 16, 1}, {16, 1, stride}}})
            for (const auto type : {dnnl_s8, dnnl_f32}) {
                memory_desc_handle_t md;
                ASSERT_EQ(strided(md, dims, type, strides), dnnl_success);
                for (const dnnl_status_t status : creations(md))
                    EXPECT_EQ(status, dnnl_success)
                            << to_string(dims) << " by " << to_string(strides);
            }
}

} // namespace
} // namespace kiln::test
