// SPDX-License-Identifier: Apache-2.0
// Batch normalization of channels that are innermost and have few elements: columns that one kernel
// finishes, against the model.
#include <gtest/gtest.h>

#include "normalization/case.hpp"

namespace kiln::test::normalization {

namespace {

constexpr const char *channels_last[]{"", "", "ab", "acb", "acdb", "acdeb"};

problem_t of_size(const dims_t &dims, dnnl_prop_kind_t prop_kind, unsigned flags) {
    problem_t problem;
    problem.operation = operation_t::batch;
    problem.prop_kind = prop_kind;
    problem.dims = dims;
    problem.flags = flags;
    problem.set_formats(channels_last[dims.size()]);
    return problem;
}

const dims_t shapes[]{{1, 2}, {1, 832}, {64, 17}, {32, 1024}, {7, 65, 5}, {1, 130, 1, 1},
        {2, 48, 3, 4}, {1, 100, 8, 8}, {3, 33, 2, 2, 2}};

constexpr dnnl_prop_kind_t directions[]{
        dnnl_forward_training, dnnl_forward_inference, dnnl_backward, dnnl_backward_data};

TEST(channels_of_few_elements, are_right_for_all_shapes_flags_and_types) {
    for (const dims_t &dims : shapes)
        for (const auto prop_kind : directions)
            for (const unsigned flags : all_flags())
                for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16})
                    for (const auto placement :
                            {placement_t::ends_at_guard, placement_t::begins_at_guard}) {
                        auto problem = of_size(dims, prop_kind, flags);
                        problem.set_types(type);
                        problem.placement = placement;
                        EXPECT_TRUE(is_right(problem));
                    }
}

TEST(channels_of_few_elements, may_lie_in_wider_rows) {
    for (const std::string format : {"acdb+3", "acdb+16"})
        for (const auto prop_kind : directions) {
            auto problem = of_size({2, 35, 3, 4}, prop_kind, scale | shift);
            problem.set_formats(format);
            EXPECT_TRUE(is_right(problem));
        }
}

// Where elements are a page apart, 32.
TEST(channels_of_few_elements, are_at_most_64) {
    if (!generates_kernels()) GTEST_SKIP() << "no ISA that code is generated for";
    for (const auto prop_kind : directions) {
        const auto first = [&](const dims_t &dims) {
            return implementations(of_size(dims, prop_kind, 0)).front();
        };
        EXPECT_EQ(first({64, 96}), "jit:columns");
        EXPECT_EQ(first({4, 96, 4, 4}), "jit:columns");
        EXPECT_EQ(first({65, 96}), "jit:channel_columns");
        EXPECT_EQ(first({32, 1024}), "jit:columns");
        EXPECT_EQ(first({33, 1024}), "jit:channel_columns");
    }
    EXPECT_EQ(implementations(of_size({4, 96}, dnnl_forward_training, relu)).front(),
            "jit:channel_columns");
}

} // namespace

} // namespace kiln::test::normalization
