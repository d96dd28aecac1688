// SPDX-License-Identifier: Apache-2.0
// Batch normalization backward behind a ReLU whose operand is an argument: every implementation
// against the model, in every layout and type; what is refused.
#include <limits>

#include <gtest/gtest.h>

#include "normalization/case.hpp"
#include "normalization/internal.hpp"
#include "support/execution_checks.hpp"
#include "support/internal_primitive_desc.hpp"
#include "support/thread_checks.hpp"

namespace kiln::test::normalization {

namespace {

constexpr dnnl_data_type_t float_types[]{dnnl_f32, dnnl_bf16, dnnl_f16};

problem_t of_size(dims_t dims, unsigned flags) {
    problem_t problem;
    problem.create = create_internally;
    problem.operation = operation_t::batch;
    problem.prop_kind = dnnl_backward;
    problem.dims = std::move(dims);
    problem.flags = flags;
    problem.relu_operand = {dnnl_f32, ""};
    return problem;
}

/// The same type for all tensors.
void set_types(problem_t &problem, dnnl_data_type_t type) {
    problem.set_types(type);
    problem.relu_operand.type = type;
}

dnnl_status_t status_of(const batch_normalization_desc_t &desc) {
    return internal_status<batch_normalization_pd_t>(desc);
}

TEST(relu_operand, is_right_for_all_flags_layouts_and_types) {
    for (const unsigned flags : all_flags())
        for (const std::string format : {"abcd", "acdb", "aBcd8b", "aBcd16b", "acdb+3", "abcd+1"})
            for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64}) {
                auto problem = of_size({2, 19, 7, 5}, flags);
                problem.set_formats(format);
                set_types(problem, type);
                EXPECT_TRUE(is_right(problem));
            }
}

TEST(relu_operand, is_right_for_all_shapes) {
    const dims_t sizes[]{{5, 70}, {64, 3}, {1, 1}, {3, 33, 1, 1}, {2, 16, 9}, {1, 3, 40, 41},
            {2, 5, 3, 4, 5}, {3, 40, 1, 13}, {40, 13, 7, 7}, {1, 300, 16, 20}};
    const std::string plain[]{"", "", "ab", "abc", "abcd", "abcde"};
    const std::string channels_last[]{"", "", "ba", "acb", "acdb", "acdeb"};
    for (const dims_t &dims : sizes)
        for (const auto &formats : {plain, channels_last})
            for (const auto placement : {placement_t::ends_at_guard, placement_t::begins_at_guard})
                for (const auto type : float_types) {
                    auto problem = of_size(dims, scale | shift);
                    problem.set_formats(formats[dims.size()]);
                    set_types(problem, type);
                    problem.placement = placement;
                    EXPECT_TRUE(is_right(problem));
                }
}

TEST(relu_operand, may_have_a_type_of_its_own) {
    for (const std::string format : {"abcd", "acdb", "aBcd16b"})
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64, dnnl_s32, dnnl_s8}) {
            auto problem = of_size({2, 35, 6, 7}, scale | shift);
            problem.set_formats(format);
            problem.relu_operand.type = type;
            EXPECT_TRUE(is_right(problem));
        }
}

// The reference computes where no kernel takes relu in a layout other than that of src and dst.
TEST(relu_operand, may_have_a_layout_of_its_own) {
    for (const std::string format : {"abcd", "acdb"})
        for (const std::string relu_format : {"abcd", "acdb", "acdb+2", "aBcd16b", "dcba"}) {
            auto problem = of_size({2, 16, 3, 4}, scale | shift);
            problem.set_formats(format);
            problem.relu_operand.format = relu_format;
            EXPECT_TRUE(is_right(problem));
        }
}

TEST(relu_operand, is_taken_by_the_kernels) {
    if (!generates_kernels()) GTEST_SKIP() << "no ISA that code is generated for";
    auto problem = of_size({2, 19, 7, 7}, scale | shift);
    EXPECT_EQ(implementations(problem).front(), "jit:channel_planes");
    for (const std::string format : {"acdb", "acdb+3", "aBcd16b"}) {
        problem.set_formats(format);
        EXPECT_EQ(implementations(problem).front(), "jit:channel_columns") << format;
    }
    problem.set_formats("acdb");
    problem.relu_operand.format = "abcd";
    EXPECT_EQ(implementations(problem).front(), "jit:relaid");
    EXPECT_TRUE(is_right(problem));
}

TEST(relu_operand, an_open_layout_follows_diff_dst) {
    for (const std::string format : {"abcd", "acdb", "aBcd16b", "acdb+3"}) {
        auto problem = of_size({2, 19, 7, 7}, scale | shift);
        problem.set_formats(format);
        problem.relu_operand.format = "any";
        EXPECT_TRUE(is_right(problem));
        const auto primitive_desc = accepted_primitive_desc(problem);
        const auto &pd = *(*primitive_desc).pd;
        EXPECT_TRUE(pd.md_of(DNNL_ARG_DST) == pd.md_of(DNNL_ARG_DIFF_DST)
                    || format == "acdb+3"); // whose gaps are its own
    }
}

TEST(relu_operand, gradients_may_be_left_out_and_in_place) {
    for (const std::string format : {"abcd", "acdb"})
        for (const unsigned flags : {scale | shift, scale | shift | global_stats}) {
            auto problem = of_size({2, 18, 9, 4}, flags);
            problem.set_formats(format);
            for_each_case(problem, [](case_t &tested) { expect_any_subset_of_outputs(tested); });
            for (const int place : {DNNL_ARG_DIFF_DST, DNNL_ARG_DST, DNNL_ARG_SRC}) {
                problem.dst_over = place;
                EXPECT_TRUE(is_right(problem));
            }
        }
}

// What does not pass is 0, whatever it was.
TEST(relu_operand, stops_a_gradient_that_is_not_finite) {
    for (const std::string format : {"abcd", "acdb", "aBcd16b"}) {
        auto problem = of_size({2, 19, 7, 7}, scale | shift);
        problem.set_formats(format);
        for_each_case(problem, [](case_t &tested) {
            const auto relu = tested.tensor(DNNL_ARG_DST).values();
            auto diff_dst = tested.tensor(DNNL_ARG_DIFF_DST).values();
            for (size_t i = 0; i < relu.size(); ++i)
                if (!(relu[i] > 0)) diff_dst[i] = std::numeric_limits<double>::infinity();
            tested.refill(DNNL_ARG_DIFF_DST, diff_dst);
            ASSERT_EQ(tested.execute(), dnnl_success);
            EXPECT_TRUE(tested.is_right());
        });
    }
}

TEST(relu_operand, any_number_of_threads_gives_the_same_bits) {
    for (const std::string format : {"abcd", "acdb", "aBcd16b"})
        for (const dims_t &dims : {dims_t{5, 70, 9, 9}, dims_t{1, 16, 120, 121}}) {
            auto problem = of_size(dims, scale | shift);
            problem.set_formats(format);
            for_each_maker(problem, [](const make_case_t &make) {
                expect_same_bits_for_any_number_of_threads(make);
            });
        }
}

TEST(relu_operand, belongs_to_a_gradient_without_a_mask_and_has_its_shape) {
    const auto desc = batch_desc_of(of_size({2, 19, 7, 7}, scale | shift));
    EXPECT_EQ(status_of(desc), dnnl_success);
    for (const unsigned function : {relu, add_relu}) {
        auto masked = desc;
        masked.flags |= function;
        EXPECT_EQ(status_of(masked), dnnl_unimplemented);
    }
    for (const auto prop_kind : {dnnl_forward_training, dnnl_forward_inference}) {
        auto forward = desc;
        forward.prop_kind = prop_kind;
        forward.dst = forward.diff_dst;
        forward.diff_src = forward.diff_dst = {};
        EXPECT_EQ(status_of(forward), dnnl_unimplemented);
    }
    for (const dims_t &dims : {dims_t{2, 19, 7, 6}, dims_t{2, 19, 7}}) {
        auto other = desc;
        other.relu_operand = *make_desc(dims, dnnl_f32);
        EXPECT_EQ(status_of(other), dnnl_invalid_arguments);
    }
}

TEST(relu_operand, tells_problems_apart_and_shows_in_verbose_lines) {
    auto desc = batch_desc_of(of_size({2, 19, 7, 7}, scale | shift));
    const auto with = accepted_internal<batch_normalization_pd_t>(desc);
    desc.relu_operand = {};
    const auto without = accepted_internal<batch_normalization_pd_t>(desc);
    EXPECT_FALSE((*with).pd->same_primitive(*(*without).pd));
    EXPECT_NE(info_of(with).find("relu_operand:f32::blocked:abcd"), std::string::npos)
            << info_of(with);
}

TEST(relu_operand, without_elements_gradients_of_weights_are_zero) {
    auto problem = of_size({0, 5, 3, 3}, scale | shift);
    const case_t tested(problem);
    ASSERT_EQ(tested.execute(), dnnl_success);
    expect_zero_outputs(tested);
}

} // namespace

} // namespace kiln::test::normalization
