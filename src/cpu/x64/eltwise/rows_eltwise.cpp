// SPDX-License-Identifier: Apache-2.0
// Elementwise functions as rows: dst = post_ops(alg(src)), diff_src = alg'(data) * diff_dst.

#include "cpu/x64/eltwise/rows_eltwise.hpp"

#include "cpu/x64/post_op_operands.hpp"

namespace kiln::x64 {

refusal_t describe_elementwise(
        const eltwise_pd_t &pd, operand_layouts_t &layouts, elementwise_spec_t &spec) {
    spec.operation = pd.is_forward() ? "eltwise_fwd_row" : "eltwise_bwd_row";
    const eltwise_desc_t &desc = pd.desc();
    layouts.add(pd.result_arg(), pd.result());
    layouts.add(pd.data_arg(), pd.data());
    spec.chain.push_back({.alg = desc.alg,
            .alpha = desc.alpha,
            .beta = desc.beta,
            .is_derivative = !pd.is_forward()});
    if (const refusal_t refusal = jit::check_post_op(spec.chain.back())) return refusal;
    if (pd.is_forward()) return add_post_ops(pd, layouts, spec.chain);
    layouts.add(DNNL_ARG_DIFF_DST, pd.diff_dst());
    spec.chain.push_back({.alg = dnnl_binary_mul, .operands = {{pd.diff_dst().data_type, true}}});
    return accepted();
}

} // namespace kiln::x64
