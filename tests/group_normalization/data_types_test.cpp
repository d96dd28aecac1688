// SPDX-License-Identifier: Apache-2.0
// Group normalization in every mix of data types, and with quantization scales.
#include <gtest/gtest.h>

#include "channel_normalization/backward_case.hpp"
#include "channel_normalization/forward_case.hpp"

namespace kiln::test::channel_normalization {

namespace {

const std::vector<dnnl_data_type_t> forward_types{
        dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64, dnnl_s8, dnnl_u8};
const std::vector<dnnl_data_type_t> backward_types{dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64};
const std::vector<std::string> formats{"abcd", "acdb", "aBcd16b"};

problem_t small(dnnl_prop_kind_t prop_kind, unsigned flags = scale | shift) {
    problem_t problem;
    problem.prop_kind = prop_kind;
    problem.dims = {2, 21, 5, 7};
    problem.groups = 7;
    problem.flags = flags;
    return problem;
}

TEST(group_normalization_data_types, forward_takes_any_pair) {
    for (const auto src : forward_types)
        for (const auto dst : forward_types)
            for (const auto &format : formats)
                for (const unsigned flags : {scale | shift, global_stats | scale})
                    for (const auto prop_kind : {dnnl_forward_training, dnnl_forward_inference}) {
                        auto problem = small(prop_kind, flags);
                        problem.src_type = src;
                        problem.dst_type = dst;
                        problem.set_formats(format);
                        EXPECT_TRUE(is_forward_right(problem));
                    }
}

TEST(group_normalization_data_types, backward_takes_any_triple) {
    for (const auto src : backward_types)
        for (const auto diff_dst : backward_types)
            for (const auto diff_src : backward_types)
                for (const auto &format : formats) {
                    auto problem = small(dnnl_backward);
                    problem.src_type = src;
                    problem.dst_type = diff_dst;
                    problem.diff_src_type = diff_src;
                    problem.set_formats(format);
                    EXPECT_TRUE(is_backward_right(problem));
                }
}

dnnl_status_t create(const problem_t &problem) {
    primitive_desc_handle_t primitive_desc;
    return make_primitive_desc(primitive_desc, problem);
}

TEST(group_normalization_data_types, others_are_refused) {
    for (const auto type : {dnnl_s32, dnnl_f8_e5m2, dnnl_f8_e4m3})
        for (const bool is_src : {false, true}) {
            auto problem = small(dnnl_forward_inference);
            (is_src ? problem.src_type : problem.dst_type) = type;
            EXPECT_EQ(create(problem), dnnl_unimplemented) << to_string(problem);
        }
    for (const auto type : {dnnl_s8, dnnl_u8, dnnl_s32})
        for (int which = 0; which < 3; ++which) {
            auto problem = small(dnnl_backward);
            (which == 0          ? problem.src_type
                    : which == 1 ? problem.dst_type
                                 : problem.diff_src_type) = type;
            EXPECT_EQ(create(problem), dnnl_unimplemented) << to_string(problem);
        }
}

struct types_t {
    dnnl_data_type_t src;
    dnnl_data_type_t dst;
};

// At least one of them is int8.
const std::vector<types_t> int8_types{{dnnl_s8, dnnl_f32}, {dnnl_u8, dnnl_bf16},
        {dnnl_f32, dnnl_s8}, {dnnl_f16, dnnl_u8}, {dnnl_s8, dnnl_s8}, {dnnl_u8, dnnl_u8},
        {dnnl_u8, dnnl_f64}};

TEST(group_normalization_data_types, scales_multiply_after_the_shift_and_divide_at_the_end) {
    for (const auto &types : int8_types)
        for (const auto &format : formats)
            for (const bool has_src : {false, true})
                for (const bool has_dst : {false, true})
                    for (const unsigned flags : {scale | shift, 0u, global_stats | shift}) {
                        auto problem = small(dnnl_forward_training, flags);
                        problem.src_type = types.src;
                        problem.dst_type = types.dst;
                        problem.set_formats(format);
                        if (has_src) problem.src_scale = scale_attr_t{0.4375};
                        if (has_dst) problem.dst_scale = scale_attr_t{1.75};
                        EXPECT_TRUE(is_forward_right(problem));
                    }
}

TEST(group_normalization_data_types, scales_may_be_bf16_or_f16_and_on_the_host) {
    for (const auto &types : int8_types)
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16})
            for (const bool is_on_host : {false, true}) {
                auto problem = small(dnnl_forward_inference);
                problem.src_type = types.src;
                problem.dst_type = types.dst;
                problem.src_scale = scale_attr_t{0.3, type, is_on_host};
                problem.dst_scale = scale_attr_t{1.9, type, is_on_host};
                EXPECT_TRUE(is_forward_right(problem));
            }
}

// Post-ops stand between the two scales.
TEST(group_normalization_data_types, post_ops_come_between_the_scales) {
    for (const auto &types : int8_types)
        for (const auto &format : formats) {
            auto problem = small(dnnl_forward_inference);
            problem.src_type = types.src;
            problem.dst_type = types.dst;
            problem.set_formats(format);
            problem.src_scale = scale_attr_t{0.4375};
            problem.dst_scale = scale_attr_t{1.75};
            problem.post_ops = {{.alg = dnnl_eltwise_linear, .alpha = 0.5f, .beta = 3},
                    {.alg = dnnl_binary_add, .mask = 2}};
            EXPECT_TRUE(is_forward_right(problem));
        }
}

TEST(group_normalization_data_types, scales_need_int8_and_one_value) {
    auto problem = small(dnnl_forward_inference);
    problem.src_scale = scale_attr_t{2};
    EXPECT_EQ(create(problem), dnnl_unimplemented);
    problem.dst_type = dnnl_s8;
    EXPECT_EQ(create(problem), dnnl_success);
    for (const int arg : {DNNL_ARG_SRC, DNNL_ARG_DST, DNNL_ARG_WEIGHTS}) {
        const auto attr = test::make_attr();
        const int mask = arg == DNNL_ARG_SRC || arg == DNNL_ARG_DST ? 2 : 0;
        require(dnnl_primitive_attr_set_scales_mask(attr, arg, mask), "set_scales_mask");
        primitive_desc_handle_t primitive_desc;
        EXPECT_EQ(make_primitive_desc(primitive_desc, problem,
                          static_cast<const_dnnl_primitive_attr_t>(attr), nullptr),
                dnnl_unimplemented)
                << arg;
    }
}

} // namespace

} // namespace kiln::test::channel_normalization
