// SPDX-License-Identifier: Apache-2.0
// Normalization forward of tensors whose elements belong to channels, as a primitive.

#include "cpu/x64/channel_normalization/channels_forward.hpp"

#include <algorithm>
#include <cmath>

#include "cpu/x64/channel_normalization/channel_forward_kernel.hpp"
#include "cpu/x64/channel_normalization/channel_moments_kernel.hpp"
#include "cpu/x64/channel_normalization/channel_sample_kernel.hpp"
#include "cpu/x64/rows/row_execution.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64::channel_normalization {

using kernel_t = channel_forward_kernel_t;

size_t channels_forward_t::mask_operand(const channels_forward_desc_t &desc) {
    return desc.has_add ? src_1_operand + 1 : src_1_operand;
}

size_t channels_forward_t::first_post_op_operand(const channels_forward_desc_t &desc) {
    return mask_operand(desc) + (desc.relu_mask ? 1 : 0);
}

refusal_t channels_forward_t::make_plan(
        const channels_forward_desc_t &desc, std::optional<channel_plan_t> &plan) {
    std::vector<channel_plan_t::operand_t> operands{{&desc.src}, {&desc.dst}};
    if (desc.has_add) operands.push_back({&desc.dst});
    if (desc.relu_mask) operands.push_back({.md = desc.relu_mask, .is_mask = true});
    for (const memory_desc_t *md : desc.post_ops.mds)
        operands.push_back({.md = md, .broadcasts = true});
    return channel_plan_t::make(desc.kept_axes, desc.channels_together, operands, best_isa(), plan);
}

size_t channels_forward_t::scratchpad_size(const channel_plan_t &plan) {
    const channel_arrays_t arrays(plan);
    const dim_t arrays_of_values = 1 + kernel_t::value_count;
    return static_cast<size_t>(arrays_of_values * arrays.value_pitch + arrays.all_sums)
           * sizeof(float);
}

channels_forward_t::channels_forward_t(channels_forward_desc_t desc, channel_plan_t plan)
    : desc_(std::move(desc))
    , plan_(std::move(plan))
    , arrays_(plan_)
    , src_size_(size_of(desc_.src))
    , dst_size_(size_of(desc_.dst))
    , bytes_(element_count(desc_.src) * (src_size_ + dst_size_))
    , src_slot_(desc_.pd.slot_of(DNNL_ARG_SRC))
    , dst_slot_(desc_.pd.slot_of(DNNL_ARG_DST))
    , src_1_slot_(desc_.pd.slot_of(DNNL_ARG_SRC_1))
    , mask_slot_(desc_.pd.slot_of(DNNL_ARG_WORKSPACE))
    , mean_slot_(desc_.pd.slot_of(DNNL_ARG_MEAN))
    , variance_slot_(desc_.pd.slot_of(DNNL_ARG_VARIANCE))
    , scale_slot_(desc_.pd.slot_of(DNNL_ARG_SCALE))
    , shift_slot_(desc_.pd.slot_of(DNNL_ARG_SHIFT))
    , src_scale_slot_(desc_.pd.slot_of(DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC))
    , dst_scale_slot_(desc_.pd.slot_of(DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST)) {
    if (!desc_.reads_stats) {
        const channel_walk_t rows{best_isa(), plan_.rows_kind(), plan_.line(), 0, 0, 0, false};
        sample_code_.emplace(channel_sample_kernel_t({rows, desc_.src.data_type}).finish());
        moments_.emplace(channel_pass_t::make<channel_moments_kernel_t>(plan_,
                channel_moments_spec_t{walk_of(plan_, best_isa(), fills_half_of_cache(bytes_)),
                        desc_.src.data_type},
                {{src_operand, src_size_}}));
    }
    normalize_pass(false);
}

const channel_pass_t &channels_forward_t::normalize_pass(bool is_non_temporal) const {
    return normalize_[is_non_temporal ? 1 : 0].get([&] {
        const channel_forward_spec_t spec{walk_of(plan_, best_isa(), fills_half_of_cache(bytes_)),
                desc_.src.data_type, desc_.dst.data_type, desc_.has_relu,
                desc_.relu_mask != nullptr, desc_.has_add, is_non_temporal, desc_.has_dst_scale,
                desc_.post_ops.chain};
        std::vector<channel_pass_operand_t> operands{
                {src_operand, src_size_}, {dst_operand, dst_size_}};
        if (desc_.has_add) operands.push_back({src_1_operand, dst_size_});
        if (desc_.relu_mask) operands.push_back({mask_operand(desc_), 0});
        std::vector<channel_pass_operand_t> post_op_operands;
        for (size_t i = 0; i < desc_.post_ops.mds.size(); ++i)
            post_op_operands.push_back(
                    {first_post_op_operand(desc_) + i, size_of(*desc_.post_ops.mds[i])});
        return channel_pass_t::make<kernel_t>(
                plan_, spec, std::move(operands), std::move(post_op_operands));
    });
}

bool channels_forward_t::is_non_temporal(const channel_bases_t &bases) const {
    const void *const dst = bases[dst_operand];
    const bool is_in_place =
            dst == bases[src_operand] || (desc_.has_add && dst == bases[src_1_operand]);
    return dst_size_ > 1 && !is_in_place && fills_most_of_cache(bytes_)
           && has_aligned_rows(plan_, dst_operand, dst, dst_size_);
}

channels_forward_t::execution_t channels_forward_t::begin_execution(const exec_ctx_t &ctx) const {
    execution_t e{};
    e.bases[src_operand] = ctx.input(src_slot_);
    e.bases[dst_operand] = ctx.output(dst_slot_);
    if (desc_.has_add) e.bases[src_1_operand] = ctx.input(src_1_slot_);
    if (desc_.relu_mask) e.bases[mask_operand(desc_)] = ctx.output(mask_slot_);
    for (size_t i = 0; i < desc_.post_ops.slots.size(); ++i)
        e.bases[first_post_op_operand(desc_) + i] = ctx.input(desc_.post_ops.slots[i]);
    e.pivots = reinterpret_cast<float *>(ctx.scratchpad());
    e.values = e.pivots + arrays_.value_pitch;
    e.sums = e.values + kernel_t::value_count * arrays_.value_pitch;
    e.scale = static_cast<const float *>(ctx.input(scale_slot_));
    e.shift = static_cast<const float *>(ctx.input(shift_slot_));
    e.mean = static_cast<float *>(ctx.output(mean_slot_));
    e.variance = static_cast<float *>(ctx.output(variance_slot_));
    const auto quantization_scale = [&](int slot, int arg) {
        if (slot < 0) return 1.f;
        const data_type_t type = desc_.pd.md_of(DNNL_ARG_ATTR_SCALES | arg).data_type;
        return static_cast<float>(load_f64(type, ctx.input(slot), 0));
    };
    e.src_scale = quantization_scale(src_scale_slot_, DNNL_ARG_SRC);
    e.dst_scale = quantization_scale(dst_scale_slot_, DNNL_ARG_DST);
    return e;
}

status_t channels_forward_t::execute(const exec_ctx_t &ctx) const {
    const execution_t e = begin_execution(ctx);
    const channel_pass_t &normalize = normalize_pass(is_non_temporal(e.bases));
    const auto begin = [&](dim_t first, dim_t end) {
        if (desc_.reads_stats) return take_given(e, first, end);
        if (plan_.joins_units()) return sample(e, first, end - first);
        for (dim_t unit = first; unit < end; ++unit) sample(e, unit, 1);
    };
    const auto sum = [&](const channel_chunk_t &chunk) {
        moments_->run(chunk, e.bases, pivots_of(e, chunk.unit),
                cleared_sums(plan_, arrays_, chunk, e.sums));
    };
    const auto finish_part = [&](dim_t team, dim_t part, int attempt) {
        return finish(e, team, part, attempt > 0);
    };
    const auto prepare = [&](dim_t first, dim_t end) {
        const int values = kernel_t::value_count - (desc_.has_dst_scale ? 0 : 1);
        for (dim_t unit = first; unit < end; ++unit)
            copy_to_packed_rows(plan_, arrays_, unit, values, e.values);
    };
    const auto apply = [&](const channel_chunk_t &chunk) {
        normalize.run(chunk, e.bases, e.values + chunk.unit * arrays_.unit_pitch, nullptr);
    };
    sweep(plan_, channel_sweeps_t{src_size_ + dst_size_, !desc_.reads_stats,
                         units_per_statistics_group(), tasks_per_statistics_group(), begin, sum,
                         finish_part, prepare, apply});
    return dnnl_success;
}

void channels_forward_t::sample(const execution_t &e, dim_t first, dim_t units) const {
    channel_sample_args_t args;
    std::array<dim_t, channel_samples> offsets;
    plan_.sample_offsets(first, offsets);
    for (size_t i = 0; i < channel_samples; ++i)
        args.samples[i] = moved(e.bases[src_operand], offsets[i], src_size_);
    args.picked = pivots_of(e, first);
    args.length = plan_.line();
    args.units = units;
    args.unit_pitch = plan_.unit_pitch(src_operand);
    sample_code_->entry<void (*)(const channel_sample_args_t *)>()(&args);
    copy_to_packed_rows(plan_, arrays_, first, 1, e.pivots);
}

float *channels_forward_t::pivots_of(const execution_t &e, dim_t unit) const {
    return e.pivots + unit * arrays_.unit_pitch;
}

bool channels_forward_t::is_pivot_far(float pivot, double offset, double variance) {
    constexpr double most_variances = 4;
    if (!std::isfinite(pivot)) return true;
    return std::isfinite(offset) && !(offset * offset <= most_variances * variance);
}

void channels_forward_t::set_pivot(
        const execution_t &e, dim_t unit, dim_t channel, float pivot) const {
    float *const first = pivots_of(e, unit) + channel;
    for (dim_t fold = 0; fold < plan_.packed_rows(); ++fold) first[fold * plan_.line()] = pivot;
}

void channels_forward_t::set_values(const execution_t &e, const channel_range_t &range,
        const float *mean, const float *variance) const {
    const auto [unit, begin, count] = range;
    const dim_t channel = (plan_.first_channel(unit) + begin) % desc_.channels;
    float *const values = e.values + unit * arrays_.unit_pitch + begin;
    const auto array = [&](int value) { return values + value * arrays_.value_pitch; };
    float *const factors = array(kernel_t::factor), *const shifts = array(kernel_t::shift);
    std::copy_n(mean, count, array(kernel_t::mean));
    make_factors(e.scale ? e.scale + channel : nullptr, variance, desc_.epsilon, count, factors);
    if (e.shift)
        std::copy_n(e.shift + channel, count, shifts);
    else
        std::fill_n(shifts, count, 0.f);
    if (e.src_scale != 1)
        for (dim_t i = 0; i < count; ++i) factors[i] *= e.src_scale, shifts[i] *= e.src_scale;
    if (desc_.has_dst_scale) std::fill_n(array(kernel_t::divisor), count, e.dst_scale);
}

} // namespace kiln::x64::channel_normalization
