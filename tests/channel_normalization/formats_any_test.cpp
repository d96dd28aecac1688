// SPDX-License-Identifier: Apache-2.0
// Formats that are left to the library: they follow src's order, and results are right in them.
#include <gtest/gtest.h>

#include "channel_normalization/backward_case.hpp"
#include "channel_normalization/forward_case.hpp"

namespace kiln::test::channel_normalization {

namespace {

const std::vector<int64_t> groupings{0, 3};
const std::vector<std::string> formats{
        "abcd", "acdb", "bacd", "cdba", "abcd+3", "acdb*2", "aBcd8b", "aBcd16b"};

problem_t all_any(dnnl_prop_kind_t prop_kind, const std::string &src_format, int64_t groups) {
    problem_t problem;
    problem.prop_kind = prop_kind;
    problem.dims = {2, 24, 3, 5};
    problem.groups = groups;
    problem.flags = scale | shift;
    problem.src_format = src_format;
    problem.dst_format = problem.diff_src_format = "any";
    return problem;
}

layout_t layout_of(const_dnnl_primitive_desc_t primitive_desc, int arg) {
    const auto *const desc =
            dnnl_primitive_desc_query_md(primitive_desc, dnnl_query_exec_arg_md, arg);
    if (!desc) throw std::runtime_error("exec_arg_md answers null");
    return layout_t(desc);
}

/// src's order and blocks, without its gaps.
void expect_follows(const layout_t &layout, const std::string &src_format, const dims_t &dims) {
    const std::string dense = src_format.substr(0, src_format.find_first_of("+*"));
    EXPECT_EQ(layout.strides(), layout_t(make_desc(dims, dnnl_f32, dense)).strides()) << src_format;
}

TEST(channel_normalization_formats_any, forward_follows_src) {
    for (const auto groups : groupings)
        for (const auto &format : formats) {
            const auto problem = all_any(dnnl_forward_training, format, groups);
            const forward_case_t forward(problem);
            expect_follows(layout_of(forward.primitive_desc(), DNNL_ARG_DST), format, problem.dims);
            EXPECT_TRUE(is_forward_right(problem));
        }
}

TEST(channel_normalization_formats_any, gradients_follow_src) {
    for (const auto groups : groupings)
        for (const auto &format : formats) {
            const auto problem = all_any(dnnl_backward, format, groups);
            const backward_case_t backward(problem);
            for (const int arg : {DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_DST})
                expect_follows(layout_of(backward.primitive_desc(), arg), format, problem.dims);
            EXPECT_TRUE(is_backward_right(problem));
        }
}

// Backward with everything open takes forward's layout, which the hint tells; without a hint that
// of a gradient, and row-major if nothing is known.
TEST(channel_normalization_formats_any, src_of_backward_follows_the_hint_or_a_gradient) {
    for (const auto groups : groupings)
        for (const std::string format : {"acdb", "aBcd16b", "bacd"}) {
            const auto forward = all_any(dnnl_forward_training, format, groups);
            const auto hint = accepted_primitive_desc(forward);
            auto problem = all_any(dnnl_backward, "any", groups);
            const auto hinted = accepted_primitive_desc(problem, hint);
            for (const int arg : {DNNL_ARG_SRC, DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_DST})
                expect_follows(layout_of(hinted, arg), format, problem.dims);
            const auto open = accepted_primitive_desc(problem);
            expect_follows(layout_of(open, DNNL_ARG_SRC), "abcd", problem.dims);
            problem.dst_format = format;
            const auto followed = accepted_primitive_desc(problem);
            for (const int arg : {DNNL_ARG_SRC, DNNL_ARG_DIFF_SRC})
                expect_follows(layout_of(followed, arg), format, problem.dims);
        }
}

// The layout of src must be known forward.
TEST(channel_normalization_formats_any, is_refused_for_src) {
    for (const auto groups : groupings) {
        primitive_desc_handle_t primitive_desc;
        EXPECT_EQ(
                make_primitive_desc(primitive_desc, all_any(dnnl_forward_training, "any", groups)),
                dnnl_invalid_arguments);
    }
}

} // namespace

} // namespace kiln::test::channel_normalization
