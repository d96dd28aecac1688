// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of batch normalization, backward.

#include <cmath>

#include "cpu/reference/normalization/batch_normalization_impl.hpp"
#include "cpu/reference/normalization/relu_bits.hpp"

namespace kiln::cpu::reference {

batch_normalization_bwd_t::batch_normalization_bwd_t(const batch_normalization_pd_t &pd)
    : pd_(pd)
    , tasks_(pd)
    , lines_(pd.src())
    , src_(pd.src())
    , diff_src_(pd.diff_src())
    , diff_dst_(pd.diff_dst())
    , per_channel_(pd.per_channel())
    , relu_operand_(pd.relu_operand())
    , mask_(pd.relu_mask())
    , src_slot_(pd.slot_of(DNNL_ARG_SRC))
    , diff_dst_slot_(pd.slot_of(DNNL_ARG_DIFF_DST))
    , mean_slot_(pd.slot_of(DNNL_ARG_MEAN))
    , variance_slot_(pd.slot_of(DNNL_ARG_VARIANCE))
    , scale_slot_(pd.slot_of(DNNL_ARG_SCALE))
    , workspace_slot_(pd.slot_of(DNNL_ARG_WORKSPACE))
    , relu_operand_slot_(pd.slot_of(DNNL_ARG_DST))
    , diff_src_slot_(pd.slot_of(DNNL_ARG_DIFF_SRC))
    , diff_src_1_slot_(pd.slot_of(DNNL_ARG_DIFF_SRC_1))
    , diff_scale_slot_(pd.slot_of(DNNL_ARG_DIFF_SCALE))
    , diff_shift_slot_(pd.slot_of(DNNL_ARG_DIFF_SHIFT)) {}

status_t batch_normalization_bwd_t::execute(const exec_ctx_t &ctx) const {
    if (!pd_.message_size().is_empty()) return execute_over_ranks(ctx);
    tasks_.for_each_channel([&](dim_t c) { execute_channel(ctx, c); });
    return dnnl_success;
}

batch_normalization_bwd_t::channel_t batch_normalization_bwd_t::channel(
        const exec_ctx_t &ctx, dim_t c) const {
    const double variance = per_channel_.load(ctx.input(variance_slot_), c);
    return {per_channel_.load(ctx.input(mean_slot_), c),
            1. / std::sqrt(variance + static_cast<double>(pd_.desc().epsilon)),
            ctx.has(scale_slot_) ? per_channel_.load(ctx.input(scale_slot_), c) : 1.};
}

void batch_normalization_bwd_t::execute_channel(const exec_ctx_t &ctx, dim_t c) const {
    const channel_t channel = this->channel(ctx, c);
    const bool has_weight_gradients = ctx.has(diff_scale_slot_) || ctx.has(diff_shift_slot_);
    sums_t sums;
    if (has_weight_gradients || (ctx.has(diff_src_slot_) && !pd_.has_global_stats()))
        sums = this->sums(ctx, c, channel);
    // The sums are computed first, because diff_src may overwrite src and diff_dst.
    store_weight_gradients(ctx, c, sums);
    if (ctx.has(diff_src_slot_) || ctx.has(diff_src_1_slot_))
        write_gradients(ctx, c, channel, sums, static_cast<double>(pd_.channel_size()));
}

void batch_normalization_bwd_t::store_weight_gradients(
        const exec_ctx_t &ctx, dim_t c, const sums_t &sums) const {
    if (ctx.has(diff_scale_slot_))
        per_channel_.store(ctx.output(diff_scale_slot_), c, sums.dy_xhat);
    if (ctx.has(diff_shift_slot_)) per_channel_.store(ctx.output(diff_shift_slot_), c, sums.dy);
}

status_t batch_normalization_bwd_t::execute_over_ranks(const exec_ctx_t &ctx) const {
    const bool has_weight_gradients = ctx.has(diff_scale_slot_) || ctx.has(diff_shift_slot_);
    if (!has_weight_gradients && !(pd_.combines_statistics() && ctx.has(diff_src_slot_))) {
        tasks_.for_each_channel([&](dim_t c) { execute_channel(ctx, c); });
        return dnnl_success;
    }
    rank_message_t message(
            pd_.attr().ranks, pd_.message_size(), reinterpret_cast<double *>(ctx.scratchpad()));
    const auto own_size = static_cast<double>(pd_.channel_size());
    message.count() = own_size;
    tasks_.for_each_channel([&](dim_t c) {
        const channel_t channel = this->channel(ctx, c);
        const sums_t own = sums(ctx, c, channel);
        message.first()[c] = own.dy;
        message.second()[c] = own.dy_xhat / channel.r; // kernels send sum(dy * (x - mean))
        if (!pd_.combines_weight_gradients()) store_weight_gradients(ctx, c, own);
    });
    KILN_TRY(message.combine_sums());
    tasks_.for_each_channel([&](dim_t c) {
        const channel_t channel = this->channel(ctx, c);
        const sums_t all{message.first()[c], message.second()[c] * channel.r};
        if (pd_.combines_weight_gradients()) store_weight_gradients(ctx, c, all);
        if (!ctx.has(diff_src_slot_) && !ctx.has(diff_src_1_slot_)) return;
        if (pd_.combines_statistics())
            write_gradients(ctx, c, channel, all, message.count());
        else
            write_gradients(ctx, c, channel, sums(ctx, c, channel), own_size);
    });
    return dnnl_success;
}

void batch_normalization_bwd_t::load(const exec_ctx_t &ctx, const image_line_t &line,
        const channel_t &channel, std::span<double> xhat, std::span<double> dy) const {
    line.load(src_, ctx.input(src_slot_), xhat);
    line.load(diff_dst_, ctx.input(diff_dst_slot_), dy);
    for (double &value : xhat) value = (value - channel.mean) * channel.r;
    if (!pd_.has_relu_mask() && !pd_.has_relu_operand()) return;
    for (size_t i = 0; i < dy.size(); ++i)
        if (!passes(ctx, line, i)) dy[i] = 0.;
}

bool batch_normalization_bwd_t::passes(
        const exec_ctx_t &ctx, const image_line_t &line, size_t i) const {
    if (pd_.has_relu_mask()) return load_bit(ctx.input(workspace_slot_), line.offset(mask_, i));
    const dim_t offset = line.offset(relu_operand_.layout(), i);
    return relu_operand_.load(ctx.input(relu_operand_slot_), offset) > 0.; // a NaN does not pass
}

batch_normalization_bwd_t::sums_t batch_normalization_bwd_t::sums(
        const exec_ctx_t &ctx, dim_t c, const channel_t &channel) const {
    std::vector<double> xhat(lines_.length()), dy(lines_.length());
    sums_t sums;
    lines_.for_each(lines_.channel(c), [&](const image_line_t &line) {
        load(ctx, line, channel, xhat, dy);
        for (size_t i = 0; i < dy.size(); ++i) {
            sums.dy += dy[i];
            sums.dy_xhat += dy[i] * xhat[i];
        }
    });
    return sums;
}

void batch_normalization_bwd_t::write_gradients(const exec_ctx_t &ctx, dim_t c,
        const channel_t &channel, const sums_t &sums, double size) const {
    const bool constant_stats = pd_.has_global_stats();
    const double mean_dy = constant_stats ? 0. : sums.dy / size;
    const double mean_dy_xhat = constant_stats ? 0. : sums.dy_xhat / size;
    const double a = channel.scale * channel.r;
    std::vector<double> xhat(lines_.length()), dy(lines_.length());
    lines_.for_each(lines_.channel(c), [&](const image_line_t &line) {
        load(ctx, line, channel, xhat, dy);
        if (ctx.has(diff_src_1_slot_)) line.store(diff_dst_, ctx.output(diff_src_1_slot_), dy);
        if (!ctx.has(diff_src_slot_)) return;
        if (constant_stats) {
            for (double &value : dy) value *= a;
        } else {
            for (size_t i = 0; i < dy.size(); ++i)
                dy[i] = a * (dy[i] - mean_dy - xhat[i] * mean_dy_xhat);
        }
        line.store(diff_src_, ctx.output(diff_src_slot_), dy);
    });
}

} // namespace kiln::cpu::reference
