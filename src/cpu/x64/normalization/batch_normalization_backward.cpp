// SPDX-License-Identifier: Apache-2.0
// Batch normalization backward as a primitive.

#include "cpu/x64/normalization/batch_normalization_backward.hpp"

#include <cmath>

#include "cpu/x64/normalization/channel_backward_kernel.hpp"
#include "cpu/x64/normalization/channel_execution.hpp"
#include "cpu/x64/normalization/channel_gradient_sums_kernel.hpp"
#include "cpu/x64/normalization/row_execution.hpp"

namespace kiln::x64::normalization {

using kernel_t = channel_backward_kernel_t;

struct batch_normalization_backward_t::execution_t {
    channel_bases_t bases;
    float *values;
    float *sums;
    const float *mean, *variance, *scale;
    float *diff_scale, *diff_shift;
};

size_t batch_normalization_backward_t::mask_operand(const batch_normalization_pd_t &pd) {
    return pd.has_add() ? diff_src_1_operand + 1 : diff_src_1_operand;
}

refusal_t batch_normalization_backward_t::make_plan(
        const batch_normalization_pd_t &pd, std::optional<channel_plan_t> &plan) {
    std::vector<channel_plan_t::operand_t> operands{
            {&pd.src()}, {&pd.diff_dst()}, {&pd.diff_src()}};
    if (pd.has_add()) operands.push_back({&pd.diff_dst()});
    if (pd.has_relu_mask()) operands.push_back({&pd.relu_mask(), true});
    constexpr unsigned channels = 1u << 1;
    return channel_plan_t::make(channels, operands, best_isa(), plan);
}

size_t batch_normalization_backward_t::scratchpad_size(const channel_plan_t &plan) {
    const channel_arrays_t arrays(plan);
    return static_cast<size_t>(kernel_t::value_count * arrays.value_pitch + arrays.all_sums)
           * sizeof(float);
}

batch_normalization_backward_t::batch_normalization_backward_t(
        const batch_normalization_pd_t &pd, channel_plan_t plan)
    : pd_(pd)
    , plan_(std::move(plan))
    , arrays_(plan_)
    , src_size_(size_of(pd.src()))
    , diff_dst_size_(size_of(pd.diff_dst()))
    , diff_src_size_(size_of(pd.diff_src()))
    , bytes_(pd.channels() * pd.channel_size() * (src_size_ + diff_dst_size_ + diff_src_size_))
    , src_slot_(pd.slot_of(DNNL_ARG_SRC))
    , diff_dst_slot_(pd.slot_of(DNNL_ARG_DIFF_DST))
    , mask_slot_(pd.slot_of(DNNL_ARG_WORKSPACE))
    , mean_slot_(pd.slot_of(DNNL_ARG_MEAN))
    , variance_slot_(pd.slot_of(DNNL_ARG_VARIANCE))
    , scale_slot_(pd.slot_of(DNNL_ARG_SCALE))
    , diff_src_slot_(pd.slot_of(DNNL_ARG_DIFF_SRC))
    , diff_src_1_slot_(pd.slot_of(DNNL_ARG_DIFF_SRC_1))
    , diff_scale_slot_(pd.slot_of(DNNL_ARG_DIFF_SCALE))
    , diff_shift_slot_(pd.slot_of(DNNL_ARG_DIFF_SHIFT)) {
    std::vector<channel_pass_operand_t> operands{
            {diff_dst_operand, diff_dst_size_}, {src_operand, src_size_}};
    if (pd.has_relu_mask()) operands.push_back({mask_operand(pd), 0});
    sums_.emplace(channel_pass_t::make<channel_gradient_sums_kernel_t>(plan_,
            channel_gradient_sums_spec_t{walk_of(plan_, best_isa(), exceeds_caches(bytes_)),
                    pd.diff_dst().data_type, pd.src().data_type, pd.has_relu_mask()},
            std::move(operands)));
    gradient_pass({true, pd.has_add(), false}); // as is usual
}

channel_pass_t batch_normalization_backward_t::make_gradient_pass(const outputs_t &outputs) const {
    const bool reads_src = !pd_.has_global_stats() && outputs.diff_src;
    const channel_backward_spec_t spec{walk_of(plan_, best_isa(), exceeds_caches(bytes_)),
            pd_.diff_dst().data_type, pd_.diff_src().data_type,
            reads_src ? pd_.src().data_type : dnnl_data_type_undef, pd_.has_relu_mask(),
            outputs.diff_src, outputs.diff_src_1, outputs.is_non_temporal};
    std::vector<channel_pass_operand_t> operands{{diff_dst_operand, diff_dst_size_}};
    if (reads_src) operands.push_back({src_operand, src_size_});
    if (pd_.has_relu_mask()) operands.push_back({mask_operand(pd_), 0});
    if (outputs.diff_src) operands.push_back({diff_src_operand, diff_src_size_});
    if (outputs.diff_src_1) operands.push_back({diff_src_1_operand, diff_dst_size_});
    return channel_pass_t::make<kernel_t>(plan_, spec, std::move(operands));
}

const channel_pass_t &batch_normalization_backward_t::gradient_pass(
        const outputs_t &outputs) const {
    const size_t index = outputs.diff_src + 2 * outputs.diff_src_1 + 4 * outputs.is_non_temporal;
    return gradient_[index].get([&] { return make_gradient_pass(outputs); });
}

bool batch_normalization_backward_t::is_non_temporal(const channel_bases_t &bases) const {
    const dim_t lanes = jit::lanes_of(best_isa());
    const void *const diff_src = bases[diff_src_operand];
    return diff_src != bases[src_operand] && diff_src != bases[diff_dst_operand]
           && exceeds_caches(bytes_) && plan_.keeps_alignment(diff_src_operand, lanes)
           && are_aligned(diff_src, 0, static_cast<size_t>(lanes * diff_src_size_));
}

batch_normalization_backward_t::execution_t batch_normalization_backward_t::begin_execution(
        const exec_ctx_t &ctx) const {
    execution_t e{};
    e.bases[src_operand] = ctx.input(src_slot_);
    e.bases[diff_dst_operand] = ctx.input(diff_dst_slot_);
    e.bases[diff_src_operand] = ctx.output(diff_src_slot_);
    if (pd_.has_add()) e.bases[diff_src_1_operand] = ctx.output(diff_src_1_slot_);
    if (pd_.has_relu_mask()) e.bases[mask_operand(pd_)] = ctx.input(mask_slot_);
    e.values = reinterpret_cast<float *>(ctx.scratchpad());
    e.sums = e.values + kernel_t::value_count * arrays_.value_pitch;
    e.mean = static_cast<const float *>(ctx.input(mean_slot_));
    e.variance = static_cast<const float *>(ctx.input(variance_slot_));
    e.scale = static_cast<const float *>(ctx.input(scale_slot_));
    e.diff_scale = static_cast<float *>(ctx.output(diff_scale_slot_));
    e.diff_shift = static_cast<float *>(ctx.output(diff_shift_slot_));
    return e;
}

status_t batch_normalization_backward_t::execute(const exec_ctx_t &ctx) const {
    const execution_t e = begin_execution(ctx);
    const outputs_t outputs{
            ctx.has(diff_src_slot_), ctx.has(diff_src_1_slot_), is_non_temporal(e.bases)};
    const bool has_gradient = outputs.diff_src || outputs.diff_src_1;
    const bool has_sums = (outputs.diff_src && !pd_.has_global_stats()) || e.diff_scale != nullptr
                          || e.diff_shift != nullptr;
    const channel_pass_t *const gradient = has_gradient ? &gradient_pass(outputs) : nullptr;
    const auto values_of = [&](dim_t unit) { return e.values + unit * arrays_.unit_pitch; };
    sweep(plan_, channel_sweeps_t{src_size_ + diff_dst_size_ + diff_src_size_, has_sums,
                         [&](dim_t unit) { begin(e, unit); },
                         [&](const channel_chunk_t &chunk) {
                             sums_->run(chunk, e.bases, values_of(chunk.unit),
                                     cleared_sums(plan_, arrays_, chunk, e.sums));
                         },
                         [&](const channel_group_t &group, int) {
                             finish(e, group);
                             return true;
                         },
                         [&](dim_t unit) {
                             spread_over_folds(
                                     plan_, arrays_, unit, kernel_t::value_count, e.values);
                         },
                         [&](const channel_chunk_t &chunk) {
                             if (gradient)
                                 gradient->run(chunk, e.bases, values_of(chunk.unit), nullptr);
                         }});
    return dnnl_success;
}

void batch_normalization_backward_t::begin(const execution_t &e, dim_t unit) const {
    const dim_t first_channel = plan_.first_channel(unit), count = plan_.channels_of(unit);
    float *const values = e.values + unit * arrays_.unit_pitch;
    const auto array = [&](int value) { return values + value * arrays_.value_pitch; };
    std::copy_n(e.mean + first_channel, count, array(kernel_t::mean));
    make_factors(e.scale ? e.scale + first_channel : nullptr, e.variance + first_channel,
            pd_.desc().epsilon, count, array(kernel_t::factor));
    // The first sweep needs means.
    spread_over_folds(plan_, arrays_, unit, 1, e.values + kernel_t::mean * arrays_.value_pitch);
}

void batch_normalization_backward_t::finish(
        const execution_t &e, const channel_group_t &group) const {
    const float *const sums = e.sums + group.unit * plan_.slots_per_unit() * arrays_.slot_pitch;
    const channel_totals_t totals = total_sums(plan_, arrays_, sums, group.begin, group.count);
    const dim_t first_channel = plan_.first_channel(group.unit) + group.begin;
    float *const values = e.values + group.unit * arrays_.unit_pitch + group.begin;
    const auto array = [&](int value) { return values + value * arrays_.value_pitch; };
    const auto size = static_cast<double>(pd_.channel_size());
    double squared_deviation[channel_totals_t::capacity];
    for (dim_t i = 0; i < group.count; ++i)
        squared_deviation[i] = static_cast<double>(e.variance[first_channel + i])
                               + static_cast<double>(pd_.desc().epsilon);
    for (dim_t i = 0; i < group.count; ++i) {
        array(kernel_t::offset)[i] = static_cast<float>(totals.first[i] / size);
        array(kernel_t::slope)[i] =
                static_cast<float>(totals.second[i] / (squared_deviation[i] * size));
    }
    if (e.diff_scale)
        for (dim_t i = 0; i < group.count; ++i)
            e.diff_scale[first_channel + i] =
                    static_cast<float>(totals.second[i] / std::sqrt(squared_deviation[i]));
    if (e.diff_shift) std::copy_n(totals.first, group.count, e.diff_shift + first_channel);
}

} // namespace kiln::x64::normalization
