// SPDX-License-Identifier: Apache-2.0
// Group normalization on the CPU: its implementations, best first.

#include "common/operations/normalization/group_normalization_pd.hpp"
#include "cpu/reference/normalization/empty_normalization.hpp"
#include "cpu/reference/normalization/group_normalization.hpp"
#include "cpu/relaid_normalization.hpp"
#include "cpu/x64/channel_normalization/channels_accept.hpp"
#include "cpu/x64/layer_normalization/accept.hpp"
#include "cpu/x64/with_kernels.hpp"

namespace kiln {
namespace {

refusal_t accept_relaid(group_normalization_pd_t &pd, plan_ptr_t &plan) {
    using desc_t = group_normalization_desc_t;
    static constexpr cpu::described_arg_t<desc_t> forward[] = {
            {DNNL_ARG_DST, &desc_t::dst},
            {DNNL_ARG_SRC, &desc_t::src},
    };
    static constexpr cpu::described_arg_t<desc_t> backward[] = {
            {DNNL_ARG_DIFF_SRC, &desc_t::diff_src},
            {DNNL_ARG_SRC, &desc_t::src},
            {DNNL_ARG_DIFF_DST, &desc_t::diff_dst},
    };
    return cpu::relaid_normalization_accept<desc_t>(
            pd, plan, forward, backward, "jit:channel_columns");
}

} // namespace

std::span<const implementation_t<group_normalization_pd_t>>
group_normalization_pd_t::implementations() {
    using namespace cpu::reference;
    using namespace x64::channel_normalization;
    static constexpr implementation_t<group_normalization_pd_t> list[] = {
            {"jit:rows", x64::with_kernels<x64::layer_normalization::accept_group_rows>},
            {"jit:channel_columns", x64::with_kernels<accept_channels<x64::channel_rows_t::columns,
                                            group_normalization_pd_t>>},
            {"jit:channel_planes", x64::with_kernels<accept_channels<x64::channel_rows_t::planes,
                                           group_normalization_pd_t>>},
            {"jit:relaid", accept_relaid},
            {"ref:any", group_normalization_accept},
            {"ref:empty", empty_normalization_accept},
    };
    return list;
}

} // namespace kiln
