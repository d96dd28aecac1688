// SPDX-License-Identifier: Apache-2.0
// Every legal combination of flags in every propagation kind and data type, and the illegal ones.
#include <cmath>

#include <gtest/gtest.h>

#include "channel_normalization/backward_case.hpp"
#include "channel_normalization/forward_case.hpp"

namespace kiln::test::channel_normalization {

namespace {

const std::vector<dnnl_data_type_t> float_types{dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64};
const std::vector<unsigned> fused{0, relu, add_relu};

problem_t small(dnnl_prop_kind_t prop_kind, unsigned flags, dnnl_data_type_t type) {
    problem_t problem;
    problem.prop_kind = prop_kind;
    problem.dims = {3, 19, 3, 5};
    problem.flags = flags;
    problem.set_types(type);
    return problem;
}

TEST(batch_normalization_flags, forward_honours_every_combination) {
    for (const auto prop_kind : {dnnl_forward_training, dnnl_forward_inference})
        for (const unsigned flags : all_flags(fused))
            for (const auto type : float_types)
                for (const auto &format : {"abcd", "acdb"}) {
                    auto problem = small(prop_kind, flags, type);
                    problem.set_formats(format);
                    EXPECT_TRUE(is_forward_right(problem));
                }
}

TEST(batch_normalization_flags, backward_honours_every_combination) {
    for (const auto prop_kind : {dnnl_backward, dnnl_backward_data})
        for (const unsigned flags : all_flags(fused))
            for (const auto type : float_types)
                for (const auto &format : {"abcd", "acdb"}) {
                    auto problem = small(prop_kind, flags, type);
                    problem.set_formats(format);
                    EXPECT_TRUE(is_backward_right(problem));
                }
}

TEST(batch_normalization_flags, epsilon_is_added_to_the_variance) {
    for (const float epsilon : {0.0f, 1e-12f, 1e-3f, 0.5f, 10.0f}) {
        auto problem = small(dnnl_forward_training, 0, dnnl_f32);
        problem.epsilon = epsilon;
        EXPECT_TRUE(is_forward_right(problem)) << epsilon;
        problem = small(dnnl_backward, scale, dnnl_f32);
        problem.epsilon = epsilon;
        EXPECT_TRUE(is_backward_right(problem)) << epsilon;
    }
}

TEST(batch_normalization_flags, others_are_refused) {
    for (const auto prop_kind :
            {dnnl_forward_training, dnnl_forward_inference, dnnl_backward, dnnl_backward_data})
        for (const unsigned flags : {unsigned(dnnl_rms_norm), scale | dnnl_rms_norm,
                     relu | add_relu, 0x40u, 0x80000000u, ~0u}) {
            primitive_desc_handle_t primitive_desc;
            EXPECT_EQ(make_primitive_desc(primitive_desc, small(prop_kind, flags, dnnl_f32)),
                    dnnl_invalid_arguments)
                    << std::hex << flags;
        }
}

// The shift plays no part in any gradient: oneDNN programs that pass it run as they did.
TEST(batch_normalization_flags, backward_ignores_a_shift) {
    for (const auto prop_kind : {dnnl_backward, dnnl_backward_data}) {
        const backward_case_t backward(small(prop_kind, scale | shift, dnnl_f32));
        tensor_t shift_tensor(make_desc({19}, dnnl_f32));
        shift_tensor.fill(std::vector<double>(19, 1e30));
        auto arguments = backward.arguments();
        arguments.add(DNNL_ARG_SHIFT, shift_tensor.memory());
        ASSERT_EQ(arguments.execute(backward.primitive()), dnnl_success);
        EXPECT_TRUE(backward.is_right());
        EXPECT_EQ(shift_tensor.values(), std::vector<double>(19, double(1e30f)));
    }
}

// Forward ignores what its flags do not ask for, whatever shape it has.
TEST(batch_normalization_flags, forward_ignores_operands_without_their_flag) {
    const forward_case_t forward(small(dnnl_forward_inference, relu, dnnl_f32));
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
