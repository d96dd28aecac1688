// SPDX-License-Identifier: Apache-2.0
// Batch normalization forward as a primitive.

#include "cpu/x64/normalization/batch_normalization_forward.hpp"

#include <algorithm>
#include <cmath>

#include "cpu/x64/normalization/channel_execution.hpp"
#include "cpu/x64/normalization/channel_forward_kernel.hpp"
#include "cpu/x64/normalization/channel_moments_kernel.hpp"
#include "cpu/x64/normalization/post_op_operands.hpp"
#include "cpu/x64/normalization/row_execution.hpp"

namespace kiln::x64::normalization {
namespace {

/// Deviations from K lose digits where its distance from the mean is more than so many variances,
/// squared; sums in double over many chunks make up for less.
constexpr double most_distance = 8;

/// To the means, where there are any, in every fold.
void move_centers(const channel_plan_t &plan, float *centers, const float *mean, dim_t count) {
    for (dim_t fold = 0; fold < plan.folds(); ++fold, centers += plan.line())
        for (dim_t i = 0; i < count; ++i) centers[i] = std::isfinite(mean[i]) ? mean[i] : 0;
}

} // namespace

struct batch_normalization_forward_t::execution_t {
    channel_bases_t bases;
    float *centers; // K
    float *values;
    float *sums;
    const float *scale, *shift;
    float *mean, *variance;
};

size_t batch_normalization_forward_t::mask_operand(const batch_normalization_pd_t &pd) {
    return pd.has_add() ? src_1_operand + 1 : src_1_operand;
}

refusal_t batch_normalization_forward_t::make_plan(
        const batch_normalization_pd_t &pd, std::optional<channel_plan_t> &plan) {
    std::vector<channel_plan_t::operand_t> operands{{&pd.src()}, {&pd.dst()}};
    if (pd.has_add()) operands.push_back({&pd.dst()});
    if (pd.has_relu_mask()) operands.push_back({&pd.relu_mask(), true});
    constexpr unsigned channels = 1u << 1;
    return channel_plan_t::make(channels, operands, best_isa(), plan);
}

size_t batch_normalization_forward_t::scratchpad_size(const channel_plan_t &plan) {
    const channel_arrays_t arrays(plan);
    const dim_t arrays_of_values = 1 + channel_forward_kernel_t::value_count;
    return static_cast<size_t>(arrays_of_values * arrays.value_pitch + arrays.all_sums)
           * sizeof(float);
}

batch_normalization_forward_t::batch_normalization_forward_t(
        const batch_normalization_pd_t &pd, channel_plan_t plan)
    : pd_(pd)
    , plan_(std::move(plan))
    , arrays_(plan_)
    , src_size_(size_of(pd.src()))
    , dst_size_(size_of(pd.dst()))
    , bytes_(pd.channels() * pd.channel_size() * (src_size_ + dst_size_))
    , src_slot_(pd.slot_of(DNNL_ARG_SRC))
    , dst_slot_(pd.slot_of(DNNL_ARG_DST))
    , src_1_slot_(pd.slot_of(DNNL_ARG_SRC_1))
    , mask_slot_(pd.slot_of(DNNL_ARG_WORKSPACE))
    , mean_slot_(pd.slot_of(DNNL_ARG_MEAN))
    , variance_slot_(pd.slot_of(DNNL_ARG_VARIANCE))
    , scale_slot_(pd.slot_of(DNNL_ARG_SCALE))
    , shift_slot_(pd.slot_of(DNNL_ARG_SHIFT)) {
    const channel_walk_t walk = walk_of(plan_, best_isa(), exceeds_caches(bytes_));
    if (!pd.reads_stats()) {
        const channel_walk_t rows{walk.isa, walk.rows, plan_.line(), 0, 0, false};
        sample_code_.emplace(channel_sample_kernel_t({rows, pd.src().data_type}).finish());
        moments_.emplace(channel_pass_t::make<channel_moments_kernel_t>(plan_,
                channel_moments_spec_t{walk, pd.src().data_type}, {{src_operand, src_size_}}));
    }
    normalize_pass(false);
}

const channel_pass_t &batch_normalization_forward_t::normalize_pass(bool is_non_temporal) const {
    return normalize_[is_non_temporal ? 1 : 0].get([&] {
        const channel_forward_spec_t spec{walk_of(plan_, best_isa(), exceeds_caches(bytes_)),
                pd_.src().data_type, pd_.dst().data_type, pd_.has_relu(), pd_.has_relu_mask(),
                pd_.has_add(), is_non_temporal, post_op_operands_of(pd_, 1).chain};
        std::vector<channel_pass_operand_t> operands{
                {src_operand, src_size_}, {dst_operand, dst_size_}};
        if (pd_.has_add()) operands.push_back({src_1_operand, dst_size_});
        if (pd_.has_relu_mask()) operands.push_back({mask_operand(pd_), 0});
        return channel_pass_t::make<channel_forward_kernel_t>(plan_, spec, std::move(operands));
    });
}

bool batch_normalization_forward_t::is_non_temporal(const channel_bases_t &bases) const {
    const dim_t lanes = jit::lanes_of(best_isa());
    return dst_size_ > 1 && bases[src_operand] != bases[dst_operand] && overflows_caches(bytes_)
           && plan_.keeps_alignment(dst_operand, lanes)
           && are_aligned(bases[dst_operand], 0, static_cast<size_t>(lanes * dst_size_));
}

batch_normalization_forward_t::execution_t batch_normalization_forward_t::begin_execution(
        const exec_ctx_t &ctx) const {
    execution_t e{};
    e.bases[src_operand] = ctx.input(src_slot_);
    e.bases[dst_operand] = ctx.output(dst_slot_);
    if (pd_.has_add()) e.bases[src_1_operand] = ctx.input(src_1_slot_);
    if (pd_.has_relu_mask()) e.bases[mask_operand(pd_)] = ctx.output(mask_slot_);
    e.centers = reinterpret_cast<float *>(ctx.scratchpad());
    e.values = e.centers + arrays_.value_pitch;
    e.sums = e.values + channel_forward_kernel_t::value_count * arrays_.value_pitch;
    e.scale = static_cast<const float *>(ctx.input(scale_slot_));
    e.shift = static_cast<const float *>(ctx.input(shift_slot_));
    e.mean = static_cast<float *>(ctx.output(mean_slot_));
    e.variance = static_cast<float *>(ctx.output(variance_slot_));
    return e;
}

status_t batch_normalization_forward_t::execute(const exec_ctx_t &ctx) const {
    const execution_t e = begin_execution(ctx);
    const channel_pass_t &normalize = normalize_pass(is_non_temporal(e.bases));
    const auto values_of = [&](float *values, dim_t unit) {
        return values + unit * arrays_.unit_pitch;
    };
    sweep(plan_,
            channel_sweeps_t{src_size_ + dst_size_, !pd_.reads_stats(),
                    [&](dim_t unit) { pd_.reads_stats() ? take_given(e, unit) : sample(e, unit); },
                    [&](const channel_chunk_t &chunk) {
                        moments_->run(chunk, e.bases, values_of(e.centers, chunk.unit),
                                cleared_sums(plan_, arrays_, chunk, e.sums));
                    },
                    [&](const channel_group_t &group, int attempt) {
                        return finish(e, group, attempt > 0);
                    },
                    [&](dim_t unit) {
                        spread_over_folds(plan_, arrays_, unit,
                                channel_forward_kernel_t::value_count, e.values);
                    },
                    [&](const channel_chunk_t &chunk) {
                        normalize.run(chunk, e.bases, values_of(e.values, chunk.unit), nullptr);
                    }});
    return dnnl_success;
}

void batch_normalization_forward_t::sample(const execution_t &e, dim_t unit) const {
    channel_sample_args_t args;
    const auto offsets = plan_.samples(unit);
    for (size_t i = 0; i < channel_samples; ++i)
        args.samples[i] = moved(e.bases[src_operand], offsets[i], src_size_);
    args.picked = e.centers + unit * arrays_.unit_pitch;
    args.length = plan_.line();
    sample_code_->entry<void (*)(const channel_sample_args_t *)>()(&args);
    spread_over_folds(plan_, arrays_, unit, 1, e.centers);
}

bool batch_normalization_forward_t::finish(
        const execution_t &e, const channel_group_t &group, bool is_last) const {
    const float *const sums = e.sums + group.unit * plan_.slots_per_unit() * arrays_.slot_pitch;
    const channel_totals_t totals = total_sums(plan_, arrays_, sums, group.begin, group.count);
    float *const centers = e.centers + group.unit * arrays_.unit_pitch + group.begin;
    const auto size = static_cast<double>(pd_.channel_size());
    float mean[channel_totals_t::capacity], variance[channel_totals_t::capacity];
    bool is_near = true;
    for (dim_t i = 0; i < group.count; ++i) {
        const double offset = totals.first[i] / size;
        const double squares = totals.second[i] - totals.first[i] * offset;
        const double v = (squares < 0 ? 0 : squares) / size; // NaN stays
        mean[i] = static_cast<float>(static_cast<double>(centers[i]) + offset);
        variance[i] = static_cast<float>(v);
        is_near &= offset * offset <= most_distance * v;
    }
    if (!is_near && !is_last) {
        move_centers(plan_, centers, mean, group.count);
        return false;
    }
    if (pd_.writes_stats()) {
        const dim_t first_channel = plan_.first_channel(group.unit) + group.begin;
        std::copy_n(mean, group.count, e.mean + first_channel);
        std::copy_n(variance, group.count, e.variance + first_channel);
    }
    set_values(e, group, mean, variance);
    return true;
}

void batch_normalization_forward_t::take_given(const execution_t &e, dim_t unit) const {
    const dim_t first_channel = plan_.first_channel(unit);
    set_values(e, {unit, 0, plan_.channels_of(unit)}, e.mean + first_channel,
            e.variance + first_channel);
}

void batch_normalization_forward_t::set_values(const execution_t &e, const channel_group_t &group,
        const float *mean, const float *variance) const {
    const dim_t first_channel = plan_.first_channel(group.unit) + group.begin;
    float *const values = e.values + group.unit * arrays_.unit_pitch + group.begin;
    const auto array = [&](int value) { return values + value * arrays_.value_pitch; };
    using kernel_t = channel_forward_kernel_t;
    std::copy_n(mean, group.count, array(kernel_t::mean));
    make_factors(e.scale ? e.scale + first_channel : nullptr, variance, pd_.desc().epsilon,
            group.count, array(kernel_t::factor));
    if (e.shift)
        std::copy_n(e.shift + first_channel, group.count, array(kernel_t::shift));
    else
        std::fill_n(array(kernel_t::shift), group.count, 0.f);
}

} // namespace kiln::x64::normalization
