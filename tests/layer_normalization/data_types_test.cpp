// SPDX-License-Identifier: Apache-2.0
// Layer normalization in every mix of data types.
#include <gtest/gtest.h>

#include "layer_normalization/backward_case.hpp"
#include "layer_normalization/forward_case.hpp"

namespace kiln::test::layer_normalization {

namespace {

const std::vector<dnnl_data_type_t> forward_types{
        dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64, dnnl_s8, dnnl_u8};
const std::vector<dnnl_data_type_t> backward_types{dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64};
const std::vector<dnnl_data_type_t> weight_types{dnnl_f32, dnnl_bf16, dnnl_f16};

// A row that no vector length divides, and one that all do.
const std::vector<dims_t> shapes{{5, 37}, {3, 2, 64}};

TEST(layer_normalization_data_types, forward_takes_any_pair) {
    for (const auto src : forward_types)
        for (const auto dst : forward_types)
            for (const auto &dims : shapes)
                for (const unsigned flags : {scale | shift, global_stats | scale, shift | rms}) {
                    problem_t problem;
                    problem.dims = dims;
                    problem.flags = flags;
                    problem.src_type = src;
                    problem.dst_type = dst;
                    EXPECT_TRUE(is_forward_right(problem));
                }
}

TEST(layer_normalization_data_types, forward_takes_any_pair_in_inference) {
    for (const auto src : forward_types)
        for (const auto dst : forward_types)
            for (const std::string format : {"abc", "acb", "abc+3"}) {
                problem_t problem;
                problem.prop_kind = dnnl_forward_inference;
                problem.dims = {3, 4, 21};
                problem.flags = scale | shift;
                problem.src_type = src;
                problem.dst_type = dst;
                problem.src_format = problem.dst_format = format;
                EXPECT_TRUE(is_forward_right(problem));
            }
}

TEST(layer_normalization_data_types, forward_takes_any_type_of_scale_and_shift) {
    for (const auto src : forward_types)
        for (const auto weights : weight_types)
            for (const unsigned flags : {scale, shift, scale | shift, scale | rms}) {
                problem_t problem;
                problem.dims = {4, 29};
                problem.flags = flags;
                problem.src_type = problem.dst_type = src;
                problem.scale_shift_type = weights;
                EXPECT_TRUE(is_forward_right(problem));
            }
}

TEST(layer_normalization_data_types, backward_takes_any_triple) {
    for (const auto src : backward_types)
        for (const auto diff_dst : backward_types)
            for (const auto diff_src : backward_types)
                for (const auto &dims : shapes)
                    for (const unsigned flags :
                            {scale | shift, global_stats | scale, rms | scale}) {
                        problem_t problem;
                        problem.prop_kind = dnnl_backward;
                        problem.dims = dims;
                        problem.flags = flags;
                        problem.src_type = src;
                        problem.dst_type = diff_dst;
                        problem.diff_src_type = diff_src;
                        EXPECT_TRUE(is_backward_right(problem));
                    }
}

TEST(layer_normalization_data_types, backward_takes_any_type_of_weights_and_their_gradients) {
    for (const auto src : backward_types)
        for (const auto weights : weight_types)
            for (const auto diff_weights : weight_types)
                for (const auto prop_kind : {dnnl_backward, dnnl_backward_data}) {
                    problem_t problem;
                    problem.prop_kind = prop_kind;
                    problem.dims = {6, 29};
                    problem.flags = scale | shift;
                    problem.src_type = problem.dst_type = problem.diff_src_type = src;
                    problem.scale_shift_type = weights;
                    problem.diff_scale_shift_type = diff_weights;
                    EXPECT_TRUE(is_backward_right(problem));
                }
}

TEST(layer_normalization_data_types, statistics_may_be_f64_for_f64_data) {
    for (const unsigned flags : all_flags()) {
        problem_t problem;
        problem.dims = {3, 4, 15};
        problem.flags = flags;
        problem.src_type = problem.dst_type = problem.diff_src_type = dnnl_f64;
        problem.stat_type = dnnl_f64;
        EXPECT_TRUE(is_forward_right(problem));
        problem.prop_kind = dnnl_backward;
        EXPECT_TRUE(is_backward_right(problem));
    }
}

TEST(layer_normalization_data_types, other_statistics_are_refused) {
    for (const auto prop_kind : {dnnl_forward_training, dnnl_backward})
        for (const auto stat : {dnnl_f64, dnnl_bf16, dnnl_f16, dnnl_s32}) {
            problem_t problem;
            problem.prop_kind = prop_kind;
            problem.dims = {3, 8};
            problem.stat_type = stat;
            primitive_desc_handle_t primitive_desc;
            EXPECT_EQ(make_primitive_desc(primitive_desc, problem), dnnl_unimplemented)
                    << to_string(problem);
        }
}

TEST(layer_normalization_data_types, other_data_is_refused) {
    for (const auto type : {dnnl_s32, dnnl_f8_e5m2, dnnl_f8_e4m3, dnnl_e8m0}) {
        problem_t problem;
        problem.dims = {3, 8};
        primitive_desc_handle_t primitive_desc;
        problem.src_type = type;
        EXPECT_EQ(make_primitive_desc(primitive_desc, problem), dnnl_unimplemented)
                << to_string(problem);
        problem.src_type = dnnl_f32;
        problem.dst_type = type;
        EXPECT_EQ(make_primitive_desc(primitive_desc, problem), dnnl_unimplemented)
                << to_string(problem);
    }
}

TEST(layer_normalization_data_types, integers_are_refused_in_the_backward_pass) {
    for (const auto type : {dnnl_s8, dnnl_u8, dnnl_s32})
        for (int operand = 0; operand < 3; ++operand) {
            problem_t problem;
            problem.prop_kind = dnnl_backward;
            problem.dims = {3, 8};
            (operand == 0          ? problem.src_type
                    : operand == 1 ? problem.dst_type
                                   : problem.diff_src_type) = type;
            primitive_desc_handle_t primitive_desc;
            EXPECT_EQ(make_primitive_desc(primitive_desc, problem), dnnl_unimplemented)
                    << to_string(problem);
        }
}

TEST(layer_normalization_data_types, other_scales_and_shifts_are_refused) {
    for (const auto type : {dnnl_s8, dnnl_s32, dnnl_f64})
        for (const unsigned flag : {scale, shift}) {
            problem_t problem;
            problem.dims = {3, 8};
            problem.flags = flag;
            problem.scale_shift_type = type;
            primitive_desc_handle_t primitive_desc;
            EXPECT_EQ(make_primitive_desc(primitive_desc, problem), dnnl_unimplemented)
                    << to_string(problem);
        }
}

} // namespace

} // namespace kiln::test::layer_normalization
