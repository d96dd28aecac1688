// SPDX-License-Identifier: Apache-2.0
// Post-ops: every function, every broadcast, operands of any type and layout, chains. Batch
// normalization takes elementwise functions only.
#include "kiln/refusals.h"
#include "normalization/operation_test.hpp"
#include "support/post_op_lists.hpp"

namespace kiln::test::normalization {

namespace {

class normalization_post_ops : public operation_test_t {
protected:
    /// Of a tensor of so many axes.
    static int all_axes() { return is_layer() ? 7 : 15; }

    static std::vector<std::string> formats() {
        if (is_layer()) return {"abc", "acb"};
        return {"abcd", "acdb", "aBcd16b"};
    }

    static problem_t with_post_ops(const post_op_chain_t &chain, const std::string &format = "") {
        auto problem = problem_of(is_layer() ? dims_t{3, 4, 23} : dims_t{2, 18, 3, 5},
                scale | shift, format, dnnl_forward_inference);
        if (problem.groups) problem.groups = 3;
        problem.post_ops = chain;
        return problem;
    }

    static testing::AssertionResult is_right_in_every_format(problem_t problem) {
        for (const auto &format : formats()) {
            problem.set_formats(format);
            if (const auto verdict = is_right(problem); !verdict) return verdict;
        }
        return testing::AssertionSuccess();
    }
};

TEST_P(normalization_post_ops, every_elementwise_function) {
    for (const auto &op : eltwise_ops())
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64, dnnl_s8}) {
            auto problem = with_post_ops(defined_chain(op, type));
            problem.dst_type = type;
            if (is_batch()) problem.src_type = type;
            if (is_batch() && type == dnnl_s8) problem.flags |= global_stats;
            EXPECT_TRUE(is_right_in_every_format(problem));
        }
}

TEST_P(normalization_post_ops, functions_that_have_no_value_give_nan) {
    for (const auto alg : {dnnl_eltwise_sqrt, dnnl_eltwise_log})
        EXPECT_TRUE(is_right_in_every_format(with_post_ops(
                {{.alg = dnnl_eltwise_clip, .alpha = -3, .beta = -1}, {.alg = alg}})));
}

TEST_P(normalization_post_ops, elementwise_chains_are_applied_in_order) {
    for (const auto prop_kind : {dnnl_forward_training, dnnl_forward_inference})
        for (const unsigned function : functions())
            for (const unsigned stats : {0u, global_stats}) {
                auto problem = with_post_ops({{.alg = dnnl_eltwise_linear, .alpha = 2, .beta = -1},
                        {.alg = dnnl_eltwise_relu, .alpha = 0.125f}, {.alg = dnnl_eltwise_square},
                        {.alg = dnnl_eltwise_clip, .alpha = 0.25f, .beta = 3}});
                problem.prop_kind = prop_kind;
                problem.flags |= function | stats;
                EXPECT_TRUE(is_right_in_every_format(problem));
            }
}

TEST_P(normalization_post_ops, binary_functions_with_every_broadcast) {
    if (is_batch()) {
        EXPECT_EQ(creation_status(with_post_ops({{.alg = dnnl_binary_add, .mask = 2}})),
                dnnl_unimplemented);
        return;
    }
    for (const auto alg : binary_algs())
        for (int mask = 0; mask <= all_axes(); ++mask)
            for (const auto *format : is_layer() ? std::vector{"", "any"} : std::vector{"any"})
                EXPECT_TRUE(is_right_in_every_format(
                        with_post_ops({{.alg = alg, .mask = mask, .format = format}})));
}

INSTANTIATE_FOR_OPERATIONS(normalization_post_ops);

/// Of layer and group normalization.
class normalization_binary_post_ops : public normalization_post_ops {};

// Rounding first makes operands meet exactly.
TEST_P(normalization_binary_post_ops, comparisons_of_equal_values) {
    for (const auto alg : {dnnl_binary_ge, dnnl_binary_gt, dnnl_binary_le, dnnl_binary_lt,
                 dnnl_binary_eq, dnnl_binary_ne})
        for (const auto type : {dnnl_s8, dnnl_s32})
            EXPECT_TRUE(is_right_in_every_format(with_post_ops({{.alg = dnnl_eltwise_round},
                    {.alg = alg, .mask = all_axes(), .type = type}})));
}

TEST_P(normalization_binary_post_ops, operands_of_any_type) {
    for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s32, dnnl_s8, dnnl_u8})
        for (const auto alg : {dnnl_binary_add, dnnl_binary_mul, dnnl_binary_select})
            for (const int mask : {0, 4, 3, all_axes()})
                EXPECT_TRUE(is_right_in_every_format(
                        with_post_ops({{.alg = alg, .mask = mask, .type = type}})));
}

TEST_P(normalization_binary_post_ops, slopes_below_zero_with_every_broadcast) {
    for (int mask = 0; mask < 8; ++mask)
        EXPECT_TRUE(is_right_in_every_format(
                with_post_ops({{.alg = dnnl_eltwise_linear, .alpha = 2, .beta = 0.125f},
                        {.alg = dnnl_alg_kind_undef, .mask = mask, .is_prelu = true}})));
}

TEST_P(normalization_binary_post_ops, operands_in_any_layout) {
    const auto data = is_layer() ? std::vector{"abc", "acb", "bac", "abc+3", "aBc16b", "aBC16b16c"}
                                 : std::vector{"abcd", "acdb", "aBcd16b"};
    const auto operands =
            is_layer() ? std::vector{"any", "abc", "bca", "cab", "abc+2", "abc*2", "aBc4b"}
                       : std::vector{"any", "", "acdb", "dcba", "abcd+2", "aBcd8b"};
    for (const auto *format : data)
        for (const auto *operand : operands)
            for (const auto alg : {dnnl_binary_sub, dnnl_binary_select})
                for (const int mask : {4, 2, 6, all_axes()})
                    EXPECT_TRUE(is_right(with_post_ops(
                            {{.alg = alg, .mask = mask, .format = operand}}, format)));
}

// Copies of src and dst do not make kernels read such operands.
TEST_P(normalization_binary_post_ops, operands_in_blocks_or_strided_go_by_the_reference) {
    if (!generates_kernels()) GTEST_SKIP() << "no ISA that code is generated for";
    const auto [blocked, strided] =
            is_layer() ? std::pair{"aBc4b", "acb"} : std::pair{"aBcd8b", "abdc"};
    const auto first = [](const char *operand) {
        return implementations(
                with_post_ops({{.alg = dnnl_binary_add, .mask = all_axes(), .format = operand}},
                        is_layer() ? "abc" : "abcd"))
                .front();
    };
    const auto expect_reference = [&](const char *operand, const char *reason) {
        kiln_record_refusals(1);
        EXPECT_EQ(first(operand), "ref:any") << operand;
        kiln_record_refusals(0);
        const std::string told = kiln_recorded_refusals();
        EXPECT_NE(told.find(reason), std::string::npos) << told;
    };
    expect_reference(blocked, "a post-op's tensor has a blocked layout");
    expect_reference(strided, "a post-op's tensor is strided along the axis of vectors");
    EXPECT_NE(first("").substr(0, 3), "ref");
}

TEST_P(normalization_binary_post_ops, operands_of_other_ranks) {
    const auto shapes = is_layer() ? std::vector<dims_t>{{6, 21}, {2, 3, 2, 1, 11},
                                {1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 5}}
                                   : std::vector<dims_t>{{6, 21}, {2, 3, 5}, {2, 3, 2, 1, 11}};
    for (const dims_t &dims : shapes) {
        const int every = (1 << dims.size()) - 1;
        const int last = 1 << (dims.size() - 1);
        for (const int mask : {0, 1, last, every & ~last, every}) {
            auto problem = with_post_ops(
                    {{.alg = dnnl_binary_add, .mask = mask}, {.alg = dnnl_eltwise_gelu_erf}});
            problem.dims = dims;
            EXPECT_TRUE(is_right(problem));
        }
    }
}

TEST_P(normalization_binary_post_ops, chains_are_applied_in_order) {
    const std::vector<post_op_chain_t> chains{
            {{.alg = dnnl_binary_add, .mask = all_axes()}, {.alg = dnnl_eltwise_relu}},
            {{.alg = dnnl_eltwise_relu}, {.alg = dnnl_binary_add, .mask = all_axes()}},
            {{.alg = dnnl_binary_mul, .mask = 4}, {.alg = dnnl_binary_mul, .mask = 3},
                    {.alg = dnnl_eltwise_swish, .alpha = 1}},
            {{.alg = dnnl_eltwise_linear, .alpha = 2, .beta = 1}, {.alg = dnnl_eltwise_square},
                    {.alg = dnnl_binary_sub, .mask = 1, .type = dnnl_bf16},
                    {.alg = dnnl_binary_select, .mask = all_axes(), .format = "any"},
                    {.alg = dnnl_binary_div, .mask = 0, .type = dnnl_s8},
                    {.alg = dnnl_eltwise_tanh}},
    };
    for (const auto &chain : chains)
        for (const auto prop_kind : {dnnl_forward_training, dnnl_forward_inference})
            for (const auto placement : {placement_t::ends_at_guard, placement_t::begins_at_guard})
                for (const unsigned flags : all_flags()) {
                    auto problem = with_post_ops(chain);
                    problem.prop_kind = prop_kind;
                    problem.flags = flags;
                    problem.placement = placement;
                    EXPECT_TRUE(is_right_in_every_format(problem));
                }
}

TEST_P(normalization_binary_post_ops, a_full_chain_of_32) {
    post_op_chain_t chain;
    for (int pair = 0; pair < 16; ++pair) {
        chain.push_back({.alg = dnnl_binary_add, .mask = pair % 8});
        chain.push_back({.alg = dnnl_eltwise_linear, .alpha = 0.5f, .beta = 0.125f});
    }
    EXPECT_TRUE(is_right(with_post_ops(chain)));
}

TEST_P(normalization_binary_post_ops, in_place) {
    auto problem = with_post_ops(
            {{.alg = dnnl_binary_add, .mask = all_axes()}, {.alg = dnnl_eltwise_relu}});
    problem.set_in_place();
    EXPECT_TRUE(is_right_in_every_format(problem));
}

INSTANTIATE_FOR_LAYER_AND_GROUP(normalization_binary_post_ops);

} // namespace

} // namespace kiln::test::normalization
