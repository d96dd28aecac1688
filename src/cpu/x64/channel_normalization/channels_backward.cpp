// SPDX-License-Identifier: Apache-2.0
// Batch and group normalization backward, as a primitive.

#include "cpu/x64/channel_normalization/channels_backward.hpp"

#include "cpu/x64/channel_normalization/channel_normalization_kernel.hpp"

namespace kiln::x64::channel_normalization {

using kernel_t = channel_normalization_kernel_t;
using namespace backward_operand;

channels_backward_t::channels_backward_t(const channels_plan_t &plan)
    : plan_(plan)
    , sums_(make_sums_pass()) {
    // The most frequent outputs; others are generated when an execution first asks for them.
    const bool has_diff_src_1 = plan.operands[diff_src_1].slot >= 0;
    gradient_pass({.diff_src = true, .diff_src_1 = has_diff_src_1, .is_non_temporal = false});
}

channel_pass_t channels_backward_t::make_sums_pass() const {
    const channel_spec_t spec{.work = channel_work_t::gradient_sums,
            .walk = plan_.sums_walk(),
            .operands = channel_operands_of(plan_.operands, {src, diff_dst, relu})};
    return channel_pass_t::make<kernel_t>(plan_.channels, plan_.operands, spec);
}

channel_pass_t channels_backward_t::make_gradient_pass(const outputs_t &outputs) const {
    channel_spec_t spec{.work = channel_work_t::backward,
            .walk = plan_.writing_walk(),
            .operands = channel_operands_of(
                    plan_.operands, {src, diff_dst, relu, diff_src, diff_src_1}),
            .is_non_temporal = outputs.is_non_temporal};
    if (!outputs.diff_src || plan_.problem.has_constant_stats) spec.operands[src] = {};
    if (!outputs.diff_src) spec.operands[diff_src] = {};
    if (!outputs.diff_src_1) spec.operands[diff_src_1] = {};
    return channel_pass_t::make<kernel_t>(plan_.channels, plan_.operands, spec);
}

const channel_pass_t &channels_backward_t::gradient_pass(const outputs_t &outputs) const {
    const size_t index = outputs.diff_src + 2 * outputs.diff_src_1 + 4 * outputs.is_non_temporal;
    return gradient_[index].get([&] { return make_gradient_pass(outputs); });
}

status_t channels_backward_t::execute(const exec_ctx_t &ctx) const {
    const backward_execution_t execution(*this, ctx);
    KILN_TRY(execution.run());
    execution.set_weight_gradients();
    return dnnl_success;
}

backward_execution_t::backward_execution_t(
        const channels_backward_t &primitive, const exec_ctx_t &ctx)
    : channels_execution_t(primitive.plan_, ctx) {
    is_non_temporal_ = fills_half_of_cache(plan_.footprint) && can_bypass_caches(diff_src);
    const channels_backward_t::outputs_t outputs{.diff_src = ctx.has(plan_.operands[diff_src].slot),
            .diff_src_1 = ctx.has(plan_.operands[diff_src_1].slot),
            .is_non_temporal = is_non_temporal_};
    if ((outputs.diff_src && !plan_.problem.has_constant_stats) || at(parameter_t::diff_scale)
            || at(parameter_t::diff_shift))
        sum_pass_ = &primitive.sums_;
    centers_ = values_;
    if (outputs.diff_src || outputs.diff_src_1) apply_pass_ = &primitive.gradient_pass(outputs);
}

void backward_execution_t::begin(dim_t first, dim_t end) const {
    set_given_values(first, end);
    // The first sweep reads the means.
    copy_to_elements(channels_, plan_.arrays, first, end, 1, values_);
}

} // namespace kiln::x64::channel_normalization
