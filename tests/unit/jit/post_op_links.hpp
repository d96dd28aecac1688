// SPDX-License-Identifier: Apache-2.0
// Links of chains of post-ops.
#pragma once

#include "cpu/x64/jit/post_op_chain.hpp"

#include <vector>

#include "common/attributes/alg_kind.hpp"
#include "unit/jit/block.hpp"

namespace kiln::x64::jit::test {

using namespace kiln::test;

constexpr data_type_t types[] = {
        dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f8_e5m2, dnnl_f8_e4m3, dnnl_s32, dnnl_s8, dnnl_u8};

/// A link of a binary algorithm whose operands are alike.
inline post_op_link_t binary_link(alg_kind_t alg, post_op_operand_t operand) {
    post_op_link_t link{.alg = alg, .operands = {operand}};
    if (alg == dnnl_binary_select) link.operands.push_back(operand);
    return link;
}

inline post_op_link_t eltwise_link(alg_kind_t alg, float alpha = 0, float beta = 0) {
    return {.alg = alg, .alpha = alpha, .beta = beta};
}

/// Every kind of link, with an operand of every type.
inline const std::vector<post_op_link_t> &long_chain() {
    static const std::vector<post_op_link_t> links{
            binary_link(dnnl_binary_add, {dnnl_bf16, true}),
            eltwise_link(dnnl_eltwise_relu, 0.25f),
            binary_link(dnnl_binary_mul, {dnnl_f32, false}),
            eltwise_link(dnnl_eltwise_tanh),
            {.alg = dnnl_binary_select, .operands = {{dnnl_f16, true}, {dnnl_s8, true}}},
            binary_link(dnnl_binary_sub, {dnnl_s32, true}),
            eltwise_link(dnnl_eltwise_linear, 2, 1),
            binary_link(dnnl_binary_max, {dnnl_u8, false}),
            eltwise_link(dnnl_eltwise_square),
    };
    return links;
}

} // namespace kiln::x64::jit::test
