// SPDX-License-Identifier: Apache-2.0
// Every legal combination of flags in every propagation kind and data type, and the illegal ones;
// every number of groups.
#include <cmath>

#include <gtest/gtest.h>

#include "channel_normalization/backward_case.hpp"
#include "channel_normalization/forward_case.hpp"

namespace kiln::test::channel_normalization {

namespace {

const std::vector<dnnl_data_type_t> float_types{dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64};

problem_t small(dnnl_prop_kind_t prop_kind, unsigned flags, int64_t groups = 4) {
    problem_t problem;
    problem.prop_kind = prop_kind;
    problem.dims = {3, 24, 3, 5};
    problem.groups = groups;
    problem.flags = flags;
    return problem;
}

testing::AssertionResult is_right(const problem_t &problem) {
    return problem.is_forward() ? is_forward_right(problem) : is_backward_right(problem);
}

TEST(group_normalization_flags, every_combination_is_honoured) {
    for (const auto prop_kind :
            {dnnl_forward_training, dnnl_forward_inference, dnnl_backward, dnnl_backward_data})
        for (const unsigned flags : all_flags())
            for (const auto type : float_types)
                for (const std::string format : {"abcd", "acdb"}) {
                    auto problem = small(prop_kind, flags);
                    problem.set_types(type);
                    problem.set_formats(format);
                    EXPECT_TRUE(is_right(problem));
                }
}

TEST(group_normalization_flags, any_divisor_of_the_channels_is_a_number_of_groups) {
    for (const auto prop_kind : {dnnl_forward_training, dnnl_backward})
        for (int64_t groups = -1; groups <= 48; ++groups) {
            const auto problem = small(prop_kind, scale | shift, groups);
            if (groups > 0 && 24 % groups == 0) {
                EXPECT_TRUE(is_right(problem));
                continue;
            }
            if (groups == 0) continue; // problem_t's batch normalization; see refusals
            primitive_desc_handle_t primitive_desc;
            EXPECT_EQ(make_primitive_desc(primitive_desc, problem), dnnl_invalid_arguments)
                    << groups;
        }
}

TEST(group_normalization_flags, epsilon_is_added_to_the_variance) {
    for (const float epsilon : {0.0f, 1e-12f, 1e-3f, 0.5f, 10.0f})
        for (const auto prop_kind : {dnnl_forward_training, dnnl_backward}) {
            auto problem = small(prop_kind, scale);
            problem.epsilon = epsilon;
            EXPECT_TRUE(is_right(problem)) << epsilon;
        }
}

TEST(group_normalization_flags, others_are_refused) {
    for (const auto prop_kind :
            {dnnl_forward_training, dnnl_forward_inference, dnnl_backward, dnnl_backward_data})
        for (const unsigned flags :
                {relu, add_relu, unsigned(dnnl_rms_norm), scale | relu, 0x40u, 0x80000000u, ~0u}) {
            primitive_desc_handle_t primitive_desc;
            EXPECT_EQ(make_primitive_desc(primitive_desc, small(prop_kind, flags)),
                    dnnl_invalid_arguments)
                    << std::hex << flags;
        }
}

// The shift plays no part in any gradient: oneDNN programs that pass it run as they did.
TEST(group_normalization_flags, backward_ignores_a_shift) {
    for (const auto prop_kind : {dnnl_backward, dnnl_backward_data}) {
        const backward_case_t backward(small(prop_kind, scale | shift));
        tensor_t shift_tensor(make_desc({24}, dnnl_f32));
        shift_tensor.fill(std::vector<double>(24, 1e30));
        auto arguments = backward.arguments();
        arguments.add(DNNL_ARG_SHIFT, shift_tensor.memory());
        ASSERT_EQ(arguments.execute(backward.primitive()), dnnl_success);
        EXPECT_TRUE(backward.is_right());
    }
}

// Forward ignores what its flags do not ask for, whatever shape it has.
TEST(group_normalization_flags, forward_ignores_operands_without_their_flag) {
    const forward_case_t forward(small(dnnl_forward_inference, 0));
    tensor_t other(make_desc({5}, dnnl_f32));
    auto arguments = forward.arguments();
    for (const int arg : {DNNL_ARG_SCALE, DNNL_ARG_SHIFT, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE,
                 DNNL_ARG_SRC_1, DNNL_ARG_DIFF_SCALE, DNNL_ARG_WORKSPACE})
        arguments.add(arg, other.memory());
    ASSERT_EQ(arguments.execute(forward.primitive()), dnnl_success);
    EXPECT_TRUE(forward.is_right());
    EXPECT_TRUE(other.is_tidy());
    EXPECT_TRUE(std::isnan(other.value({0})));
}

} // namespace

} // namespace kiln::test::channel_normalization
