// SPDX-License-Identifier: Apache-2.0
// Layer normalization on the CPU: its implementations, best first.

#include "common/operations/normalization/layer_normalization_pd.hpp"
#include "cpu/reference/normalization/empty_normalization.hpp"
#include "cpu/reference/normalization/layer_normalization.hpp"
#include "cpu/reference/normalization/layer_normalization_rows.hpp"
#include "cpu/relaid_normalization.hpp"
#include "cpu/x64/layer_normalization/accept.hpp"
#include "cpu/x64/with_kernels.hpp"

namespace kiln {
namespace {

refusal_t accept_relaid(layer_normalization_pd_t &pd, plan_ptr_t &plan) {
    using desc_t = layer_normalization_desc_t;
    static constexpr cpu::described_arg_t<desc_t> forward[] = {
            {DNNL_ARG_DST, &desc_t::dst},
            {DNNL_ARG_SRC, &desc_t::src},
            {DNNL_ARG_MEAN, &desc_t::stat},
            {DNNL_ARG_VARIANCE, &desc_t::stat},
            {DNNL_ARG_SRC_1, &desc_t::src_1},
            {DNNL_ARG_DST_1, &desc_t::sum},
            {DNNL_ARG_DST_2, &desc_t::row_scale},
    };
    static constexpr cpu::described_arg_t<desc_t> backward[] = {
            {DNNL_ARG_DIFF_SRC, &desc_t::diff_src},
            {DNNL_ARG_SRC, &desc_t::src},
            {DNNL_ARG_DIFF_DST, &desc_t::diff_dst},
            {DNNL_ARG_MEAN, &desc_t::stat},
            {DNNL_ARG_VARIANCE, &desc_t::stat},
    };
    return cpu::relaid_normalization_accept<desc_t>(pd, plan, forward, backward, "jit:rows");
}

} // namespace

std::span<const implementation_t<layer_normalization_pd_t>>
layer_normalization_pd_t::implementations() {
    using namespace cpu::reference;
    static constexpr implementation_t<layer_normalization_pd_t> list[] = {
            {"jit:rows", x64::with_kernels<x64::layer_normalization::accept_rows>},
            {"jit:columns", x64::with_kernels<x64::layer_normalization::accept_columns>},
            {"jit:relaid", accept_relaid},
            {"ref:rows", layer_normalization_rows_accept},
            {"ref:any", layer_normalization_accept},
            {"ref:empty", empty_normalization_accept},
    };
    return list;
}

} // namespace kiln
