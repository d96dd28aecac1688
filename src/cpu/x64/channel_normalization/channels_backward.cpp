// SPDX-License-Identifier: Apache-2.0
// Batch and group normalization backward, as a primitive.

#include "cpu/x64/channel_normalization/channels_backward.hpp"

#include <algorithm>

#include "cpu/x64/channel_normalization/channel_backward_kernel.hpp"
#include "cpu/x64/channel_normalization/channel_gradient_sums_kernel.hpp"

namespace kiln::x64::channel_normalization {

using kernel_t = channel_backward_kernel_t;
using namespace backward_operand;

static_assert(kernel_t::mean == channels_driver_t::mean_value
              && kernel_t::factor == channels_driver_t::factor_value
              && kernel_t::value_count == channels_driver_t::value_count);

channels_backward_t::channels_backward_t(const channels_plan_t &plan)
    : channels_driver_t(plan)
    , sums_(make_sums_pass()) {
    // The most frequent outputs; others are generated when an execution first asks for them.
    const bool has_diff_src_1 = plan.operands[diff_src_1].slot >= 0;
    gradient_pass({.diff_src = true, .diff_src_1 = has_diff_src_1, .is_non_temporal = false});
}

channel_pass_t channels_backward_t::make_sums_pass() const {
    const channel_gradient_sums_spec_t spec{.walk = plan_.walk(),
            .operands = channel_operands_of(plan_.operands, {src, diff_dst, relu})};
    return channel_pass_t::make<channel_gradient_sums_kernel_t>(channels(), plan_.operands, spec);
}

channel_pass_t channels_backward_t::make_gradient_pass(const outputs_t &outputs) const {
    channel_backward_spec_t spec{.walk = plan_.walk(),
            .operands = channel_operands_of(
                    plan_.operands, {src, diff_dst, relu, diff_src, diff_src_1}),
            .is_non_temporal = outputs.is_non_temporal};
    if (!outputs.diff_src || plan_.problem.has_constant_stats) spec.operands[src] = {};
    if (!outputs.diff_src) spec.operands[diff_src] = {};
    if (!outputs.diff_src_1) spec.operands[diff_src_1] = {};
    return channel_pass_t::make<kernel_t>(channels(), plan_.operands, spec);
}

const channel_pass_t &channels_backward_t::gradient_pass(const outputs_t &outputs) const {
    const size_t index = outputs.diff_src + 2 * outputs.diff_src_1 + 4 * outputs.is_non_temporal;
    return gradient_[index].get([&] { return make_gradient_pass(outputs); });
}

bool channels_backward_t::is_non_temporal(const execution_t &e) const {
    const void *const to = e.operands[diff_src];
    return to != nullptr && !plan_.operands.has_alias(e.operands, diff_src)
           && fills_half_of_cache(plan_.footprint)
           && has_aligned_rows(channels(), plan_.isa, diff_src, plan_.operands[diff_src].type, to);
}

status_t channels_backward_t::execute(const exec_ctx_t &ctx) const {
    const execution_t e = begin_execution(ctx);
    const outputs_t outputs{.diff_src = ctx.has(plan_.operands[diff_src].slot),
            .diff_src_1 = ctx.has(plan_.operands[diff_src_1].slot),
            .is_non_temporal = is_non_temporal(e)};
    const bool has_sums = (outputs.diff_src && !plan_.problem.has_constant_stats)
                          || e.at(parameter_t::diff_scale) || e.at(parameter_t::diff_shift);
    const bool has_outputs = outputs.diff_src || outputs.diff_src_1;
    const auto begin = [&](dim_t first, dim_t end) {
        set_given_values(e, first, end);
        // The first sweep reads the means.
        for (dim_t unit = first; unit < end; ++unit)
            copy_to_packed_rows(channels(), plan_.arrays, unit, 1, e.values);
    };
    const auto finish = [&](dim_t group, dim_t task, int) {
        if (plan_.groups.are_per_channel())
            finish_channels(e, channel_range(channels(), group, task));
        else
            finish_group(e, plan_.groups.group(group, task));
        return true;
    };
    const sweep_passes_t passes{.sum = has_sums ? &sums_ : nullptr,
            .centers = e.values,
            .apply = has_outputs ? &gradient_pass(outputs) : nullptr,
            .values = value_count};
    run_sweeps(e, passes, begin, finish);
    if (has_sums && !plan_.groups.are_per_channel()) add_up_samples(e);
    return dnnl_success;
}

} // namespace kiln::x64::channel_normalization
