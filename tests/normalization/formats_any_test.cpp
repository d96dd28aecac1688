// SPDX-License-Identifier: Apache-2.0
// Formats that are left to the library: they follow src's order, and results are right in them.
#include <algorithm>

#include "normalization/operation_test.hpp"

namespace kiln::test::normalization {

namespace {

class normalization_formats_any : public operation_test_t {
protected:
    static std::vector<std::string> formats() {
        if (is_layer())
            return {"abc", "acb", "bac", "bca", "cab", "cba", "abc+5", "bac+2", "acb*3"};
        return {"abcd", "acdb", "bacd", "cdba", "abcd+3", "acdb*2", "aBcd8b", "aBcd16b"};
    }

    static problem_t all_any(dnnl_prop_kind_t prop_kind, const std::string &src_format) {
        auto problem = problem_of(is_layer() ? dims_t{3, 5, 7} : dims_t{2, 24, 3, 5}, scale | shift,
                "any", prop_kind);
        if (problem.groups) problem.groups = 3;
        problem.src_format = src_format;
        return problem;
    }

    static layout_t layout_of(const_dnnl_primitive_desc_t primitive_desc, int arg) {
        return layout_t(chosen_desc(primitive_desc, arg));
    }

    /// src's order and blocks, without its gaps.
    static void expect_follows(
            const layout_t &layout, const std::string &src_format, const dims_t &dims) {
        const std::string dense = src_format.substr(0, src_format.find_first_of("+*"));
        EXPECT_EQ(layout.strides(), layout_t(make_desc(dims, dnnl_f32, dense)).strides())
                << src_format;
    }

    /// The order of src without the normalized axis, which comes last among the axes.
    static void expect_stat_follows(
            const_dnnl_primitive_desc_t primitive_desc, const problem_t &problem, int arg) {
        std::string order = problem.src_format.substr(0, problem.dims.size());
        std::erase(order, static_cast<char>('a' + problem.dims.size() - 1));
        const auto stats = layout_of(primitive_desc, arg);
        EXPECT_EQ(stats.type(), dnnl_f32);
        expect_follows(stats, order, problem.stat_dims());
    }
};

TEST_P(normalization_formats_any, dst_and_statistics_follow_src) {
    for (const auto &format : formats())
        for (const std::string stat : {"any", "null"}) {
            auto problem = all_any(dnnl_forward_training, format);
            problem.stat_format = stat;
            EXPECT_TRUE(is_right(problem));
            const auto forward = accepted_primitive_desc(problem);
            expect_follows(layout_of(forward, DNNL_ARG_DST), format, problem.dims);
            if (!is_layer()) continue;
            for (const int arg : {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE})
                expect_stat_follows(forward, problem, arg);
        }
}

TEST_P(normalization_formats_any, gradients_follow_src) {
    for (const auto &format : formats()) {
        const auto problem = all_any(dnnl_backward, format);
        EXPECT_TRUE(is_right(problem));
        const auto backward = accepted_primitive_desc(problem);
        for (const int arg : {DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_DST})
            expect_follows(layout_of(backward, arg), format, problem.dims);
        if (is_layer()) expect_stat_follows(backward, problem, DNNL_ARG_VARIANCE);
    }
}

// Backward with everything open takes forward's layout, which the hint tells; without a hint that
// of a gradient, and row-major if nothing is known.
TEST_P(normalization_formats_any, src_of_backward_follows_the_hint_or_a_gradient) {
    if (is_layer()) GTEST_SKIP() << "its src has a layout";
    for (const std::string format : {"acdb", "aBcd16b", "bacd"}) {
        const auto hint = accepted_primitive_desc(all_any(dnnl_forward_training, format));
        auto problem = all_any(dnnl_backward, "any");
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

// Layer normalization of blocked tensors.
TEST_P(normalization_formats_any, blocks_of_src_are_followed_or_left) {
    if (!is_layer()) GTEST_SKIP() << "they are followed";
    for (const std::string format : {"aBc16b", "aBc4b", "ABc4a4b", "aBC16b16c", "aCB16b16c"})
        for (const auto prop_kind : {dnnl_forward_training, dnnl_backward})
            EXPECT_TRUE(is_right(all_any(prop_kind, format)));
}

TEST_P(normalization_formats_any, types_stay_what_the_caller_said) {
    auto problem = all_any(dnnl_forward_training, is_layer() ? "bac" : "bacd");
    problem.src_type = dnnl_bf16;
    problem.dst_type = is_batch() ? dnnl_bf16 : dnnl_s8;
    EXPECT_TRUE(is_right(problem));
    const auto forward = accepted_primitive_desc(problem);
    EXPECT_EQ(layout_of(forward, DNNL_ARG_DST).type(), problem.dst_type);
    EXPECT_EQ(layout_of(forward, DNNL_ARG_MEAN).type(), dnnl_f32);
}

// Null statistics of f64 data are f32: f64 has to be asked for.
TEST_P(normalization_formats_any, statistics_of_f64_data_are_f32_by_default) {
    auto problem = all_any(dnnl_forward_training, "");
    problem.set_types(dnnl_f64);
    problem.stat_format = "null";
    const auto forward = accepted_primitive_desc(problem);
    EXPECT_EQ(layout_of(forward, DNNL_ARG_VARIANCE).type(), dnnl_f32);
}

// The layout of src must be known forward.
TEST_P(normalization_formats_any, is_refused_for_src) {
    EXPECT_EQ(creation_status(all_any(dnnl_forward_training, "any")), dnnl_invalid_arguments);
}

INSTANTIATE_FOR_OPERATIONS(normalization_formats_any);

} // namespace

} // namespace kiln::test::normalization
