// SPDX-License-Identifier: Apache-2.0
// Batch and group normalization by generated kernels: what is taken, and in which shape of work.

#include "cpu/x64/channel_normalization/channels_accept.hpp"

#include "common/one_of.hpp"
#include "cpu/x64/channel_normalization/batch_normalization_backward.hpp"
#include "cpu/x64/channel_normalization/batch_normalization_forward.hpp"
#include "cpu/x64/channel_normalization/group_normalization_backward.hpp"
#include "cpu/x64/channel_normalization/group_normalization_forward.hpp"

namespace kiln::x64::channel_normalization {
namespace {

/// An operation's two directions.
template <typename pd_t> struct directions_t;
template <> struct directions_t<batch_normalization_pd_t> {
    using forward_t = batch_normalization_forward_t;
    using backward_t = batch_normalization_backward_t;
};
template <> struct directions_t<group_normalization_pd_t> {
    using forward_t = group_normalization_forward_t;
    using backward_t = group_normalization_backward_t;
};

template <typename pd_t> refusal_t make_plan(const pd_t &pd, std::optional<channel_plan_t> &plan) {
    using directions = directions_t<pd_t>;
    return pd.is_forward()
                   ? channels_forward_t::make_plan(directions::forward_t::desc_of(pd), plan)
                   : channels_backward_t::make_plan(directions::backward_t::desc_of(pd), plan);
}

/// What one operation asks besides.
refusal_t check(batch_normalization_pd_t &pd) {
    if (pd.has_relu_operand() && !jit::lanes_io_t::can_load(pd.relu_operand().data_type))
        return refused("unsupported datatype of a ReLU's operand");
    return accepted();
}
refusal_t check(group_normalization_pd_t &pd) {
    for (const memory_desc_t *md : {&pd.src(), &pd.dst(), &pd.diff_src(), &pd.diff_dst()})
        if (!is_zero(*md) && !is_plain(*md)) return refused("a tensor has a blocked layout");
    return accepted();
}

size_t extra_scratchpad(const batch_normalization_pd_t &) { return 0; }
size_t extra_scratchpad(const group_normalization_pd_t &pd) {
    return pd.is_forward() ? 0 : group_normalization_backward_t::shares_size(pd);
}

template <typename pd_t> refusal_t accept(pd_t &pd, channel_rows_t kind) {
    if (!has_isa(isa_t::avx2)) return refused("the processor has no AVX2");
    if (has_zero_dim(pd.src())) return refused("src has no elements");
    for (const memory_desc_t *md : {&pd.src(), &pd.dst(), &pd.diff_src(), &pd.diff_dst()})
        if (!is_zero(*md)
                && !one_of(md->data_type, {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8}))
            return refused("unsupported datatype");
    if (const refusal_t refusal = check(pd)) return refusal;
    if (!pd.is_forward() && !pd.attr().post_ops.entries.empty())
        return refused("post-ops on a gradient");
    post_op_operands_t post_ops;
    if (const refusal_t refusal =
                    find_post_op_operands(pd, channel_plan_t::row_axis(pd.src()), post_ops))
        return refusal;
    std::optional<channel_plan_t> plan;
    if (const refusal_t refusal = make_plan(pd, plan)) return refusal;
    if (!channel_arrays_t(*plan).are_addressable()) return refused("too many channels");
    if (plan->rows_kind() != kind)
        return refused(kind == channel_rows_t::planes ? "channels are the innermost axis"
                                                      : "channels are not the innermost axis");
    pd.set_scratchpad_size((pd.is_forward() ? channels_forward_t::scratchpad_size(*plan)
                                            : channels_backward_t::scratchpad_size(*plan))
                           + extra_scratchpad(pd));
    // What pads a block is zero again if it was: all its values are zero.
    if (post_ops.chain.empty()) pd.set_implementation_pads();
    return accepted();
}

template <typename pd_t> status_t create(const pd_t &pd, std::unique_ptr<primitive_impl_t> &impl) {
    using directions = directions_t<pd_t>;
    std::optional<channel_plan_t> plan;
    if (make_plan(pd, plan)) return dnnl_runtime_error;
    if (pd.is_forward())
        impl = std::make_unique<typename directions::forward_t>(pd, *std::move(plan));
    else
        impl = std::make_unique<typename directions::backward_t>(pd, *std::move(plan));
    return dnnl_success;
}

} // namespace

refusal_t channel_columns_accept(batch_normalization_pd_t &pd) {
    return accept(pd, channel_rows_t::columns);
}
refusal_t channel_columns_accept(group_normalization_pd_t &pd) {
    return accept(pd, channel_rows_t::columns);
}
refusal_t channel_planes_accept(batch_normalization_pd_t &pd) {
    return accept(pd, channel_rows_t::planes);
}
refusal_t channel_planes_accept(group_normalization_pd_t &pd) {
    return accept(pd, channel_rows_t::planes);
}

status_t channels_create(
        const batch_normalization_pd_t &pd, std::unique_ptr<primitive_impl_t> &impl) {
    return create(pd, impl);
}
status_t channels_create(
        const group_normalization_pd_t &pd, std::unique_ptr<primitive_impl_t> &impl) {
    return create(pd, impl);
}

} // namespace kiln::x64::channel_normalization
