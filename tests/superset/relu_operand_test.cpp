// SPDX-License-Identifier: Apache-2.0
// Batch normalization backward behind a ReLU whose operand is an argument: every implementation
// against the model, in every layout and type; what is refused.
#include <limits>

#include <gtest/gtest.h>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include "superset/internal_primitive_desc.hpp"
#include "superset/relu_operand_case.hpp"

namespace kiln::test::channel_normalization {

namespace {

constexpr dnnl_data_type_t float_types[]{dnnl_f32, dnnl_bf16, dnnl_f16};

relu_operand_problem_t of_size(
        dims_t dims, unsigned flags, dnnl_prop_kind_t prop_kind = dnnl_backward) {
    relu_operand_problem_t problem;
    problem.problem.prop_kind = prop_kind;
    problem.problem.dims = std::move(dims);
    problem.problem.flags = flags;
    return problem;
}

std::vector<std::string> implementations(const relu_operand_problem_t &problem) {
    return internal_implementations<batch_normalization_pd_t>(desc_of(problem));
}

/// By each implementation that accepts it.
testing::AssertionResult is_right(const relu_operand_problem_t &problem) {
    const auto names = implementations(problem);
    for (size_t at = 0; at < names.size(); ++at) {
        const relu_operand_case_t tested(problem, at);
        const std::string name = to_string(problem) + " by " + names[at] + ": ";
        if (const auto status = tested.execute(); status != dnnl_success)
            return testing::AssertionFailure() << name << dnnl_status2str(status);
        if (const auto verdict = tested.is_right(); !verdict)
            return testing::AssertionFailure() << name << verdict.message();
    }
    return testing::AssertionSuccess();
}

dnnl_status_t status_of(const batch_normalization_desc_t &desc) {
    primitive_desc_handle_t primitive_desc;
    return make_internal<batch_normalization_pd_t>(primitive_desc, desc);
}

TEST(relu_operand, is_right_for_all_flags_layouts_and_types) {
    for (const unsigned flags : all_flags())
        for (const std::string format : {"abcd", "acdb", "aBcd8b", "aBcd16b", "acdb+3", "abcd+1"})
            for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64}) {
                auto problem = of_size({2, 19, 7, 5}, flags);
                problem.set_formats(format);
                problem.set_types(type);
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
                    problem.set_types(type);
                    problem.problem.placement = placement;
                    EXPECT_TRUE(is_right(problem));
                }
}

TEST(relu_operand, may_have_a_type_of_its_own) {
    for (const std::string format : {"abcd", "acdb", "aBcd16b"})
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64, dnnl_s32, dnnl_s8}) {
            auto problem = of_size({2, 35, 6, 7}, scale | shift);
            problem.set_formats(format);
            problem.relu_type = type;
            EXPECT_TRUE(is_right(problem));
        }
}

// A layout that no kernel walks along with the others is the reference's.
TEST(relu_operand, may_have_a_layout_of_its_own) {
    for (const std::string format : {"abcd", "acdb"})
        for (const std::string relu_format : {"abcd", "acdb", "acdb+2", "aBcd16b", "dcba"}) {
            auto problem = of_size({2, 16, 3, 4}, scale | shift);
            problem.set_formats(format);
            problem.relu_format = relu_format;
            EXPECT_TRUE(is_right(problem));
        }
}

TEST(relu_operand, is_taken_by_the_kernels) {
    auto problem = of_size({2, 19, 7, 7}, scale | shift);
    EXPECT_EQ(implementations(problem).front(), "jit:channel_planes");
    for (const std::string format : {"acdb", "acdb+3", "aBcd16b"}) {
        problem.set_formats(format);
        EXPECT_EQ(implementations(problem).front(), "jit:channel_columns") << format;
    }
    problem.relu_format = "abcd";
    problem.set_formats("acdb");
    problem.relu_format = "abcd";
    EXPECT_EQ(implementations(problem).front(), "ref:any");
}

TEST(relu_operand, an_open_layout_follows_diff_dst) {
    for (const std::string format : {"abcd", "acdb", "aBcd16b", "acdb+3"}) {
        auto problem = of_size({2, 19, 7, 7}, scale | shift);
        problem.set_formats(format);
        problem.relu_format = "any";
        EXPECT_TRUE(is_right(problem));
        primitive_desc_handle_t primitive_desc;
        ASSERT_EQ(make_internal<batch_normalization_pd_t>(primitive_desc, desc_of(problem)),
                dnnl_success);
        const auto &pd = *(*primitive_desc).pd;
        EXPECT_TRUE(pd.md_of(DNNL_ARG_DST) == pd.md_of(DNNL_ARG_DIFF_DST)
                    || format == "acdb+3"); // whose gaps are its own
    }
}

TEST(relu_operand, gradients_may_be_left_out_and_in_place) {
    for (const std::string format : {"abcd", "acdb"})
        for (const int in_place_with : {0, DNNL_ARG_DIFF_DST, DNNL_ARG_DST, DNNL_ARG_SRC})
            for (const unsigned flags : {scale | shift, scale | shift | global_stats}) {
                auto problem = of_size({2, 18, 9, 4}, flags);
                problem.set_formats(format);
                problem.in_place_with = in_place_with;
                if (in_place_with != 0) {
                    EXPECT_TRUE(is_right(problem));
                    continue;
                }
                for (size_t at = 0; at < implementations(problem).size(); ++at)
                    for (unsigned subset = 0; subset < 8; ++subset) {
                        const relu_operand_case_t tested(problem, at);
                        auto arguments = tested.arguments();
                        std::vector<int> asked;
                        const auto outputs = tested.outputs();
                        for (size_t i = 0; i < outputs.size(); ++i)
                            if (subset >> i & 1)
                                asked.push_back(outputs[i]);
                            else
                                arguments = arguments.without(outputs[i]);
                        ASSERT_EQ(arguments.execute(tested.primitive()), dnnl_success);
                        EXPECT_TRUE(tested.is_right(asked)) << to_string(problem) << subset;
                    }
            }
}

// What does not pass is 0, whatever it was.
TEST(relu_operand, stops_a_gradient_that_is_not_finite) {
    for (const std::string format : {"abcd", "acdb", "aBcd16b"}) {
        auto problem = of_size({2, 19, 7, 7}, scale | shift);
        problem.set_formats(format);
        for (size_t at = 0; at < implementations(problem).size(); ++at) {
            relu_operand_case_t tested(problem, at);
            const auto relu = tested.tensor(DNNL_ARG_DST).values();
            auto diff_dst = tested.tensor(DNNL_ARG_DIFF_DST).values();
            for (size_t i = 0; i < relu.size(); ++i)
                if (!(relu[i] > 0)) diff_dst[i] = std::numeric_limits<double>::infinity();
            tested.set_diff_dst(diff_dst);
            ASSERT_EQ(tested.execute(), dnnl_success);
            EXPECT_TRUE(tested.is_right()) << to_string(problem);
        }
    }
}

TEST(relu_operand, any_number_of_threads_gives_the_same_bits) {
    const tbb::global_control more(tbb::global_control::max_allowed_parallelism, 16);
    for (const std::string format : {"abcd", "acdb", "aBcd16b"})
        for (const dims_t &dims : {dims_t{5, 70, 9, 9}, dims_t{1, 16, 120, 121}}) {
            auto problem = of_size(dims, scale | shift);
            problem.set_formats(format);
            for (size_t at = 0; at < implementations(problem).size(); ++at) {
                const relu_operand_case_t expected(problem, at);
                ASSERT_EQ(expected.execute(), dnnl_success);
                ASSERT_TRUE(expected.is_right()) << to_string(problem);
                for (const int threads : {1, 2, 7, 16}) {
                    const relu_operand_case_t tested(problem, at);
                    tbb::task_arena(threads).execute(
                            [&] { ASSERT_EQ(tested.execute(), dnnl_success); });
                    for (const int arg : tested.outputs())
                        EXPECT_TRUE(tested.tensor(arg).bits() == expected.tensor(arg).bits())
                                << to_string(problem) << " with " << threads << " threads";
                }
            }
        }
}

TEST(relu_operand, belongs_to_a_gradient_without_a_mask_and_has_its_shape) {
    const auto desc = desc_of(of_size({2, 19, 7, 7}, scale | shift));
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
    auto desc = desc_of(of_size({2, 19, 7, 7}, scale | shift));
    primitive_desc_handle_t with, without;
    ASSERT_EQ(make_internal<batch_normalization_pd_t>(with, desc), dnnl_success);
    desc.relu_operand = {};
    ASSERT_EQ(make_internal<batch_normalization_pd_t>(without, desc), dnnl_success);
    EXPECT_FALSE((*with).pd->same_primitive(*(*without).pd));
    EXPECT_NE((*with).pd->info().find("relu_operand:f32::blocked:abcd"), std::string::npos)
            << (*with).pd->info();
}

TEST(relu_operand, without_elements_gradients_of_weights_are_zero) {
    auto problem = of_size({0, 5, 3, 3}, scale | shift);
    const relu_operand_case_t tested(problem);
    ASSERT_EQ(tested.execute(), dnnl_success);
    for (const int arg : {DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT})
        for (const double value : tested.tensor(arg).values()) EXPECT_EQ(value, 0);
}

} // namespace

} // namespace kiln::test::channel_normalization
