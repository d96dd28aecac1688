// SPDX-License-Identifier: Apache-2.0
// Which outputs are asked for and where they go: gradients left out, results in place, the caller's
// scratchpad, tensors without elements.
#include <algorithm>

#include <gtest/gtest.h>

#include "channel_normalization/backward_case.hpp"
#include "channel_normalization/forward_case.hpp"

namespace kiln::test::channel_normalization {

namespace {

struct operation_t {
    int64_t groups;
    std::vector<unsigned> fused;
};

const std::vector<operation_t> operations{{0, {0, relu, add_relu}}, {2, {0}}};

problem_t of_size(dnnl_prop_kind_t prop_kind, dims_t dims, unsigned flags, int64_t groups) {
    problem_t problem;
    problem.prop_kind = prop_kind;
    problem.dims = std::move(dims);
    problem.groups = groups;
    problem.flags = flags;
    return problem;
}

/// Executes with each subset of the outputs, the others absent or passed as null.
void expect_any_subset(backward_case_t &backward, bool passes_null) {
    const auto outputs = backward.outputs();
    const std::string name = to_string(backward.problem());
    for (unsigned subset = 0; subset < 1u << outputs.size(); ++subset) {
        auto arguments = backward.arguments();
        std::vector<int> asked;
        std::vector<std::pair<int, std::vector<std::byte>>> untouched;
        for (size_t at = 0; at < outputs.size(); ++at) {
            const int arg = outputs[at];
            backward.tensor(arg).mark();
            if (subset >> at & 1) {
                asked.push_back(arg);
                continue;
            }
            untouched.emplace_back(arg, backward.tensor(arg).bits());
            arguments = passes_null ? arguments.with(arg, nullptr) : arguments.without(arg);
        }
        ASSERT_EQ(arguments.execute(backward.primitive()), dnnl_success) << name << subset;
        EXPECT_TRUE(backward.is_right(asked)) << name << " outputs " << subset;
        for (const auto &[arg, bits] : untouched)
            EXPECT_TRUE(has_bits(backward.tensor(arg), bits, "what was not asked for"))
                    << name << " outputs " << subset;
    }
}

TEST(channel_normalization_outputs, gradients_may_be_left_out) {
    for (const auto &[groups, fused] : operations)
        for (const unsigned flags : all_flags(fused))
            for (const bool passes_null : {false, true})
                for (const std::string format : {"abcd", "acdb", "aBcd16b"})
                    for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f64}) {
                        if (passes_null && type != dnnl_f32) continue;
                        auto problem = of_size(dnnl_backward, {2, 18, 3, 4}, flags, groups);
                        // What is not written has no padding that is made zero.
                        if (format == "aBcd16b") problem.dims[1] = 16;
                        problem.set_formats(format);
                        problem.set_types(type);
                        const auto forward = executed_forward(problem);
                        const auto names = implementations(problem, forward.primitive_desc());
                        for (size_t at = 0; at < names.size(); ++at) {
                            backward_case_t backward(problem, forward, at);
                            expect_any_subset(backward, passes_null);
                        }
                    }
}

TEST(channel_normalization_outputs, backward_data_writes_no_gradients_of_weights) {
    for (const auto &[groups, fused] : operations)
        for (const unsigned flags : {scale, scale | shift, global_stats | scale}) {
            const backward_case_t backward(of_size(dnnl_backward_data, {5, 32, 3}, flags, groups));
            tensor_t diff_weights(make_desc({32}, dnnl_f32));
            auto arguments = backward.arguments();
            arguments.add(DNNL_ARG_DIFF_SCALE, diff_weights.memory());
            arguments.add(DNNL_ARG_DIFF_SHIFT, diff_weights.memory());
            const auto before = diff_weights.bits();
            ASSERT_EQ(arguments.execute(backward.primitive()), dnnl_success);
            EXPECT_TRUE(backward.is_right());
            EXPECT_TRUE(has_bits(diff_weights, before, "diff_weights"));
        }
}

// Gradients replace what was there; they are not added to it.
TEST(channel_normalization_outputs, a_second_execution_gives_the_same) {
    for (const auto &[groups, fused] : operations)
        for (const std::string format : {"abcd", "acdb"}) {
            auto problem = of_size(dnnl_backward, {3, 34, 5, 5}, scale | shift, groups);
            problem.set_formats(format);
            const backward_case_t backward(problem);
            ASSERT_EQ(backward.execute(), dnnl_success);
            ASSERT_EQ(backward.execute(), dnnl_success);
            EXPECT_TRUE(backward.is_right());
        }
}

const std::vector<std::string> formats{"abcd", "acdb", "bacd", "acdb+3", "aBcd8b", "aBcd16b"};

TEST(channel_normalization_outputs, results_may_be_in_place) {
    for (const auto &[groups, fused] : operations)
        for (const unsigned function : fused)
            for (const auto &format : formats)
                for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64})
                    for (const auto prop_kind :
                            {dnnl_forward_training, dnnl_forward_inference, dnnl_backward})
                        for (const unsigned flags : {scale | shift, global_stats | scale}) {
                            auto problem =
                                    of_size(prop_kind, {2, 18, 5, 7}, flags | function, groups);
                            problem.set_formats(format);
                            problem.set_types(type);
                            problem.in_place = true;
                            EXPECT_TRUE(problem.is_forward() ? is_forward_right(problem)
                                                             : is_backward_right(problem));
                        }
}

TEST(channel_normalization_outputs, the_scratchpad_may_be_the_callers) {
    for (const auto &[groups, fused] : operations)
        for (const std::string format : {"abcd", "acdb", "aBcd16b"})
            for (const auto type : {dnnl_f32, dnnl_bf16})
                for (const auto prop_kind :
                        {dnnl_forward_training, dnnl_forward_inference, dnnl_backward}) {
                    auto problem = of_size(
                            prop_kind, {2, 40, 13, 12}, scale | shift | fused.back(), groups);
                    problem.scratchpad_mode = dnnl_scratchpad_mode_user;
                    problem.set_formats(format);
                    problem.set_types(type);
                    EXPECT_TRUE(problem.is_forward() ? is_forward_right(problem)
                                                     : is_backward_right(problem));
                }
}

void expect_zeros(const tensor_t &tensor, const std::string &what) {
    EXPECT_EQ(tensor.values(), std::vector<double>(static_cast<size_t>(tensor.elements()), 0))
            << what;
}

const std::vector<dims_t> empty_shapes{{0, 6}, {0, 6, 4}, {3, 6, 0}, {3, 6, 4, 0}, {0, 6, 0, 2}};

TEST(channel_normalization_outputs, forward_without_elements_leaves_zero_statistics) {
    for (const auto &[groups, fused] : operations)
        for (const auto &dims : empty_shapes)
            for (const auto prop_kind : {dnnl_forward_training, dnnl_forward_inference})
                for (const unsigned flags : all_flags(fused)) {
                    const auto problem = of_size(prop_kind, dims, flags, groups);
                    const forward_case_t forward(problem);
                    ASSERT_EQ(forward.execute(), dnnl_success) << to_string(problem);
                    if (!problem.writes_stats()) continue;
                    expect_zeros(forward.tensor(DNNL_ARG_MEAN), to_string(problem));
                    expect_zeros(forward.tensor(DNNL_ARG_VARIANCE), to_string(problem));
                }
}

TEST(channel_normalization_outputs, backward_without_elements_leaves_zero_gradients) {
    for (const auto &[groups, fused] : operations)
        for (const auto &dims : empty_shapes)
            for (const auto prop_kind : {dnnl_backward, dnnl_backward_data})
                for (const unsigned flags : all_flags(fused)) {
                    const auto problem = of_size(prop_kind, dims, flags, groups);
                    const backward_case_t backward(problem);
                    ASSERT_EQ(backward.execute(), dnnl_success) << to_string(problem);
                    for (const int arg : {DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT})
                        if (backward.bindings().has(arg))
                            expect_zeros(backward.tensor(arg), to_string(problem));
                }
}

} // namespace

} // namespace kiln::test::channel_normalization
