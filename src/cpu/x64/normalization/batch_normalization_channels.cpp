// SPDX-License-Identifier: Apache-2.0
// Batch normalization by generated kernels: what is taken, and in which shape of work.

#include "cpu/x64/normalization/batch_normalization_channels.hpp"

#include "common/one_of.hpp"
#include "cpu/x64/normalization/batch_normalization_backward.hpp"
#include "cpu/x64/normalization/batch_normalization_forward.hpp"
#include "cpu/x64/normalization/post_op_operands.hpp"

namespace kiln::x64::normalization {
namespace {

refusal_t make_plan(const batch_normalization_pd_t &pd, std::optional<channel_plan_t> &plan) {
    return pd.is_forward() ? batch_normalization_forward_t::make_plan(pd, plan)
                           : batch_normalization_backward_t::make_plan(pd, plan);
}

refusal_t accept(batch_normalization_pd_t &pd, channel_rows_t kind) {
    constexpr dim_t most_channels = dim_t(1) << 24; // whose values kernels can address
    if (!has_isa(isa_t::avx2)) return refused("the processor has no AVX2");
    if (has_zero_dim(pd.src())) return refused("src has no elements");
    if (!one_of(pd.src().data_type, {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8}))
        return refused("unsupported datatype");
    if (pd.channels() > most_channels) return refused("too many channels");
    post_op_operands_t post_ops;
    if (const refusal_t refusal = find_post_op_operands(pd, 1, post_ops)) return refusal;
    std::optional<channel_plan_t> plan;
    if (const refusal_t refusal = make_plan(pd, plan)) return refusal;
    if (plan->rows_kind() != kind)
        return refused(kind == channel_rows_t::planes ? "channels lie innermost"
                                                      : "no channels lie innermost");
    pd.set_scratchpad_size(pd.is_forward()
                                   ? batch_normalization_forward_t::scratchpad_size(*plan)
                                   : batch_normalization_backward_t::scratchpad_size(*plan));
    // What pads a block is zero again if it was: all its values are zero.
    if (post_ops.chain.empty()) pd.set_implementation_pads();
    return accepted();
}

} // namespace

refusal_t batch_normalization_columns_accept(batch_normalization_pd_t &pd) {
    return accept(pd, channel_rows_t::columns);
}

refusal_t batch_normalization_planes_accept(batch_normalization_pd_t &pd) {
    return accept(pd, channel_rows_t::planes);
}

status_t batch_normalization_channels_create(
        const batch_normalization_pd_t &pd, std::unique_ptr<primitive_impl_t> &impl) {
    std::optional<channel_plan_t> plan;
    if (make_plan(pd, plan)) return dnnl_runtime_error;
    if (pd.is_forward())
        impl = std::make_unique<batch_normalization_forward_t>(pd, *std::move(plan));
    else
        impl = std::make_unique<batch_normalization_backward_t>(pd, *std::move(plan));
    return dnnl_success;
}

} // namespace kiln::x64::normalization
