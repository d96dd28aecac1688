// SPDX-License-Identifier: Apache-2.0
// Batch and group normalization by generated kernels: which problems they accept.

#include "cpu/x64/channel_normalization/channels_accept.hpp"

#include <type_traits>

#include "cpu/x64/channel_normalization/channels_execution.hpp"
#include "cpu/x64/post_op_operands.hpp"

namespace kiln::x64::channel_normalization {
namespace {

constexpr unsigned axis_bit(int axis) { return 1u << axis; }

/// What batch and group normalization have in common.
template <typename pd_t> channels_problem_t common_problem_of(const pd_t &pd) {
    return {.is_forward = pd.is_forward(),
            .channels = pd.channels(),
            .samples = pd.src().dims[0],
            .epsilon = pd.desc().epsilon,
            .reads_stats = pd.reads_stats(),
            .writes_stats = pd.writes_stats(),
            .has_constant_stats = pd.has_global_stats(),
            .ranks = pd.attr().ranks,
            .combines_statistics = pd.combines_statistics(),
            .combines_weight_gradients = pd.combines_weight_gradients(),
            .message_size = pd.message_size()};
}

channels_problem_t problem_of(const batch_normalization_pd_t &pd) {
    channels_problem_t problem = common_problem_of(pd);
    problem.kept_axes = axis_bit(1);
    problem.channel_size = pd.channel_size();
    problem.has_relu = pd.has_relu();
    return problem;
}

channels_problem_t problem_of(const group_normalization_pd_t &pd) {
    channels_problem_t problem = common_problem_of(pd);
    problem.kept_axes = axis_bit(0) | axis_bit(1);
    // Where a group is one channel of several, each channel has its own statistics. Not so
    // backward, where gradients of scale and shift are summed over samples.
    const bool is_channel = pd.is_forward() && pd.channels_per_group() == 1 && pd.channels() > 1;
    problem.channels_per_group = is_channel ? 0 : pd.channels_per_group();
    problem.channel_size = pd.plane_size();
    return problem;
}

/// The ReLU's mask, or backward its operand.
template <typename pd_t> void add_relu(const pd_t &pd, operand_layouts_t &layouts) {
    if constexpr (std::is_same_v<pd_t, batch_normalization_pd_t>) {
        if (pd.has_relu_operand()) return layouts.add(DNNL_ARG_DST, pd.relu_operand());
        if (pd.has_relu_mask()) return layouts.add_mask(DNNL_ARG_WORKSPACE, pd.relu_mask());
    }
    layouts.add(DNNL_ARG_WORKSPACE); // which executions do not take
}

/// In the order of forward_operand or backward_operand.
template <typename pd_t>
refusal_t add_operands(
        const pd_t &pd, operand_layouts_t &layouts, std::vector<jit::post_op_link_t> &post_ops) {
    layouts.add(DNNL_ARG_SRC);
    if (pd.is_forward()) {
        layouts.add({DNNL_ARG_DST, DNNL_ARG_SRC_1});
        add_relu(pd, layouts);
        return add_post_ops_along(pd, channel_plan_t::row_axis(pd.src()), layouts, post_ops);
    }
    if (!pd.attr().post_ops.entries.empty()) return refused("post-ops are applied to a gradient");
    layouts.add(DNNL_ARG_DIFF_DST);
    add_relu(pd, layouts);
    const data_type_t relu_type = layouts.operands()[backward_operand::relu].type;
    if (relu_type != dnnl_data_type_undef && !jit::lanes_io_t::can_convert(relu_type))
        return refused("the ReLU's operand is not f32, bf16, f16, f8, s32, s8 or u8");
    layouts.add({DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_SRC_1});
    return accepted();
}

/// In the order of parameter_t.
operands_t parameters_of(const primitive_desc_t &pd) {
    operand_layouts_t layouts(pd);
    layouts.add_shared({DNNL_ARG_MEAN, DNNL_ARG_VARIANCE, DNNL_ARG_SCALE, DNNL_ARG_SHIFT,
            DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST,
            DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT});
    return layouts.operands();
}

} // namespace

template <channel_rows_t rows, typename pd_t>
refusal_t accept_channels(pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    if (has_zero_dim(pd.src())) return refused("src has no elements");
    if (const refusal_t refusal =
                    check_tensor_types({&pd.src(), &pd.dst(), &pd.diff_src(), &pd.diff_dst()}))
        return refusal;
    const channels_problem_t problem = problem_of(pd);
    if (std::is_same_v<pd_t, group_normalization_pd_t> && !is_plain(pd.src()))
        return refused("src has a blocked layout"); // of which a group may have a part
    operand_layouts_t layouts(pd);
    std::vector<jit::post_op_link_t> post_ops;
    if (const refusal_t refusal = add_operands(pd, layouts, post_ops)) return refusal;
    std::optional<channel_plan_t> channels;
    const dim_t channels_together = std::max(dim_t(1), problem.channels_per_group);
    if (const refusal_t refusal = channel_plan_t::make(rows, problem.kept_axes, channels_together,
                {layouts.mds(), layouts.operands()}, isa, channels))
        return refusal;
    if (!channel_arrays_t(*channels).are_addressable()) return refused("too many channels");
    // What pads a block is zero again if it was: all values of its channels are zero.
    if (post_ops.empty()) pd.set_implementation_pads();
    const auto made = std::make_shared<const channels_plan_t>(
            problem, layouts, parameters_of(pd), std::move(post_ops), isa, *std::move(channels));
    pd.set_scratchpad_size(made->scratchpad_size());
    plan = made;
    return accepted();
}

template refusal_t accept_channels<channel_rows_t::columns>(
        batch_normalization_pd_t &, isa_t, plan_ptr_t &);
template refusal_t accept_channels<channel_rows_t::columns>(
        group_normalization_pd_t &, isa_t, plan_ptr_t &);
template refusal_t accept_channels<channel_rows_t::planes>(
        batch_normalization_pd_t &, isa_t, plan_ptr_t &);
template refusal_t accept_channels<channel_rows_t::planes>(
        group_normalization_pd_t &, isa_t, plan_ptr_t &);

} // namespace kiln::x64::channel_normalization
