// SPDX-License-Identifier: Apache-2.0
// Softmax on the CPU: its implementations, best first.

#include "common/operations/softmax_pd.hpp"
#include "cpu/reference/softmax.hpp"
#include "cpu/relaid.hpp"
#include "cpu/x64/softmax/softmax.hpp"
#include "cpu/x64/with_kernels.hpp"

namespace kiln {
namespace {

refusal_t accept_relaid(softmax_pd_t &pd, plan_ptr_t &plan) {
    using tensor_t = cpu::described_arg_t<softmax_desc_t>;
    static constexpr tensor_t forward[] = {
            {DNNL_ARG_DST, &softmax_desc_t::dst},
            {DNNL_ARG_SRC, &softmax_desc_t::src},
    };
    static constexpr tensor_t backward[] = {
            {DNNL_ARG_DIFF_SRC, &softmax_desc_t::diff_src},
            {DNNL_ARG_DST, &softmax_desc_t::dst},
            {DNNL_ARG_DIFF_DST, &softmax_desc_t::diff_dst},
    };
    using tensors_t = std::span<const tensor_t>;
    return cpu::relaid_accept<softmax_desc_t>(pd, plan,
            pd.is_forward() ? tensors_t(forward) : tensors_t(backward),
            cpu::relaid_to_t::first_or_row_major);
}

} // namespace

std::span<const implementation_t<softmax_pd_t>> softmax_pd_t::implementations() {
    static constexpr implementation_t<softmax_pd_t> list[] = {
            {"jit:rows", x64::with_kernels<x64::softmax::accept_rows>},
            {"jit:columns", x64::with_kernels<x64::softmax::accept_columns>},
            {"jit:relaid", accept_relaid},
            {"ref:any", cpu::reference::softmax_accept},
    };
    return list;
}

} // namespace kiln
