// SPDX-License-Identifier: Apache-2.0
// Batch and group normalization forward, as a primitive.

#include "cpu/x64/channel_normalization/channels_forward.hpp"

#include <algorithm>

#include "cpu/x64/channel_normalization/channel_normalization_kernel.hpp"
#include "cpu/x64/instructions.hpp"

namespace kiln::x64::channel_normalization {

using kernel_t = channel_normalization_kernel_t;
using namespace forward_operand;

channels_forward_t::channels_forward_t(const channels_plan_t &plan)
    : plan_(plan) {
    if (!plan.problem.reads_stats) {
        const channel_sample_spec_t sample{.isa = plan.isa,
                .rows = plan.channels.rows_kind(),
                .line = plan.channels.line(),
                .src_type = plan.operands[src].type};
        sample_code_.emplace(channel_sample_kernel_t(sample).finish());
        plan.channels.sample_offsets(samples_);
        const channel_spec_t spec{.work = channel_work_t::moments,
                .walk = plan.sums_walk(),
                .operands = channel_operands_of(plan.operands, {src})};
        moments_.emplace(channel_pass_t::make<kernel_t>(plan.channels, plan.operands, spec));
    }
    normalize_pass(false);
}

const channel_pass_t &channels_forward_t::normalize_pass(bool is_non_temporal) const {
    return normalize_[is_non_temporal ? 1 : 0].get([&] {
        const channel_spec_t spec{.work = channel_work_t::forward,
                .walk = plan_.writing_walk(),
                .operands = channel_operands_of(plan_.operands, {src, dst, src_1, relu_mask}),
                .is_non_temporal = is_non_temporal,
                .has_relu = plan_.problem.has_relu,
                .has_divisor = plan_.has(parameter_t::dst_scale),
                .post_ops = plan_.post_ops};
        return channel_pass_t::make<kernel_t>(plan_.channels, plan_.operands, spec, first_post_op);
    });
}

status_t channels_forward_t::execute(const exec_ctx_t &ctx) const {
    return forward_execution_t(*this, ctx).run();
}

forward_execution_t::forward_execution_t(const channels_forward_t &primitive, const exec_ctx_t &ctx)
    : channels_execution_t(primitive.plan_, ctx)
    , primitive_(primitive) {
    is_non_temporal_ = has_non_temporal_stores(plan_.isa, plan_.operands[dst].type)
                       && fills_most_of_cache(plan_.footprint) && can_bypass_caches(dst);
    sum_pass_ = primitive.moments_ ? &*primitive.moments_ : nullptr;
    centers_ = pivots_;
    apply_pass_ = &primitive.normalize_pass(is_non_temporal_);
    if (!plan_.has(parameter_t::dst_scale)) values_read_ = channel_value::divisor;
}

void forward_execution_t::begin(dim_t first, dim_t end) const {
    if (plan_.problem.reads_stats) return set_given_values(first, end);
    if (channels_.joins_units()) return sample(first, end - first);
    for (dim_t unit = first; unit < end; ++unit) sample(unit, 1);
}

void forward_execution_t::sample(dim_t first, dim_t units) const {
    const dim_t origin = channels_.unit_offset(first);
    channel_sample_args_t args;
    for (size_t i = 0; i < channel_samples; ++i)
        args.samples[i] = plan_.operands.locate(operands_, src, origin + primitive_.samples_[i]);
    args.pivots = pivots_ + first * plan_.arrays.unit_pitch;
    args.length = channels_.line();
    args.units = units;
    args.unit_pitch = channels_.unit_pitch(src);
    (*primitive_.sample_code_)(args);
    // A channel takes the pivot of the first of its elements.
    if (const dim_t each = channels_.elements_per_channel(); each > 1)
        for (dim_t i = 0; i < channels_.channels_of(first); ++i)
            pivots_of(first)[i] = args.pivots[i * each];
    copy_to_elements(channels_, plan_.arrays, first, first + units, 1, pivots_);
}

void forward_execution_t::set_pivot(dim_t unit, dim_t channel, float pivot) const {
    set_value(channels_, plan_.arrays, unit, channel, pivot, pivots_);
}

void forward_execution_t::set_further_values(const channel_range_t &range, dim_t channel) const {
    float *const factors = values_of(range.unit, channel_value::factor) + range.begin;
    float *const shifts = values_of(range.unit, channel_value::shift) + range.begin;
    if (const float *const shift = at(parameter_t::shift))
        std::copy_n(shift + channel, range.count, shifts);
    else
        std::fill_n(shifts, range.count, 0.f);
    const float src_scale = scale_of(parameter_t::src_scale);
    if (src_scale != 1)
        for (dim_t i = 0; i < range.count; ++i) factors[i] *= src_scale, shifts[i] *= src_scale;
    if (plan_.has(parameter_t::dst_scale))
        fill_values(range, channel_value::divisor, scale_of(parameter_t::dst_scale));
}

KILN_AVX2 void forward_execution_t::take_statistics(dim_t index, dim_t count, const double *mean,
        const double *squares, double size, statistics_t &statistics) const {
    for (dim_t i = 0; i < count; ++i) {
        statistics.variances[i] = static_cast<float>(squares[i] / size);
        statistics.centers[i] = static_cast<float>(mean[i]);
        statistics.remainders[i] =
                static_cast<float>(mean[i] - static_cast<double>(statistics.centers[i]));
    }
    make_deviations(statistics.variances, plan_.problem.epsilon, count, statistics.deviations);
    if (!plan_.problem.writes_stats) return;
    std::copy_n(statistics.centers, count, at(parameter_t::mean) + index);
    std::copy_n(statistics.variances, count, at(parameter_t::variance) + index);
}

KILN_AVX2 void forward_execution_t::set_computed_values(const channel_range_t &range,
        const float *centers, const float *remainders, const float *deviations) const {
    set_values(range, centers, deviations);
    const float *const factors = values_of(range.unit, channel_value::factor) + range.begin;
    float *const shifts = values_of(range.unit, channel_value::shift) + range.begin;
    for (dim_t i = 0; i < range.count; ++i) shifts[i] -= remainders[i] * factors[i];
}

float forward_execution_t::scale_of(parameter_t parameter) const {
    if (!plan_.has(parameter)) return 1;
    return static_cast<float>(load_f64(plan_.of(parameter).type, at(parameter), 0));
}

} // namespace kiln::x64::channel_normalization
