// SPDX-License-Identifier: Apache-2.0
// Elementwise functions on the CPU: their implementations, best first.

#include "common/operations/eltwise_pd.hpp"
#include "cpu/reference/eltwise.hpp"
#include "cpu/relaid.hpp"
#include "cpu/x64/eltwise/rows_eltwise.hpp"
#include "cpu/x64/with_kernels.hpp"

namespace kiln {
namespace {

refusal_t accept_relaid(eltwise_pd_t &pd, plan_ptr_t &plan) {
    static constexpr cpu::described_arg_t<eltwise_desc_t> forward[] = {
            {DNNL_ARG_DST, &eltwise_desc_t::dst},
            {DNNL_ARG_SRC, &eltwise_desc_t::data},
    };
    const cpu::described_arg_t<eltwise_desc_t> backward[] = {
            {DNNL_ARG_DIFF_SRC, &eltwise_desc_t::diff_src},
            {pd.data_arg(), &eltwise_desc_t::data},
            {DNNL_ARG_DIFF_DST, &eltwise_desc_t::diff_dst},
    };
    using tensors_t = std::span<const cpu::described_arg_t<eltwise_desc_t>>;
    return cpu::relaid_accept<eltwise_desc_t>(
            pd, plan, pd.is_forward() ? tensors_t(forward) : tensors_t(backward));
}

} // namespace

std::span<const implementation_t<eltwise_pd_t>> eltwise_pd_t::implementations() {
    using namespace cpu::reference;
    using enum x64::row_layouts_t;
    static constexpr implementation_t<eltwise_pd_t> list[] = {
            {"jit:rows", x64::with_kernels<x64::accept_elementwise<adjacent, eltwise_pd_t>>},
            {"jit:relaid", accept_relaid},
            {"jit:strided_rows", x64::with_kernels<x64::accept_elementwise<strided, eltwise_pd_t>>},
            {"ref:any", eltwise_accept},
    };
    return list;
}

} // namespace kiln
