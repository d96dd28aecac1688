// SPDX-License-Identifier: Apache-2.0
// Batch normalization of tensors that lie unlike each other, or in a way that no kernel walks: they
// are copied to another layout.
#include <gtest/gtest.h>

#include "normalization/case.hpp"

namespace kiln::test::normalization {

namespace {

constexpr dnnl_prop_kind_t directions[]{
        dnnl_forward_training, dnnl_forward_inference, dnnl_backward, dnnl_backward_data};

problem_t in_formats(const std::string &src, const std::string &others, dnnl_prop_kind_t prop_kind,
        unsigned flags) {
    problem_t problem;
    problem.operation = operation_t::batch;
    problem.prop_kind = prop_kind;
    problem.dims = {3, 35, 4, 5};
    problem.flags = flags;
    problem.set_formats(others);
    problem.src_format = src;
    return problem;
}

void expect_copies(const problem_t &problem) {
    EXPECT_TRUE(is_right(problem));
    const bool needs_hint = problem.has_mask() && !problem.is_forward();
    if (!generates_kernels() || needs_hint) return;
    EXPECT_EQ(implementations(problem).front(), "jit:relaid") << to_string(problem);
}

TEST(batch_normalization_layouts, of_src_and_the_others_may_be_unlike) {
    for (const auto &[src, others] :
            {std::pair("abcd", "acdb"), {"acdb", "abcd"}, {"abcd", "aBcd8b"}, {"aBcd16b", "acdb"}})
        for (const auto prop_kind : directions)
            for (const unsigned flags : {0u, unsigned(scale | shift), unsigned(relu),
                         unsigned(scale | add_relu), unsigned(global_stats | scale | shift)})
                for (const auto type : {dnnl_f32, dnnl_bf16}) {
                    auto problem = in_formats(src, others, prop_kind, flags);
                    problem.set_types(type);
                    expect_copies(problem);
                }
}

// Without the mask, which has src's order.
TEST(batch_normalization_layouts, may_be_such_that_no_kernel_walks_them) {
    for (const char *format : {"ABcd16b16a", "acdb*2"})
        for (const auto prop_kind : directions)
            expect_copies(in_formats(format, format, prop_kind, scale | shift));
    for (const char *format : {"ABcd16b16a", "acdb*2"})
        EXPECT_TRUE(is_right(in_formats(format, format, dnnl_forward_training, relu)));
}

} // namespace

} // namespace kiln::test::normalization
