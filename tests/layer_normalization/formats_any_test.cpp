// SPDX-License-Identifier: Apache-2.0
// Formats that are left to the library: they follow src's order, and results are right in them.
#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "layer_normalization/backward_case.hpp"
#include "layer_normalization/forward_case.hpp"

namespace kiln::test::layer_normalization {

namespace {

const dims_t dims{3, 5, 7};
const std::vector<std::string> orders{"abc", "acb", "bac", "bca", "cab", "cba"};

/// The axes in memory order, which strides tell when no extent is 1.
std::string memory_order(const layout_t &layout) {
    std::string order(layout.dims().size(), 'a');
    std::iota(order.begin(), order.end(), 'a');
    std::sort(order.begin(), order.end(), [&](char left, char right) {
        return layout.strides()[size_t(left - 'a')] > layout.strides()[size_t(right - 'a')];
    });
    return order;
}

std::string without_normalized_axis(std::string order) {
    order.erase(std::find(order.begin(), order.end(), 'c'));
    return order;
}

layout_t layout_of(const_dnnl_primitive_desc_t primitive_desc, int arg) {
    const auto *const desc =
            dnnl_primitive_desc_query_md(primitive_desc, dnnl_query_exec_arg_md, arg);
    if (!desc) throw std::runtime_error("exec_arg_md answers null");
    return layout_t(desc);
}

/// A layout without gaps.
void expect_dense(const layout_t &layout, const std::string &what) {
    EXPECT_EQ(layout.span(), volume(layout.padded_dims())) << what;
}

problem_t all_any(dnnl_prop_kind_t prop_kind, const std::string &src_format) {
    problem_t problem;
    problem.prop_kind = prop_kind;
    problem.dims = dims;
    problem.flags = scale | shift;
    problem.src_format = src_format;
    problem.dst_format = problem.diff_src_format = "any";
    return problem;
}

TEST(layer_normalization_formats_any, forward_follows_the_order_of_src) {
    for (const auto &order : orders)
        for (const std::string stat : {"any", "null"}) {
            auto problem = all_any(dnnl_forward_training, order);
            problem.stat_format = stat;
            const forward_case_t forward(problem);
            const auto dst = layout_of(forward.primitive_desc(), DNNL_ARG_DST);
            EXPECT_EQ(memory_order(dst), order);
            expect_dense(dst, order);
            for (const int arg : {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE}) {
                const auto stats = layout_of(forward.primitive_desc(), arg);
                EXPECT_EQ(memory_order(stats), without_normalized_axis(order)) << order;
                EXPECT_EQ(stats.type(), dnnl_f32);
                expect_dense(stats, order);
            }
            EXPECT_TRUE(is_forward_right(problem));
        }
}

TEST(layer_normalization_formats_any, backward_follows_the_order_of_src) {
    for (const auto &order : orders) {
        const auto problem = all_any(dnnl_backward, order);
        const backward_case_t backward(problem);
        for (const int arg : {DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_DST}) {
            const auto layout = layout_of(backward.primitive_desc(), arg);
            EXPECT_EQ(memory_order(layout), order);
            expect_dense(layout, order);
        }
        EXPECT_EQ(memory_order(layout_of(backward.primitive_desc(), DNNL_ARG_VARIANCE)),
                without_normalized_axis(order))
                << order;
        EXPECT_TRUE(is_backward_right(problem));
    }
}

TEST(layer_normalization_formats_any, a_pitch_of_src_is_not_taken_over) {
    for (const std::string format : {"abc+5", "bac+2", "acb*3"}) {
        const auto problem = all_any(dnnl_forward_training, format);
        const forward_case_t forward(problem);
        const auto dst = layout_of(forward.primitive_desc(), DNNL_ARG_DST);
        EXPECT_EQ(memory_order(dst), format.substr(0, 3));
        expect_dense(dst, format);
        EXPECT_TRUE(is_forward_right(problem));
        EXPECT_TRUE(is_backward_right(all_any(dnnl_backward, format)));
    }
}

TEST(layer_normalization_formats_any, blocks_of_src_are_followed_or_left) {
    for (const std::string format : {"aBc16b", "aBc4b", "ABc4a4b", "aBC16b16c", "aCB16b16c"}) {
        EXPECT_TRUE(is_forward_right(all_any(dnnl_forward_training, format)));
        EXPECT_TRUE(is_backward_right(all_any(dnnl_backward, format)));
    }
}

TEST(layer_normalization_formats_any, types_stay_what_the_caller_said) {
    auto problem = all_any(dnnl_forward_training, "bac");
    problem.src_type = dnnl_bf16;
    problem.dst_type = dnnl_s8;
    const forward_case_t forward(problem);
    EXPECT_EQ(layout_of(forward.primitive_desc(), DNNL_ARG_DST).type(), dnnl_s8);
    EXPECT_EQ(layout_of(forward.primitive_desc(), DNNL_ARG_MEAN).type(), dnnl_f32);
    EXPECT_TRUE(is_forward_right(problem));
}

// Null statistics of f64 data are f32: f64 has to be asked for.
TEST(layer_normalization_formats_any, statistics_of_f64_data_are_f32_by_default) {
    auto problem = all_any(dnnl_forward_training, "abc");
    problem.src_type = problem.dst_type = dnnl_f64;
    problem.stat_format = "null";
    const forward_case_t forward(problem);
    EXPECT_EQ(layout_of(forward.primitive_desc(), DNNL_ARG_VARIANCE).type(), dnnl_f32);
}

// The layout of src must be known forward.
TEST(layer_normalization_formats_any, is_refused_for_src) {
    auto problem = all_any(dnnl_forward_training, "any");
    primitive_desc_handle_t primitive_desc;
    EXPECT_EQ(make_primitive_desc(primitive_desc, problem), dnnl_invalid_arguments);
}

} // namespace

} // namespace kiln::test::layer_normalization
