// SPDX-License-Identifier: Apache-2.0
// Every function that a post-op can be.
#include "support/post_op_lists.hpp"

namespace kiln::test {

namespace {

bool needs_positive(dnnl_alg_kind_t alg) {
    return alg == dnnl_eltwise_sqrt || alg == dnnl_eltwise_sqrt_use_dst_for_bwd
           || alg == dnnl_eltwise_log || alg == dnnl_eltwise_pow;
}

} // namespace

const std::vector<post_op_t> &eltwise_ops() {
    static const std::vector<post_op_t> ops{
            {.alg = dnnl_eltwise_relu},
            {.alg = dnnl_eltwise_relu, .alpha = 0.25f},
            {.alg = dnnl_eltwise_tanh},
            {.alg = dnnl_eltwise_elu, .alpha = 0.75f},
            {.alg = dnnl_eltwise_square},
            {.alg = dnnl_eltwise_abs},
            {.alg = dnnl_eltwise_sqrt},
            {.alg = dnnl_eltwise_linear, .alpha = -1.5f, .beta = 0.375f},
            {.alg = dnnl_eltwise_soft_relu, .alpha = 1},
            {.alg = dnnl_eltwise_soft_relu, .alpha = 2.5f},
            {.alg = dnnl_eltwise_soft_relu, .alpha = -0.5f},
            {.alg = dnnl_eltwise_hardsigmoid, .alpha = 0.4f, .beta = 0.55f},
            {.alg = dnnl_eltwise_logistic},
            {.alg = dnnl_eltwise_exp},
            {.alg = dnnl_eltwise_gelu_tanh},
            {.alg = dnnl_eltwise_gelu_erf},
            {.alg = dnnl_eltwise_swish, .alpha = 1},
            {.alg = dnnl_eltwise_swish, .alpha = -1.75f},
            {.alg = dnnl_eltwise_log},
            {.alg = dnnl_eltwise_clip, .alpha = -0.5f, .beta = 0.75f},
            {.alg = dnnl_eltwise_clip_v2, .alpha = -0.5f, .beta = 0.75f},
            {.alg = dnnl_eltwise_pow, .alpha = 1.5f, .beta = 2},
            {.alg = dnnl_eltwise_pow, .alpha = 0.5f, .beta = -1.25f},
            {.alg = dnnl_eltwise_round},
            {.alg = dnnl_eltwise_mish},
            {.alg = dnnl_eltwise_hardswish, .alpha = 0.3f, .beta = 0.5f},
            {.alg = dnnl_eltwise_relu_use_dst_for_bwd, .alpha = 0.25f},
            {.alg = dnnl_eltwise_tanh_use_dst_for_bwd},
            {.alg = dnnl_eltwise_elu_use_dst_for_bwd, .alpha = 0.75f},
            {.alg = dnnl_eltwise_sqrt_use_dst_for_bwd},
            {.alg = dnnl_eltwise_logistic_use_dst_for_bwd},
            {.alg = dnnl_eltwise_exp_use_dst_for_bwd},
            {.alg = dnnl_eltwise_clip_v2_use_dst_for_bwd, .alpha = -0.5f, .beta = 0.75f},
    };
    return ops;
}

const std::vector<dnnl_alg_kind_t> &binary_algs() {
    static const std::vector<dnnl_alg_kind_t> algs{dnnl_binary_add, dnnl_binary_mul,
            dnnl_binary_max, dnnl_binary_min, dnnl_binary_div, dnnl_binary_sub, dnnl_binary_ge,
            dnnl_binary_gt, dnnl_binary_le, dnnl_binary_lt, dnnl_binary_eq, dnnl_binary_ne,
            dnnl_binary_select};
    return algs;
}

post_op_chain_t defined_chain(const post_op_t &op, dnnl_data_type_t dst_type) {
    post_op_chain_t chain{op};
    if (needs_positive(op.alg))
        chain = {{.alg = dnnl_eltwise_abs}, {.alg = dnnl_eltwise_linear, .alpha = 1, .beta = 0.25f},
                op};
    if (dst_type == dnnl_s8) // integers make large numbers, where exp would overflow
        chain.insert(chain.begin(), {.alg = dnnl_eltwise_linear, .alpha = 0.03125f, .beta = 0});
    return chain;
}

} // namespace kiln::test
