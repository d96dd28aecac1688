// SPDX-License-Identifier: Apache-2.0
// Which outputs are asked for and where they go: gradients left out, results in place, the caller's
// scratchpad, tensors without elements.
#include <algorithm>

#include <gtest/gtest.h>

#include "layer_normalization/backward_case.hpp"
#include "layer_normalization/forward_case.hpp"

namespace kiln::test::layer_normalization {

namespace {

problem_t of_size(dnnl_prop_kind_t prop_kind, dims_t dims, unsigned flags) {
    problem_t problem;
    problem.prop_kind = prop_kind;
    problem.dims = std::move(dims);
    problem.flags = flags;
    return problem;
}

/// Executes with each subset of the outputs, the others absent or passed as null.
void expect_any_subset(const problem_t &problem, bool passes_null) {
    backward_case_t backward(problem);
    const auto outputs = backward.outputs();
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
        ASSERT_EQ(arguments.execute(backward.primitive()), dnnl_success)
                << to_string(problem) << " outputs " << subset;
        EXPECT_TRUE(backward.is_right(asked)) << to_string(problem) << " outputs " << subset;
        for (const auto &[arg, bits] : untouched)
            EXPECT_TRUE(has_bits(backward.tensor(arg), bits, "what was not asked for"))
                    << to_string(problem) << " outputs " << subset;
    }
}

TEST(layer_normalization_outputs, gradients_may_be_left_out) {
    for (const unsigned flags : all_flags())
        for (const bool passes_null : {false, true})
            for (const dims_t &dims : {dims_t{5, 33}, dims_t{3, 40, 16}})
                expect_any_subset(of_size(dnnl_backward, dims, flags), passes_null);
}

TEST(layer_normalization_outputs, gradients_may_be_left_out_in_any_layout_and_type) {
    for (const std::string format : {"acb", "cab", "abc+3"})
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f64})
            for (const dims_t &dims : {dims_t{3, 4, 18}, dims_t{9, 130, 40}}) {
                auto problem = of_size(dnnl_backward, dims, scale | shift);
                problem.src_format = problem.dst_format = problem.diff_src_format = format;
                problem.src_type = problem.dst_type = problem.diff_src_type = type;
                expect_any_subset(problem, false);
            }
}

TEST(layer_normalization_outputs, backward_data_writes_diff_src_only) {
    for (const unsigned flags : {scale, scale | shift, rms | scale}) {
        const backward_case_t backward(of_size(dnnl_backward_data, {5, 33}, flags));
        tensor_t diff_weights(make_desc({33}, dnnl_f32));
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
TEST(layer_normalization_outputs, a_second_execution_gives_the_same) {
    const backward_case_t backward(of_size(dnnl_backward, {50, 33}, scale | shift));
    ASSERT_EQ(backward.execute(), dnnl_success);
    ASSERT_EQ(backward.execute(), dnnl_success);
    EXPECT_TRUE(backward.is_right());
}

const std::vector<std::string> formats{"abc", "acb", "bac", "cba", "abc+3", "aBc16b", "aBC16b16c"};

TEST(layer_normalization_outputs, forward_may_be_in_place) {
    for (const auto &format : formats)
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64, dnnl_s8, dnnl_u8})
            for (const unsigned flags : {scale | shift, global_stats, rms}) {
                auto problem = of_size(dnnl_forward_training, {3, 5, 70}, flags);
                problem.src_format = problem.dst_format = format;
                problem.src_type = problem.dst_type = type;
                problem.in_place = true;
                EXPECT_TRUE(is_forward_right(problem));
            }
}

TEST(layer_normalization_outputs, backward_may_be_in_place) {
    for (const auto &format : formats)
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64})
            for (const unsigned flags : {scale | shift, global_stats | scale, rms | scale}) {
                auto problem = of_size(dnnl_backward, {3, 5, 70}, flags);
                problem.src_format = problem.dst_format = problem.diff_src_format = format;
                problem.src_type = problem.dst_type = problem.diff_src_type = type;
                problem.in_place = true;
                EXPECT_TRUE(is_backward_right(problem));
            }
}

TEST(layer_normalization_outputs, the_scratchpad_may_be_the_callers) {
    for (const dims_t &dims : {dims_t{5, 33}, dims_t{600, 64}, dims_t{3, 40, 16}})
        for (const std::string order : {"plain", "reversed"})
            for (const auto type : {dnnl_f32, dnnl_bf16})
                for (const auto prop_kind :
                        {dnnl_forward_training, dnnl_forward_inference, dnnl_backward}) {
                    auto problem = of_size(prop_kind, dims, scale | shift);
                    problem.scratchpad_mode = dnnl_scratchpad_mode_user;
                    problem.src_type = problem.dst_type = problem.diff_src_type = type;
                    if (order == "reversed")
                        problem.src_format = problem.dst_format = problem.diff_src_format =
                                dims.size() == 2 ? "ba" : "cba";
                    EXPECT_TRUE(problem.is_forward() ? is_forward_right(problem)
                                                     : is_backward_right(problem));
                }
}

TEST(layer_normalization_outputs, a_scratchpad_of_the_callers_is_u8_and_the_librarys_is_not_told) {
    auto problem = of_size(dnnl_backward, {600, 64}, scale | shift);
    for (const auto mode : {dnnl_scratchpad_mode_library, dnnl_scratchpad_mode_user}) {
        problem.scratchpad_mode = mode;
        const auto primitive_desc = accepted_primitive_desc(problem);
        const auto *const desc =
                dnnl_primitive_desc_query_md(primitive_desc, dnnl_query_scratchpad_md, 0);
        ASSERT_NE(desc, nullptr);
        int64_t consumption = -1;
        ASSERT_EQ(dnnl_primitive_desc_query(
                          primitive_desc, dnnl_query_memory_consumption_s64, 0, &consumption),
                dnnl_success);
        if (mode == dnnl_scratchpad_mode_library) {
            EXPECT_EQ(dnnl_memory_desc_get_size(desc), 0u);
            EXPECT_GE(consumption, 0);
            continue;
        }
        EXPECT_EQ(consumption, 0);
        if (dnnl_memory_desc_get_size(desc) == 0) continue;
        const layout_t layout(desc);
        EXPECT_EQ(layout.type(), dnnl_u8);
        EXPECT_EQ(layout.dims().size(), 1u);
    }
}

const std::vector<dims_t> empty_shapes{
        {0, 5}, {4, 0}, {0, 0}, {3, 0, 5}, {0, 3, 5}, {3, 4, 0}, {2, 0, 0}};

void expect_zeros(const tensor_t &tensor, const std::string &what) {
    EXPECT_EQ(tensor.values(), std::vector<double>(static_cast<size_t>(tensor.elements()), 0))
            << what;
}

TEST(layer_normalization_outputs, forward_without_elements_leaves_zero_statistics) {
    for (const auto &dims : empty_shapes)
        for (const auto prop_kind : {dnnl_forward_training, dnnl_forward_inference})
            for (const unsigned flags : all_flags())
                for (const auto type : {dnnl_f32, dnnl_f64, dnnl_s8}) {
                    auto problem = of_size(prop_kind, dims, flags);
                    problem.src_type = problem.dst_type = type;
                    const forward_case_t forward(problem);
                    ASSERT_EQ(forward.execute(), dnnl_success) << to_string(problem);
                    if (!problem.writes_stats()) continue;
                    if (!(flags & rms)) expect_zeros(forward.tensor(DNNL_ARG_MEAN), "mean");
                    expect_zeros(forward.tensor(DNNL_ARG_VARIANCE), to_string(problem));
                }
}

TEST(layer_normalization_outputs, backward_without_elements_leaves_zero_gradients) {
    for (const auto &dims : empty_shapes)
        for (const auto prop_kind : {dnnl_backward, dnnl_backward_data})
            for (const unsigned flags : all_flags())
                for (const auto type : {dnnl_f32, dnnl_bf16}) {
                    auto problem = of_size(prop_kind, dims, flags);
                    problem.src_type = problem.dst_type = problem.diff_src_type = type;
                    problem.scale_shift_type = problem.diff_scale_shift_type = type;
                    const backward_case_t backward(problem);
                    ASSERT_EQ(backward.execute(), dnnl_success) << to_string(problem);
                    for (const int arg : {DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT})
                        if (backward.bindings().has(arg))
                            expect_zeros(backward.tensor(arg), to_string(problem));
                }
}

} // namespace

} // namespace kiln::test::layer_normalization
