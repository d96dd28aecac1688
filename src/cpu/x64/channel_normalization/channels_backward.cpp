// SPDX-License-Identifier: Apache-2.0
// Normalization backward of tensors whose elements belong to channels, as a primitive.

#include "cpu/x64/channel_normalization/channels_backward.hpp"

#include <algorithm>

#include "cpu/x64/channel_normalization/channel_backward_kernel.hpp"
#include "cpu/x64/channel_normalization/channel_gradient_sums_kernel.hpp"

namespace kiln::x64::channel_normalization {

using kernel_t = channel_backward_kernel_t;

size_t channels_backward_t::relu_operand(const channels_backward_desc_t &desc) {
    return desc.has_add ? diff_src_1_operand + 1 : diff_src_1_operand;
}

refusal_t channels_backward_t::make_plan(
        const channels_backward_desc_t &desc, std::optional<channel_plan_t> &plan) {
    std::vector<channel_plan_t::operand_t> operands{
            {&desc.src}, {&desc.diff_dst}, {&desc.diff_src}};
    if (desc.has_add) operands.push_back({&desc.diff_dst});
    if (desc.relu.md) operands.push_back({.md = desc.relu.md, .is_mask = desc.relu.is_mask});
    return channel_plan_t::make(desc.kept_axes, desc.channels_together, operands, best_isa(), plan);
}

size_t channels_backward_t::scratchpad_size(const channel_plan_t &plan) {
    const channel_arrays_t arrays(plan);
    const dim_t floats = kernel_t::value_count * arrays.value_pitch + arrays.all_sums;
    constexpr size_t line = scratchpad_alignment;
    return (static_cast<size_t>(floats) * sizeof(float) + line - 1) / line * line;
}

channels_backward_t::channels_backward_t(const channels_backward_desc_t &desc, channel_plan_t plan)
    : desc_(desc)
    , plan_(std::move(plan))
    , arrays_(plan_)
    , src_size_(size_of(desc.src))
    , diff_dst_size_(size_of(desc.diff_dst))
    , diff_src_size_(size_of(desc.diff_src))
    , element_bytes_(src_size_ + diff_dst_size_ + diff_src_size_ + desc.relu.size())
    , bytes_(element_count(desc.src) * element_bytes_)
    , sums_(make_sums_pass())
    , src_slot_(desc.pd.slot_of(DNNL_ARG_SRC))
    , diff_dst_slot_(desc.pd.slot_of(DNNL_ARG_DIFF_DST))
    , relu_slot_(desc.pd.slot_of(desc.relu.arg))
    , mean_slot_(desc.pd.slot_of(DNNL_ARG_MEAN))
    , variance_slot_(desc.pd.slot_of(DNNL_ARG_VARIANCE))
    , scale_slot_(desc.pd.slot_of(DNNL_ARG_SCALE))
    , diff_src_slot_(desc.pd.slot_of(DNNL_ARG_DIFF_SRC))
    , diff_src_1_slot_(desc.pd.slot_of(DNNL_ARG_DIFF_SRC_1))
    , diff_scale_slot_(desc.pd.slot_of(DNNL_ARG_DIFF_SCALE))
    , diff_shift_slot_(desc.pd.slot_of(DNNL_ARG_DIFF_SHIFT)) {
    gradient_pass({true, desc.has_add, false}); // as is usual
}

channel_pass_t channels_backward_t::make_sums_pass() const {
    const channel_gradient_sums_spec_t spec{walk_of(plan_, best_isa(), fills_half_of_cache(bytes_)),
            desc_.diff_dst.data_type, desc_.src.data_type, desc_.relu.gate()};
    std::vector<channel_pass_operand_t> operands{
            {diff_dst_operand, diff_dst_size_}, {src_operand, src_size_}};
    if (desc_.relu.md) operands.push_back({relu_operand(desc_), desc_.relu.size()});
    return channel_pass_t::make<channel_gradient_sums_kernel_t>(plan_, spec, std::move(operands));
}

channel_pass_t channels_backward_t::make_gradient_pass(const outputs_t &outputs) const {
    const bool reads_src = !desc_.has_constant_statistics && outputs.diff_src;
    const channel_backward_spec_t spec{walk_of(plan_, best_isa(), fills_half_of_cache(bytes_)),
            desc_.diff_dst.data_type, desc_.diff_src.data_type,
            reads_src ? desc_.src.data_type : dnnl_data_type_undef, desc_.relu.gate(),
            outputs.diff_src, outputs.diff_src_1, outputs.is_non_temporal};
    std::vector<channel_pass_operand_t> operands{{diff_dst_operand, diff_dst_size_}};
    if (reads_src) operands.push_back({src_operand, src_size_});
    if (desc_.relu.md) operands.push_back({relu_operand(desc_), desc_.relu.size()});
    if (outputs.diff_src) operands.push_back({diff_src_operand, diff_src_size_});
    if (outputs.diff_src_1) operands.push_back({diff_src_1_operand, diff_dst_size_});
    return channel_pass_t::make<kernel_t>(plan_, spec, std::move(operands));
}

const channel_pass_t &channels_backward_t::gradient_pass(const outputs_t &outputs) const {
    const size_t index = outputs.diff_src + 2 * outputs.diff_src_1 + 4 * outputs.is_non_temporal;
    return gradient_[index].get([&] { return make_gradient_pass(outputs); });
}

bool channels_backward_t::is_non_temporal(const channel_bases_t &bases) const {
    const void *const diff_src = bases[diff_src_operand];
    const bool is_in_place = diff_src == bases[src_operand] || diff_src == bases[diff_dst_operand]
                             || (desc_.relu.md && diff_src == bases[relu_operand(desc_)]);
    return diff_src != nullptr && !is_in_place && fills_half_of_cache(bytes_)
           && has_aligned_rows(plan_, diff_src_operand, diff_src, diff_src_size_);
}

channels_backward_t::execution_t channels_backward_t::begin_execution(const exec_ctx_t &ctx) const {
    execution_t e{};
    e.bases[src_operand] = ctx.input(src_slot_);
    e.bases[diff_dst_operand] = ctx.input(diff_dst_slot_);
    e.bases[diff_src_operand] = ctx.output(diff_src_slot_);
    if (desc_.has_add) e.bases[diff_src_1_operand] = ctx.output(diff_src_1_slot_);
    if (desc_.relu.md) e.bases[relu_operand(desc_)] = ctx.input(relu_slot_);
    e.values = reinterpret_cast<float *>(ctx.scratchpad());
    e.sums = e.values + kernel_t::value_count * arrays_.value_pitch;
    e.rest_of_scratchpad = ctx.scratchpad() + scratchpad_size(plan_);
    e.mean = static_cast<const float *>(ctx.input(mean_slot_));
    e.variance = static_cast<const float *>(ctx.input(variance_slot_));
    e.scale = static_cast<const float *>(ctx.input(scale_slot_));
    e.diff_scale = static_cast<float *>(ctx.output(diff_scale_slot_));
    e.diff_shift = static_cast<float *>(ctx.output(diff_shift_slot_));
    return e;
}

status_t channels_backward_t::execute(const exec_ctx_t &ctx) const {
    const execution_t e = begin_execution(ctx);
    const outputs_t outputs{
            ctx.has(diff_src_slot_), ctx.has(diff_src_1_slot_), is_non_temporal(e.bases)};
    const bool has_sums = (outputs.diff_src && !desc_.has_constant_statistics)
                          || e.diff_scale != nullptr || e.diff_shift != nullptr;
    const channel_pass_t *const gradient =
            outputs.diff_src || outputs.diff_src_1 ? &gradient_pass(outputs) : nullptr;
    const auto begin_units = [&](dim_t first, dim_t end) {
        begin(e, first, end);
        // The first sweep needs means.
        float *const means = e.values + kernel_t::mean * arrays_.value_pitch;
        for (dim_t unit = first; unit < end; ++unit)
            copy_to_packed_rows(plan_, arrays_, unit, 1, means);
    };
    const auto sum = [&](const channel_chunk_t &chunk) {
        sums_.run(chunk, e.bases, values_of(e, chunk.unit, kernel_t::mean),
                cleared_sums(plan_, arrays_, chunk, e.sums));
    };
    const auto finish_part = [&](dim_t team, dim_t part, int) {
        finish(e, team, part);
        return true;
    };
    const auto prepare = [&](dim_t first, dim_t end) {
        for (dim_t unit = first; unit < end; ++unit)
            copy_to_packed_rows(plan_, arrays_, unit, kernel_t::value_count, e.values);
    };
    const auto apply = [&](const channel_chunk_t &chunk) {
        if (gradient) gradient->run(chunk, e.bases, values_of(e, chunk.unit, 0), nullptr);
    };
    sweep(plan_,
            channel_sweeps_t{element_bytes_, has_sums, units_per_statistics_group(),
                    tasks_per_statistics_group(), begin_units, sum, finish_part, prepare, apply});
    if (has_sums) finish_all(e);
    return dnnl_success;
}

float *channels_backward_t::values_of(const execution_t &e, dim_t unit, int value) const {
    return e.values + value * arrays_.value_pitch + unit * arrays_.unit_pitch;
}

float *channels_backward_t::offsets_of(const execution_t &e, dim_t unit) const {
    return values_of(e, unit, kernel_t::offset);
}

float *channels_backward_t::slopes_of(const execution_t &e, dim_t unit) const {
    return values_of(e, unit, kernel_t::slope);
}

channel_totals_t channels_backward_t::totals_of(
        const execution_t &e, const channel_range_t &range) const {
    return total_sums(plan_, arrays_, e.sums, range);
}

void channels_backward_t::set_factors(const execution_t &e, const channel_range_t &range,
        const float *mean, const float *variance) const {
    const auto [unit, begin, count] = range;
    const dim_t channel = (plan_.first_channel(unit) + begin) % desc_.channels;
    std::copy_n(mean, count, values_of(e, unit, kernel_t::mean) + begin);
    make_factors(e.scale ? e.scale + channel : nullptr, variance, desc_.epsilon, count,
            values_of(e, unit, kernel_t::factor) + begin);
}

} // namespace kiln::x64::channel_normalization
