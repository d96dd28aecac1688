// SPDX-License-Identifier: Apache-2.0
// Batch and group normalization forward, as a primitive.

#include "cpu/x64/channel_normalization/channels_forward.hpp"

#include <algorithm>

#include "cpu/x64/channel_normalization/channel_forward_kernel.hpp"
#include "cpu/x64/channel_normalization/channel_moments_kernel.hpp"
#include "cpu/x64/channel_normalization/channel_sample_kernel.hpp"

namespace kiln::x64::channel_normalization {

using kernel_t = channel_forward_kernel_t;
using namespace forward_operand;

static_assert(kernel_t::mean == channels_driver_t::mean_value
              && kernel_t::factor == channels_driver_t::factor_value
              && kernel_t::value_count == channels_driver_t::value_count);

channels_forward_t::channels_forward_t(const channels_plan_t &plan)
    : channels_driver_t(plan) {
    if (!plan.problem.reads_stats) {
        const channel_walk_t rows{.isa = plan.isa,
                .rows = channels().rows_kind(),
                .line = channels().line(),
                .value_pitch = 0,
                .sum_pitch = 0,
                .unit_sums = 0,
                .is_streamed = false};
        sample_code_.emplace(channel_sample_kernel_t({rows, plan.operands[src].type}).finish());
        const channel_moments_spec_t spec{
                .walk = plan.walk(), .operands = channel_operands_of(plan.operands, {src})};
        moments_.emplace(
                channel_pass_t::make<channel_moments_kernel_t>(channels(), plan.operands, spec));
    }
    normalize_pass(false);
}

const channel_pass_t &channels_forward_t::normalize_pass(bool is_non_temporal) const {
    return normalize_[is_non_temporal ? 1 : 0].get([&] {
        const channel_forward_spec_t spec{.walk = plan_.walk(),
                .operands = channel_operands_of(plan_.operands, {src, dst, src_1, relu_mask}),
                .has_relu = plan_.problem.has_relu,
                .is_non_temporal = is_non_temporal,
                .has_divisor = plan_.has(parameter_t::dst_scale),
                .post_ops = plan_.post_ops};
        return channel_pass_t::make<kernel_t>(channels(), plan_.operands, spec, first_post_op);
    });
}

bool channels_forward_t::is_non_temporal(const execution_t &e) const {
    const operand_t &to = plan_.operands[dst];
    return to.size > 1 && !plan_.operands.has_alias(e.operands, dst)
           && fills_most_of_cache(plan_.footprint)
           && has_aligned_rows(channels(), plan_.isa, dst, to.type, e.operands[dst]);
}

status_t channels_forward_t::execute(const exec_ctx_t &ctx) const {
    const execution_t e = begin_execution(ctx);
    const auto begin = [&](dim_t first, dim_t end) {
        if (plan_.problem.reads_stats) return set_given_values(e, first, end);
        if (channels().joins_units()) return sample(e, first, end - first);
        for (dim_t unit = first; unit < end; ++unit) sample(e, unit, 1);
    };
    const auto finish = [&](dim_t group, dim_t task, int attempt) {
        if (plan_.groups.are_per_channel())
            return finish_channels(e, channel_range(channels(), group, task), attempt > 0);
        return finish_group(e, plan_.groups.group(group, task), attempt > 0);
    };
    const sweep_passes_t passes{.sum = moments_ ? &*moments_ : nullptr,
            .centers = e.pivots,
            .apply = &normalize_pass(is_non_temporal(e)),
            .values = plan_.has(parameter_t::dst_scale) ? value_count : value_count - 1};
    run_sweeps(e, passes, begin, finish);
    return dnnl_success;
}

void channels_forward_t::sample(const execution_t &e, dim_t first, dim_t units) const {
    std::array<dim_t, channel_samples> offsets;
    channels().sample_offsets(first, offsets);
    channel_sample_args_t args;
    for (size_t i = 0; i < channel_samples; ++i)
        args.samples[i] = plan_.operands.locate(e.operands, src, offsets[i]);
    args.pivots = pivots_of(e, first);
    args.length = channels().line();
    args.units = units;
    args.unit_pitch = channels().unit_pitch(src);
    sample_code_->entry<void (*)(const channel_sample_args_t *)>()(&args);
    copy_to_packed_rows(channels(), plan_.arrays, first, 1, e.pivots);
}

void channels_forward_t::set_pivot(
        const execution_t &e, dim_t unit, dim_t channel, float pivot) const {
    float *const first = pivots_of(e, unit) + channel;
    for (dim_t row = 0; row < channels().packed_rows(); ++row)
        first[row * channels().line()] = pivot;
}

void channels_forward_t::set_further_values(
        const execution_t &e, const channel_range_t &range, dim_t channel) const {
    const auto array = [&](int value) { return values_of(e, range.unit, value) + range.begin; };
    float *const factors = array(kernel_t::factor), *const shifts = array(kernel_t::shift);
    if (const float *const shift = e.at(parameter_t::shift))
        std::copy_n(shift + channel, range.count, shifts);
    else
        std::fill_n(shifts, range.count, 0.f);
    const float src_scale = scale_of(e, parameter_t::src_scale);
    if (src_scale != 1)
        for (dim_t i = 0; i < range.count; ++i) factors[i] *= src_scale, shifts[i] *= src_scale;
    if (plan_.has(parameter_t::dst_scale))
        std::fill_n(array(kernel_t::divisor), range.count, scale_of(e, parameter_t::dst_scale));
}

float channels_forward_t::scale_of(const execution_t &e, parameter_t parameter) const {
    if (!plan_.has(parameter)) return 1;
    return static_cast<float>(load_f64(plan_.of(parameter).type, e.at(parameter), 0));
}

} // namespace kiln::x64::channel_normalization
