// SPDX-License-Identifier: Apache-2.0
// Group normalization of groups whose elements are adjacent and few: rows with a weight for each
// element, against the model; and of more channels than have their values computed at once.
#include <gtest/gtest.h>

#include "normalization/case.hpp"

namespace kiln::test::normalization {

namespace {

struct groups_t {
    dims_t dims;
    int64_t groups;
    std::string format;
};

// Planes that follow each other, channels that are whole rows, channels that are pixels of a row,
// and samples apart.
const groups_t shapes[]{{{3, 32, 3}, 4, "abc"}, {{5, 24, 2, 2, 2}, 12, "abcde"},
        {{2, 52, 5, 5}, 13, "abcd"}, {{1, 64, 8, 8}, 1, "abcd"}, {{7, 40}, 8, "ab"},
        {{9, 35, 1, 1}, 5, "acdb"}, {{6, 10, 2, 3}, 1, "acdb"}, {{4, 1, 7}, 1, "abc"},
        {{4, 3, 1}, 3, "abc"}};

problem_t problem_of(const groups_t &shape, dnnl_prop_kind_t prop_kind, unsigned flags) {
    problem_t problem;
    problem.operation = operation_t::group;
    problem.prop_kind = prop_kind;
    problem.dims = shape.dims;
    problem.groups = shape.groups;
    problem.flags = flags;
    problem.set_formats(shape.format);
    return problem;
}

TEST(groups_of_few_elements, are_right_for_all_flags_and_types) {
    for (const groups_t &shape : shapes)
        for (const auto prop_kind : {dnnl_forward_training, dnnl_forward_inference})
            for (const unsigned flags : all_flags())
                for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8})
                    for (const auto placement :
                            {placement_t::ends_at_guard, placement_t::begins_at_guard}) {
                        auto problem = problem_of(shape, prop_kind, flags);
                        problem.set_types(type);
                        problem.placement = placement;
                        EXPECT_TRUE(is_right(problem));
                    }
}

TEST(groups_of_few_elements, may_have_scales_and_post_ops) {
    for (const groups_t &shape : shapes) {
        auto problem = problem_of(shape, dnnl_forward_inference, scale | shift);
        problem.dst_type = dnnl_u8;
        problem.src_scale = problem.dst_scale = scale_attr_t{0.5};
        problem.post_ops = {{.alg = dnnl_eltwise_linear, .alpha = 2, .beta = 1}};
        EXPECT_TRUE(is_right(problem));
        problem.post_ops.push_back({.alg = dnnl_binary_add, .mask = 2});
        EXPECT_TRUE(is_right(problem));
    }
}

TEST(groups_of_few_elements, may_lie_in_larger_samples) {
    for (const groups_t &shape : {groups_t{{3, 32, 3}, 4, "abc+5"}, groups_t{{3, 32, 3}, 4, "bac"}})
        for (const unsigned flags : {0u, unsigned(scale | shift)})
            EXPECT_TRUE(is_right(problem_of(shape, dnnl_forward_training, flags)));
}

TEST(groups_of_few_elements, are_rows_where_they_are_adjacent) {
    if (!generates_kernels()) GTEST_SKIP() << "no ISA that code is generated for";
    const auto first = [](const groups_t &shape, dnnl_prop_kind_t prop_kind) {
        return implementations(problem_of(shape, prop_kind, scale)).front();
    };
    for (const groups_t &shape : shapes) {
        EXPECT_EQ(first(shape, dnnl_forward_training), "jit:rows");
        EXPECT_NE(first(shape, dnnl_backward), "jit:rows");
    }
    EXPECT_EQ(first({{6, 10, 2, 3}, 2, "acdb"}, dnnl_forward_training), "jit:channel_columns");
    EXPECT_EQ(first({{6, 10, 9, 9}, 2, "abcd"}, dnnl_forward_training), "jit:channel_planes");
}

// Groups of 70 channels, of 17, and several small ones.
TEST(groups_of_many_channels, are_right_in_every_order) {
    for (const auto &[channels, groups] : {std::pair{140, 2}, {204, 12}, {204, 51}, {200, 100}})
        for (const char *const format : {"acdb", "acdb+5", "abcd", "abcd+3"})
            for (const auto prop_kind :
                    {dnnl_forward_training, dnnl_forward_inference, dnnl_backward})
                for (const unsigned flags :
                        {0u, unsigned(scale | shift), unsigned(scale | shift | global_stats)}) {
                    auto problem =
                            problem_of({{3, channels, 2, 5}, groups, format}, prop_kind, flags);
                    EXPECT_TRUE(is_right(problem));
                    problem.data = data_t::large_mean;
                    EXPECT_TRUE(is_right(problem));
                }
}

} // namespace

} // namespace kiln::test::normalization
