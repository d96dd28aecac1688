// SPDX-License-Identifier: Apache-2.0
// Scales, zero points and precomputed reductions as attributes. They have no getters, so the tests
// look at whether an operation accepts the attributes.
#include <climits>

#include <gtest/gtest.h>

#include "support/layout.hpp"

namespace kiln::test {

namespace {

// ---- scales, zero points, precomputed reductions

constexpr int dw_src = DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_SRC;
constexpr int dw_weights = DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS;
constexpr int dw_dst = DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_DST;
const dims_t groups = {1, 32};

TEST(attr, scales_are_taken_for_the_arguments_that_have_them) {
    const auto attr = make_attr();
    for (const int arg : {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_SRC_1,
                 DNNL_ARG_SRC_2, DNNL_ARG_WEIGHTS_1, DNNL_ARG_WEIGHTS_2, DNNL_ARG_MULTIPLE_SRC,
                 DNNL_ARG_MULTIPLE_SRC + 5, dw_src, dw_weights, dw_dst})
        EXPECT_EQ(dnnl_primitive_attr_set_scales_mask(attr, arg, 0), dnnl_success) << arg;
    for (const int arg :
            {DNNL_ARG_UNDEF, DNNL_ARG_BIAS, DNNL_ARG_MEAN, DNNL_ARG_SCALE, DNNL_ARG_DIFF_SRC,
                    DNNL_ARG_DIFF_DST, DNNL_ARG_DST_1, DNNL_ARG_WORKSPACE, -1, INT_MIN})
        EXPECT_EQ(dnnl_primitive_attr_set_scales_mask(attr, arg, 0), dnnl_invalid_arguments) << arg;
}

TEST(attr, zero_points_are_taken_for_the_arguments_that_have_them) {
    const auto attr = make_attr();
    for (const int arg : {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_SRC_2,
                 DNNL_ARG_WEIGHTS_1, DNNL_ARG_WEIGHTS_2})
        EXPECT_EQ(dnnl_primitive_attr_set_zero_points_mask(attr, arg, 0), dnnl_success) << arg;
    for (const int arg : {DNNL_ARG_UNDEF, DNNL_ARG_BIAS, DNNL_ARG_SRC_1, DNNL_ARG_MULTIPLE_SRC,
                 DNNL_ARG_DIFF_SRC, DNNL_ARG_MEAN, dw_src, -1})
        EXPECT_EQ(dnnl_primitive_attr_set_zero_points_mask(attr, arg, 0), dnnl_invalid_arguments)
                << arg;
}

struct quantization_case_t {
    const char *what;
    dnnl_status_t expected;
    int arg, mask, group_ndims;
    const dnnl_dim_t *group_dims;
    dnnl_data_type_t data_type;
    int on_host = 0;
};

const dims_t zero_group = {0, 32}, negative_group = {1, -32}, three_groups = {1, 1, 1};

const quantization_case_t scale_cases[] = {
        {"a common scale", dnnl_success, DNNL_ARG_SRC, 0, 0, nullptr, dnnl_f32},
        {"a scale an index", dnnl_success, DNNL_ARG_WEIGHTS, 3, 0, nullptr, dnnl_bf16},
        {"the greatest mask", dnnl_success, DNNL_ARG_SRC, INT_MAX, 0, nullptr, dnnl_f32},
        {"groups", dnnl_success, DNNL_ARG_WEIGHTS, 3, 2, groups.data(), dnnl_f16},
        {"eight-bit groups", dnnl_success, DNNL_ARG_SRC, 3, 2, groups.data(), dnnl_e8m0},
        {"eight-bit floats", dnnl_success, DNNL_ARG_SRC, 3, 2, groups.data(), dnnl_f8_e4m3},
        {"a host scalar", dnnl_success, DNNL_ARG_DST, 0, 0, nullptr, dnnl_f32, 1},
        {"a negative mask", dnnl_invalid_arguments, DNNL_ARG_SRC, -1, 0, nullptr, dnnl_f32},
        {"one group axis", dnnl_invalid_arguments, DNNL_ARG_SRC, 1, 1, groups.data(), dnnl_f32},
        {"three group axes", dnnl_invalid_arguments, DNNL_ARG_SRC, 1, 3, three_groups.data(),
                dnnl_f32},
        {"a group of nothing", dnnl_invalid_arguments, DNNL_ARG_SRC, 3, 2, zero_group.data(),
                dnnl_f32},
        {"a negative group", dnnl_invalid_arguments, DNNL_ARG_SRC, 3, 2, negative_group.data(),
                dnnl_f32},
        {"groups without a mask", dnnl_invalid_arguments, DNNL_ARG_SRC, 0, 2, groups.data(),
                dnnl_f32},
        {"integer scales", dnnl_invalid_arguments, DNNL_ARG_SRC, 0, 0, nullptr, dnnl_s32},
        {"double scales", dnnl_invalid_arguments, DNNL_ARG_SRC, 0, 0, nullptr, dnnl_f64},
        {"a single eight-bit scale", dnnl_invalid_arguments, DNNL_ARG_SRC, 0, 0, nullptr,
                dnnl_e8m0},
        {"many host scalars", dnnl_invalid_arguments, DNNL_ARG_SRC, 1, 0, nullptr, dnnl_f32, 1},
        {"host groups", dnnl_invalid_arguments, DNNL_ARG_SRC, 3, 2, groups.data(), dnnl_f32, 1},
        {"a bad argument", dnnl_invalid_arguments, DNNL_ARG_MEAN, 0, 0, nullptr, dnnl_f32},
};

TEST(attr, scales_are_checked_by_each_form_of_their_setter) {
    for (const quantization_case_t &each : scale_cases) {
        const auto attr = make_attr();
        if (!each.on_host) {
            EXPECT_EQ(dnnl_primitive_attr_set_scales(attr, each.arg, each.mask, each.group_ndims,
                              each.group_dims, each.data_type),
                    each.expected)
                    << each.what;
        }
        EXPECT_EQ(dnnl_primitive_attr_set_scales_v2(attr, each.arg, each.mask, each.group_ndims,
                          each.group_dims, each.data_type, each.on_host),
                each.expected)
                << each.what;
        for (const auto mode : {dnnl_quantization_mode_static_sazp,
                     dnnl_quantization_mode_dynamic_mx, dnnl_quantization_mode_dynamic_fp})
            EXPECT_EQ(dnnl_primitive_attr_set_scales_v3(attr, each.arg, each.mask, each.group_ndims,
                              each.group_dims, each.data_type, each.on_host, mode),
                    each.expected)
                    << each.what << " in mode " << mode;
    }
}

TEST(attr, scales_have_no_undefined_mode) {
    const auto attr = make_attr();
    for (const int mode : {int(dnnl_quantization_mode_undef), 100, -1})
        EXPECT_EQ(dnnl_primitive_attr_set_scales_v3(attr, DNNL_ARG_SRC, 0, 0, nullptr, dnnl_f32, 0,
                          static_cast<dnnl_quantization_mode_t>(mode)),
                dnnl_invalid_arguments)
                << mode;
}

const quantization_case_t zero_point_cases[] = {
        {"a common one", dnnl_success, DNNL_ARG_DST, 0, 0, nullptr, dnnl_s32},
        {"one an index", dnnl_success, DNNL_ARG_SRC, 2, 0, nullptr, dnnl_u8},
        {"groups", dnnl_success, DNNL_ARG_WEIGHTS, 3, 2, groups.data(), dnnl_s8},
        {"four-bit groups", dnnl_success, DNNL_ARG_WEIGHTS, 3, 2, groups.data(), dnnl_u4},
        {"a host scalar", dnnl_success, DNNL_ARG_SRC, 0, 0, nullptr, dnnl_s32, 1},
        {"a negative mask", dnnl_invalid_arguments, DNNL_ARG_SRC, -1, 0, nullptr, dnnl_s32},
        {"floats", dnnl_invalid_arguments, DNNL_ARG_SRC, 0, 0, nullptr, dnnl_f32},
        {"a single four-bit one", dnnl_invalid_arguments, DNNL_ARG_WEIGHTS, 0, 0, nullptr, dnnl_s4},
        {"an eight-bit dst", dnnl_invalid_arguments, DNNL_ARG_DST, 0, 0, nullptr, dnnl_s8},
        {"groups of dst", dnnl_invalid_arguments, DNNL_ARG_DST, 3, 2, groups.data(), dnnl_s32},
        {"one group axis", dnnl_invalid_arguments, DNNL_ARG_SRC, 1, 1, groups.data(), dnnl_s32},
        {"a group of nothing", dnnl_invalid_arguments, DNNL_ARG_SRC, 3, 2, zero_group.data(),
                dnnl_s32},
        {"groups without a mask", dnnl_invalid_arguments, DNNL_ARG_SRC, 0, 2, groups.data(),
                dnnl_s32},
        {"many host scalars", dnnl_invalid_arguments, DNNL_ARG_SRC, 1, 0, nullptr, dnnl_s32, 1},
};

TEST(attr, zero_points_are_checked_by_each_form_of_their_setter) {
    for (const quantization_case_t &each : zero_point_cases) {
        const auto attr = make_attr();
        if (!each.on_host) {
            EXPECT_EQ(dnnl_primitive_attr_set_zero_points(attr, each.arg, each.mask,
                              each.group_ndims, each.group_dims, each.data_type),
                    each.expected)
                    << each.what;
        }
        EXPECT_EQ(dnnl_primitive_attr_set_zero_points_v2(attr, each.arg, each.mask,
                          each.group_ndims, each.group_dims, each.data_type, each.on_host),
                each.expected)
                << each.what;
    }
}

TEST(attr, precomputed_reductions_are_checked) {
    const quantization_case_t cases[] = {
            {"of src", dnnl_success, DNNL_ARG_SRC, 3, 2, groups.data(), dnnl_s32},
            {"of weights", dnnl_invalid_arguments, DNNL_ARG_WEIGHTS, 1, 0, nullptr, dnnl_s32},
            {"of dst", dnnl_invalid_arguments, DNNL_ARG_DST, 1, 0, nullptr, dnnl_s32},
            {"floats", dnnl_invalid_arguments, DNNL_ARG_SRC, 1, 0, nullptr, dnnl_f32},
            {"a negative mask", dnnl_invalid_arguments, DNNL_ARG_SRC, -1, 0, nullptr, dnnl_s32},
            {"one group axis", dnnl_invalid_arguments, DNNL_ARG_SRC, 1, 1, groups.data(), dnnl_s32},
            {"groups without a mask", dnnl_invalid_arguments, DNNL_ARG_SRC, 0, 2, groups.data(),
                    dnnl_s32},
    };
    for (const quantization_case_t &each : cases)
        EXPECT_EQ(dnnl_primitive_attr_set_precomputed_reductions(make_attr(), each.arg, each.mask,
                          each.group_ndims, each.group_dims, each.data_type),
                each.expected)
                << each.what;
}

/// Whether an int8 layer normalization, which supports one scale of src and one of dst, accepts
/// `attr`.
dnnl_status_t offered(const_dnnl_primitive_attr_t attr) {
    const auto md = make_desc({4, 16}, dnnl_s8);
    primitive_desc_handle_t pd;
    return dnnl_layer_normalization_forward_primitive_desc_create(
            pd.out(), cpu_engine(), dnnl_forward_inference, md, md, nullptr, 1e-5f, 0, attr);
}

TEST(attr, what_was_set_reaches_the_operation) {
    auto attr = make_attr();
    EXPECT_EQ(offered(attr), dnnl_success);
    EXPECT_EQ(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0), dnnl_success);
    EXPECT_EQ(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_DST, 0), dnnl_success);
    EXPECT_EQ(offered(attr), dnnl_success);

    EXPECT_EQ(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 1), dnnl_success);
    EXPECT_EQ(offered(attr), dnnl_unimplemented);
    EXPECT_EQ(offered(copy_of(attr)), dnnl_unimplemented);
    EXPECT_EQ(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0), dnnl_success);
    EXPECT_EQ(offered(attr), dnnl_success) << "a later setting does not replace an earlier one";

    EXPECT_EQ(dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_SRC, 0), dnnl_success);
    EXPECT_EQ(offered(attr), dnnl_unimplemented);

    attr = make_attr();
    EXPECT_EQ(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_WEIGHTS, 0), dnnl_success);
    EXPECT_EQ(offered(attr), dnnl_unimplemented);

    attr = make_attr();
    EXPECT_EQ(dnnl_primitive_attr_set_rounding(attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic),
            dnnl_success);
    EXPECT_EQ(offered(attr), dnnl_unimplemented);

    attr = make_attr();
    EXPECT_EQ(dnnl_primitive_attr_set_dropout(attr, make_desc({4, 16}, dnnl_u8)), dnnl_success);
    EXPECT_EQ(offered(attr), dnnl_unimplemented);

    attr = make_attr();
    EXPECT_EQ(dnnl_primitive_attr_set_precomputed_reductions(
                      attr, DNNL_ARG_SRC, 1, 0, nullptr, dnnl_s32),
            dnnl_success);
    EXPECT_EQ(offered(attr), dnnl_unimplemented);
}

TEST(attr, modes_that_allow_more_do_not_refuse_an_operation) {
    const auto attr = make_attr();
    EXPECT_EQ(dnnl_primitive_attr_set_fpmath_mode(attr, dnnl_fpmath_mode_any), dnnl_success);
    EXPECT_EQ(dnnl_primitive_attr_set_deterministic(attr, 1), dnnl_success);
    EXPECT_EQ(
            dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user), dnnl_success);
    EXPECT_EQ(dnnl_primitive_attr_set_accumulation_mode(attr, dnnl_accumulation_mode_any),
            dnnl_success);
    EXPECT_EQ(offered(attr), dnnl_success);
}

} // namespace

} // namespace kiln::test
