// SPDX-License-Identifier: Apache-2.0
// Post-ops: every function, every broadcast, operands of any type and layout, chains.
#include <gtest/gtest.h>

#include "channel_normalization/backward_case.hpp"
#include "channel_normalization/forward_case.hpp"
#include "support/post_op_lists.hpp"

namespace kiln::test::channel_normalization {

namespace {

constexpr int all_axes = 15; // of a 4-D tensor
const std::vector<std::string> formats{"abcd", "acdb", "aBcd16b"};

problem_t with_post_ops(const post_op_chain_t &chain, const std::string &format) {
    problem_t problem;
    problem.prop_kind = dnnl_forward_inference;
    problem.dims = {2, 18, 3, 5};
    problem.groups = 3;
    problem.flags = scale | shift;
    problem.post_ops = chain;
    problem.set_formats(format);
    return problem;
}

TEST(group_normalization_post_ops, every_elementwise_function) {
    for (const auto &op : eltwise_ops())
        for (const auto &format : formats)
            for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64, dnnl_s8}) {
                auto problem = with_post_ops(defined_chain(op, type), format);
                problem.dst_type = type;
                EXPECT_TRUE(is_forward_right(problem));
            }
}

TEST(group_normalization_post_ops, every_binary_function_with_every_broadcast) {
    for (const auto alg : binary_algs())
        for (int mask = 0; mask <= all_axes; ++mask)
            for (const auto &format : formats)
                EXPECT_TRUE(is_forward_right(
                        with_post_ops({{.alg = alg, .mask = mask, .format = "any"}}, format)));
}

TEST(group_normalization_post_ops, operands_of_every_type_and_layout) {
    for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8, dnnl_s32})
        for (const std::string operand : {"", "acdb", "any", "dcba", "aBcd8b"})
            for (const auto &format : formats)
                EXPECT_TRUE(is_forward_right(with_post_ops({{.alg = dnnl_binary_mul,
                                                                   .mask = all_axes,
                                                                   .type = type,
                                                                   .format = operand}},
                        format)));
}

TEST(group_normalization_post_ops, chains_are_applied_in_order) {
    for (const auto &format : formats)
        for (const auto prop_kind : {dnnl_forward_training, dnnl_forward_inference})
            for (const unsigned flags : {0u, global_stats})
                for (const auto placement :
                        {placement_t::ends_at_guard, placement_t::begins_at_guard}) {
                    auto problem = with_post_ops(
                            {{.alg = dnnl_eltwise_linear, .alpha = 2, .beta = -1},
                                    {.alg = dnnl_binary_add, .mask = 2, .format = "any"},
                                    {.alg = dnnl_eltwise_swish, .alpha = 1},
                                    {.alg = dnnl_binary_select, .mask = all_axes, .format = "any"},
                                    {.alg = dnnl_binary_mul, .mask = 1, .type = dnnl_bf16}},
                            format);
                    problem.prop_kind = prop_kind;
                    problem.flags |= flags;
                    problem.placement = placement;
                    EXPECT_TRUE(is_forward_right(problem));
                }
}

} // namespace

} // namespace kiln::test::channel_normalization
