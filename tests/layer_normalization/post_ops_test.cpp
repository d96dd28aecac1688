// SPDX-License-Identifier: Apache-2.0
// Post-ops: every function, every broadcast, operands of any type and layout, chains.
#include <gtest/gtest.h>

#include "layer_normalization/forward_case.hpp"
#include "support/post_op_lists.hpp"

namespace kiln::test::layer_normalization {

namespace {

constexpr int all_axes = 7; // of a 3-D tensor

problem_t with_post_ops(const post_op_chain_t &chain) {
    problem_t problem;
    problem.prop_kind = dnnl_forward_inference;
    problem.dims = {3, 4, 23};
    problem.flags = scale | shift;
    problem.post_ops = chain;
    return problem;
}

/// On rows and on columns.
testing::AssertionResult is_right_either_way(problem_t problem) {
    if (const auto rows = is_forward_right(problem); !rows) return rows;
    problem.src_format = problem.dst_format = "acb";
    return is_forward_right(problem);
}

std::string implementation_of(const problem_t &problem) {
    const auto primitive_desc = accepted_primitive_desc(problem);
    const char *name = nullptr;
    require(dnnl_primitive_desc_query(primitive_desc, dnnl_query_impl_info_str, 0, &name),
            to_string(problem));
    return name;
}

TEST(layer_normalization_post_ops, generated_kernels_apply_them) {
    if (dnnl_get_effective_cpu_isa() < dnnl_cpu_isa_avx2) GTEST_SKIP() << "no ISA to generate for";
    for (const std::string format : {"abc", "acb"})
        for (int mask = 0; mask <= all_axes; ++mask) {
            auto problem =
                    with_post_ops({{.alg = dnnl_binary_select, .mask = mask, .format = "any"},
                            {.alg = dnnl_eltwise_gelu_erf}});
            problem.src_format = problem.dst_format = format;
            EXPECT_EQ(implementation_of(problem), format == "abc" ? "jit:rows" : "jit:columns");
        }
}

TEST(layer_normalization_post_ops, every_elementwise_function) {
    for (const auto &op : eltwise_ops())
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64, dnnl_s8}) {
            auto problem = with_post_ops(defined_chain(op, type));
            problem.dst_type = type;
            EXPECT_TRUE(is_right_either_way(problem));
        }
}

TEST(layer_normalization_post_ops, functions_that_have_no_value_give_nan) {
    for (const auto alg : {dnnl_eltwise_sqrt, dnnl_eltwise_log})
        EXPECT_TRUE(is_right_either_way(with_post_ops(
                {{.alg = dnnl_eltwise_clip, .alpha = -3, .beta = -1}, {.alg = alg}})));
}

TEST(layer_normalization_post_ops, every_binary_function_with_every_broadcast) {
    for (const auto alg : binary_algs())
        for (int mask = 0; mask <= all_axes; ++mask)
            for (const std::string format : {"", "any"})
                EXPECT_TRUE(is_right_either_way(
                        with_post_ops({{.alg = alg, .mask = mask, .format = format}})));
}

// Rounding first makes operands meet exactly.
TEST(layer_normalization_post_ops, comparisons_of_equal_values) {
    for (const auto alg : {dnnl_binary_ge, dnnl_binary_gt, dnnl_binary_le, dnnl_binary_lt,
                 dnnl_binary_eq, dnnl_binary_ne})
        for (const auto type : {dnnl_s8, dnnl_s32})
            EXPECT_TRUE(is_right_either_way(with_post_ops(
                    {{.alg = dnnl_eltwise_round}, {.alg = alg, .mask = all_axes, .type = type}})));
}

TEST(layer_normalization_post_ops, operands_of_any_type) {
    for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s32, dnnl_s8, dnnl_u8})
        for (const auto alg : {dnnl_binary_add, dnnl_binary_mul, dnnl_binary_select})
            for (const int mask : {0, 4, 3, all_axes})
                EXPECT_TRUE(is_right_either_way(
                        with_post_ops({{.alg = alg, .mask = mask, .type = type}})));
}

TEST(layer_normalization_post_ops, operands_in_any_layout) {
    for (const std::string data : {"abc", "acb", "bac", "abc+3", "aBc16b", "aBC16b16c"})
        for (const std::string operand : {"any", "abc", "bca", "cab", "abc+2", "abc*2", "aBc4b"})
            for (const auto alg : {dnnl_binary_sub, dnnl_binary_select})
                for (const int mask : {4, 2, 6, all_axes}) {
                    auto problem = with_post_ops({{.alg = alg, .mask = mask, .format = operand}});
                    problem.src_format = problem.dst_format = data;
                    EXPECT_TRUE(is_forward_right(problem));
                }
}

TEST(layer_normalization_post_ops, of_matrices_and_of_many_axes) {
    for (const dims_t &dims :
            {dims_t{6, 21}, dims_t{2, 3, 2, 1, 11}, dims_t{1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 5}}) {
        const int every = (1 << dims.size()) - 1;
        const int last = 1 << (dims.size() - 1);
        for (const int mask : {0, 1, last, every & ~last, every}) {
            auto problem = with_post_ops(
                    {{.alg = dnnl_binary_add, .mask = mask}, {.alg = dnnl_eltwise_gelu_erf}});
            problem.dims = dims;
            EXPECT_TRUE(is_forward_right(problem));
        }
    }
}

const std::vector<post_op_chain_t> chains{
        {{.alg = dnnl_binary_add, .mask = all_axes}, {.alg = dnnl_eltwise_relu}},
        {{.alg = dnnl_eltwise_relu}, {.alg = dnnl_binary_add, .mask = all_axes}},
        {{.alg = dnnl_binary_mul, .mask = 4}, {.alg = dnnl_binary_mul, .mask = 3},
                {.alg = dnnl_eltwise_swish, .alpha = 1}},
        {{.alg = dnnl_eltwise_linear, .alpha = 2, .beta = 1}, {.alg = dnnl_eltwise_square},
                {.alg = dnnl_binary_sub, .mask = 1, .type = dnnl_bf16},
                {.alg = dnnl_binary_select, .mask = all_axes, .format = "any"},
                {.alg = dnnl_binary_div, .mask = 0, .type = dnnl_s8}, {.alg = dnnl_eltwise_tanh}},
};

TEST(layer_normalization_post_ops, run_in_the_order_of_the_chain) {
    for (const auto &chain : chains)
        for (const auto prop_kind : {dnnl_forward_training, dnnl_forward_inference})
            for (const unsigned flags : all_flags()) {
                auto problem = with_post_ops(chain);
                problem.prop_kind = prop_kind;
                problem.flags = flags;
                EXPECT_TRUE(is_right_either_way(problem));
            }
}

TEST(layer_normalization_post_ops, a_full_chain_of_32) {
    post_op_chain_t chain;
    for (int pair = 0; pair < 16; ++pair) {
        chain.push_back({.alg = dnnl_binary_add, .mask = pair % 8});
        chain.push_back({.alg = dnnl_eltwise_linear, .alpha = 0.5f, .beta = 0.125f});
    }
    EXPECT_TRUE(is_forward_right(with_post_ops(chain)));
}

TEST(layer_normalization_post_ops, in_place_with_post_ops) {
    auto problem =
            with_post_ops({{.alg = dnnl_binary_add, .mask = all_axes}, {.alg = dnnl_eltwise_relu}});
    problem.in_place = true;
    EXPECT_TRUE(is_right_either_way(problem));
}

} // namespace

} // namespace kiln::test::layer_normalization
