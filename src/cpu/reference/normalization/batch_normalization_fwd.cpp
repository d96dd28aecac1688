// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of batch normalization, forward.

#include <cmath>

#include "cpu/reference/normalization/batch_normalization_impl.hpp"
#include "cpu/reference/normalization/relu_bits.hpp"

namespace kiln::cpu::reference {

batch_normalization_fwd_t::batch_normalization_fwd_t(const batch_normalization_pd_t &pd)
    : pd_(pd)
    , tasks_(pd)
    , lines_(pd.src())
    , src_(pd.src())
    , dst_(pd.dst())
    , per_channel_(pd.per_channel())
    , mask_(pd.relu_mask())
    , post_ops_(pd)
    , src_slot_(pd.slot_of(DNNL_ARG_SRC))
    , src_1_slot_(pd.slot_of(DNNL_ARG_SRC_1))
    , dst_slot_(pd.slot_of(DNNL_ARG_DST))
    , mean_slot_(pd.slot_of(DNNL_ARG_MEAN))
    , variance_slot_(pd.slot_of(DNNL_ARG_VARIANCE))
    , scale_slot_(pd.slot_of(DNNL_ARG_SCALE))
    , shift_slot_(pd.slot_of(DNNL_ARG_SHIFT))
    , workspace_slot_(pd.slot_of(DNNL_ARG_WORKSPACE)) {}

status_t batch_normalization_fwd_t::execute(const exec_ctx_t &ctx) const {
    if (pd_.message_size().is_empty()) {
        tasks_.for_each_channel([&](dim_t c) { execute_channel(ctx, c, find_statistics(ctx, c)); });
        return dnnl_success;
    }
    rank_message_t message(
            pd_.attr().ranks, pd_.message_size(), reinterpret_cast<double *>(ctx.scratchpad()));
    message.count() = static_cast<double>(pd_.channel_size());
    tasks_.for_each_channel([&](dim_t c) {
        const statistics_t statistics = find_statistics(ctx, c);
        message.first()[c] = statistics.mean;
        message.second()[c] = statistics.variance * static_cast<double>(pd_.channel_size());
    });
    KILN_TRY(message.combine_moments());
    tasks_.for_each_channel([&](dim_t c) {
        execute_channel(ctx, c, {message.first()[c], message.second()[c] / message.count()});
    });
    return dnnl_success;
}

statistics_t batch_normalization_fwd_t::find_statistics(const exec_ctx_t &ctx, dim_t c) const {
    return pd_.has_global_stats()
                   ? given_statistics(ctx, c)
                   : statistics_of(lines_, lines_.channel(c), src_, ctx.input(src_slot_));
}

void batch_normalization_fwd_t::execute_channel(
        const exec_ctx_t &ctx, dim_t c, const statistics_t &statistics) const {
    if (pd_.writes_stats()) {
        per_channel_.store(ctx.output(mean_slot_), c, statistics.mean);
        per_channel_.store(ctx.output(variance_slot_), c, statistics.variance);
    }
    const double r = 1. / std::sqrt(statistics.variance + static_cast<double>(pd_.desc().epsilon));
    const line_map_t map{
            statistics.mean, weight(ctx, scale_slot_, c, 1.) * r, weight(ctx, shift_slot_, c, 0.)};
    std::vector<double> y(lines_.length());
    std::vector<double> added(pd_.has_add() ? lines_.length() : 0);
    lines_.for_each(lines_.channel(c),
            [&](const image_line_t &line) { normalize(ctx, line, map, y, added); });
}

void batch_normalization_fwd_t::normalize(const exec_ctx_t &ctx, const image_line_t &line,
        const line_map_t &map, std::span<double> y, std::span<double> added) const {
    line.load(src_, ctx.input(src_slot_), y);
    for (double &value : y) value = map.a * (value - map.mean) + map.shift;
    if (pd_.has_add()) {
        line.load(dst_, ctx.input(src_1_slot_), added);
        for (size_t i = 0; i < y.size(); ++i) y[i] += added[i];
    }
    if (pd_.has_relu()) apply_relu(ctx, line, y);
    post_ops_.apply(line.axis, line.position, y, ctx);
    line.store(dst_, ctx.output(dst_slot_), y);
}

void batch_normalization_fwd_t::apply_relu(
        const exec_ctx_t &ctx, const image_line_t &line, std::span<double> y) const {
    void *mask = ctx.output(workspace_slot_);
    for (size_t i = 0; i < y.size(); ++i) {
        const bool passes = !(y[i] <= 0.); // a NaN passes
        if (!passes) y[i] = 0.;
        if (mask) store_bit(mask, line.offset(mask_, i), passes);
    }
}

statistics_t batch_normalization_fwd_t::given_statistics(const exec_ctx_t &ctx, dim_t c) const {
    return {per_channel_.load(ctx.input(mean_slot_), c),
            per_channel_.load(ctx.input(variance_slot_), c)};
}

double batch_normalization_fwd_t::weight(
        const exec_ctx_t &ctx, int slot, dim_t c, double neutral) const {
    const void *data = ctx.input(slot);
    return data ? per_channel_.load(data, c) : neutral;
}

} // namespace kiln::cpu::reference
