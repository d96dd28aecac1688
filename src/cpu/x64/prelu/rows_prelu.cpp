// SPDX-License-Identifier: Apache-2.0
// PReLU as rows: dst = src > 0 ? src : weights * src.

#include "cpu/x64/prelu/rows_prelu.hpp"

namespace kiln::x64 {
namespace {

refusal_t check_types(const prelu_pd_t &pd) {
    for (const data_type_t type : {pd.src().data_type, pd.weights().data_type})
        if (!jit::lanes_io_t::can_convert(type))
            return refused("src or weights are not f32, bf16, f16, f8, s32, s8 or u8");
    return accepted();
}

} // namespace

refusal_t describe_elementwise(
        const prelu_pd_t &pd, operand_layouts_t &layouts, elementwise_spec_t &spec) {
    if (!pd.is_forward()) return refused("propagation is backward; this implementation is forward");
    spec.operation = "prelu_fwd_row";
    layouts.add(DNNL_ARG_DST, pd.dst());
    layouts.add(DNNL_ARG_SRC, pd.src());
    layouts.add_broadcast(DNNL_ARG_WEIGHTS, pd.weights());
    spec.chain.push_back({.alg = dnnl_binary_mul,
            .operands = {{pd.weights().data_type, true}},
            .is_prelu = true});
    return accepted();
}

refusal_t rows_prelu_accept(prelu_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    if (pd.is_forward()) return accept_elementwise<row_layouts_t::adjacent>(pd, isa, plan);
    if (const refusal_t refusal = check_types(pd)) return refusal;
    return rows_prelu_backward_accept(pd, isa, plan);
}

} // namespace kiln::x64
