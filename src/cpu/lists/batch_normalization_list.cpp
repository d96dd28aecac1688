// SPDX-License-Identifier: Apache-2.0
// Batch normalization on the CPU: its implementations, best first.

#include "common/operations/normalization/batch_normalization_pd.hpp"
#include "cpu/reference/normalization/batch_normalization.hpp"
#include "cpu/reference/normalization/empty_normalization.hpp"
#include "cpu/relaid_normalization.hpp"
#include "cpu/x64/channel_normalization/channels_accept.hpp"
#include "cpu/x64/with_kernels.hpp"

namespace kiln {
namespace {

/// A ReLU's mask has the order of src, which is not copied then.
refusal_t accept_relaid(batch_normalization_pd_t &pd, plan_ptr_t &plan) {
    using desc_t = batch_normalization_desc_t;
    static constexpr cpu::described_arg_t<desc_t> forward[] = {
            {DNNL_ARG_SRC, &desc_t::src},
            {DNNL_ARG_DST, &desc_t::dst},
            {DNNL_ARG_SRC_1, &desc_t::dst},
    };
    static constexpr cpu::described_arg_t<desc_t> backward[] = {
            {DNNL_ARG_SRC, &desc_t::src},
            {DNNL_ARG_DIFF_SRC, &desc_t::diff_src},
            {DNNL_ARG_DIFF_DST, &desc_t::diff_dst},
            {DNNL_ARG_DIFF_SRC_1, &desc_t::diff_dst},
            {DNNL_ARG_DST, &desc_t::relu_operand},
    };
    using enum cpu::relaid_to_t;
    return cpu::relaid_normalization_accept<desc_t>(pd, plan, forward, backward, "jit:columns",
            pd.has_relu_mask() ? first : first_or_row_major);
}

} // namespace

std::span<const implementation_t<batch_normalization_pd_t>>
batch_normalization_pd_t::implementations() {
    using namespace cpu::reference;
    using namespace x64::channel_normalization;
    static constexpr implementation_t<batch_normalization_pd_t> list[] = {
            {"jit:columns", x64::with_kernels<accept_batch_columns>},
            {"jit:channel_columns", x64::with_kernels<accept_channels<x64::channel_rows_t::columns,
                                            batch_normalization_pd_t>>},
            {"jit:channel_planes", x64::with_kernels<accept_channels<x64::channel_rows_t::planes,
                                           batch_normalization_pd_t>>},
            {"jit:relaid", accept_relaid},
            {"ref:any", batch_normalization_accept},
            {"ref:empty", empty_normalization_accept},
    };
    return list;
}

} // namespace kiln
