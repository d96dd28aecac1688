// SPDX-License-Identifier: Apache-2.0
// PReLU on the CPU: its implementations, best first.

#include "common/operations/prelu_pd.hpp"
#include "cpu/reference/prelu.hpp"
#include "cpu/relaid.hpp"
#include "cpu/x64/prelu/rows_prelu.hpp"
#include "cpu/x64/with_kernels.hpp"

namespace kiln {
namespace {

refusal_t accept_relaid(prelu_pd_t &pd, plan_ptr_t &plan) {
    static constexpr cpu::described_arg_t<prelu_desc_t> forward[] = {
            {DNNL_ARG_DST, &prelu_desc_t::dst},
            {DNNL_ARG_WEIGHTS, &prelu_desc_t::weights},
            {DNNL_ARG_SRC, &prelu_desc_t::src},
    };
    static constexpr cpu::described_arg_t<prelu_desc_t> backward[] = {
            {DNNL_ARG_DIFF_SRC, &prelu_desc_t::diff_src},
            {DNNL_ARG_WEIGHTS, &prelu_desc_t::weights},
            {DNNL_ARG_SRC, &prelu_desc_t::src},
            {DNNL_ARG_DIFF_DST, &prelu_desc_t::diff_dst},
            {DNNL_ARG_DIFF_WEIGHTS, &prelu_desc_t::diff_weights},
    };
    using tensors_t = std::span<const cpu::described_arg_t<prelu_desc_t>>;
    return cpu::relaid_accept<prelu_desc_t>(
            pd, plan, pd.is_forward() ? tensors_t(forward) : tensors_t(backward));
}

} // namespace

std::span<const implementation_t<prelu_pd_t>> prelu_pd_t::implementations() {
    using namespace cpu::reference;
    using enum x64::row_layouts_t;
    static constexpr implementation_t<prelu_pd_t> list[] = {
            {"jit:rows", x64::with_kernels<x64::rows_prelu_accept>},
            {"jit:relaid", accept_relaid},
            {"jit:strided_rows", x64::with_kernels<x64::accept_elementwise<strided, prelu_pd_t>>},
            {"ref:any", prelu_accept},
    };
    return list;
}

} // namespace kiln
