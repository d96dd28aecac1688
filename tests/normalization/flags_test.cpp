// SPDX-License-Identifier: Apache-2.0
// Every legal combination of flags in every propagation kind and data type, and the illegal ones.
#include <limits>

#include "normalization/operation_test.hpp"
#include "support/execution_checks.hpp"

namespace kiln::test::normalization {

namespace {

constexpr dnnl_prop_kind_t prop_kinds[]{
        dnnl_forward_training, dnnl_forward_inference, dnnl_backward, dnnl_backward_data};

class normalization_flags : public operation_test_t {
protected:
    static problem_t small(dnnl_prop_kind_t prop_kind, unsigned flags) {
        auto problem = problem_of(is_layer()   ? dims_t{7, 3, 27}
                                  : is_batch() ? dims_t{3, 19, 3, 5}
                                               : dims_t{3, 24, 3, 5},
                flags, "", prop_kind);
        if (problem.groups) problem.groups = 4;
        return problem;
    }
};

TEST_P(normalization_flags, every_combination_is_honoured) {
    for (const auto prop_kind : prop_kinds)
        for (const unsigned flags : all_flags())
            for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64})
                for (const auto *format :
                        is_layer() ? std::vector{"abc"} : std::vector{"abcd", "acdb"}) {
                    auto problem = small(prop_kind, flags);
                    problem.set_types(type);
                    problem.set_formats(format);
                    EXPECT_TRUE(is_right(problem));
                }
}

TEST_P(normalization_flags, epsilon_is_added_to_the_variance) {
    for (const float epsilon : {std::numeric_limits<float>::min(), 1e-12f, 1e-3f, 0.5f, 10.0f})
        for (const unsigned function : functions())
            for (const auto prop_kind : {dnnl_forward_training, dnnl_backward}) {
                auto problem = small(prop_kind, function | scale);
                problem.epsilon = epsilon;
                EXPECT_TRUE(is_right(problem)) << epsilon;
            }
}

TEST_P(normalization_flags, others_are_refused) {
    std::vector<unsigned> illegal{0x40u, 0x80000000u, ~0u, relu | add_relu};
    if (!is_layer()) illegal.insert(illegal.end(), {rms, scale | rms});
    if (!is_batch()) illegal.insert(illegal.end(), {relu, add_relu, scale | relu});
    for (const auto prop_kind : prop_kinds)
        for (const unsigned flags : illegal)
            EXPECT_EQ(creation_status(small(prop_kind, flags)), dnnl_invalid_arguments)
                    << std::hex << flags;
}

INSTANTIATE_FOR_OPERATIONS(normalization_flags);

TEST(layer_normalization_flags, rms_norm_has_no_mean) {
    for (const auto prop_kind : {dnnl_forward_training, dnnl_backward}) {
        problem_t problem;
        problem.prop_kind = prop_kind;
        problem.dims = {7, 3, 27};
        problem.flags = rms | scale;
        expect_unused_arguments_do_no_harm(case_t(problem), {DNNL_ARG_MEAN});
    }
}

TEST(group_normalization_flags, any_divisor_of_the_channels_is_a_number_of_groups) {
    for (const auto prop_kind : {dnnl_forward_training, dnnl_backward})
        for (int64_t groups = -12; groups <= 48; ++groups) {
            problem_t problem;
            problem.operation = operation_t::group;
            problem.prop_kind = prop_kind;
            problem.dims = {3, 24, 3, 5};
            problem.groups = groups;
            problem.flags = scale | shift;
            if (groups > 0 && 24 % groups == 0)
                EXPECT_TRUE(is_right(problem));
            else
                EXPECT_EQ(creation_status(problem), dnnl_invalid_arguments) << groups;
        }
}

} // namespace

} // namespace kiln::test::normalization
