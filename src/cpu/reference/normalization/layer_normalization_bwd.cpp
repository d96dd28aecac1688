// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of layer normalization, backward.

#include <algorithm>
#include <cmath>
#include <optional>

#include "cpu/reference/normalization/layer_normalization_impl.hpp"
#include "cpu/reference/tasks.hpp"

namespace kiln::cpu::reference {

layer_normalization_bwd_t::layer_normalization_bwd_t(const layer_normalization_pd_t &pd)
    : pd_(pd)
    , axis_(pd.src().ndims - 1)
    , src_(pd.src())
    , diff_src_(pd.diff_src())
    , diff_dst_(pd.diff_dst())
    , stat_(pd.stat())
    , post_ops_(pd)
    , src_slot_(pd.slot_of(DNNL_ARG_SRC))
    , diff_dst_slot_(pd.slot_of(DNNL_ARG_DIFF_DST))
    , mean_slot_(pd.slot_of(DNNL_ARG_MEAN))
    , variance_slot_(pd.slot_of(DNNL_ARG_VARIANCE))
    , scale_slot_(pd.slot_of(DNNL_ARG_SCALE))
    , diff_src_slot_(pd.slot_of(DNNL_ARG_DIFF_SRC))
    , diff_scale_slot_(pd.slot_of(DNNL_ARG_DIFF_SCALE))
    , diff_shift_slot_(pd.slot_of(DNNL_ARG_DIFF_SHIFT)) {}

status_t layer_normalization_bwd_t::execute(const exec_ctx_t &ctx) const {
    // diff_src may overwrite src and diff_dst, so everything that only reads them comes first.
    const operands_t operands = this->operands(ctx);
    const auto for_rows = [&](const auto &body) {
        parallel_chunks(pd_.rows(), items_of_task(pd_.cols()), body);
    };
    for_rows([&](dim_t begin, dim_t end) { find_statistics(ctx, operands, begin, end); });
    const bool has_weights = ctx.has(diff_scale_slot_) || ctx.has(diff_shift_slot_);
    const bool are_split = pd_.combines_statistics();
    const bool are_summed = has_weights && pd_.combines_weight_gradients();
    std::optional<rank_message_t> message;
    if (are_summed || (are_split && (has_weights || ctx.has(diff_src_slot_))))
        message.emplace(pd_.attr().ranks, pd_.message_size(), message_buffer(pd_, ctx));
    if (has_weights) {
        constexpr dim_t cols_per_task = 32;
        parallel_chunks(pd_.cols(), cols_per_task, [&](dim_t begin, dim_t end) {
            compute_weight_gradients(ctx, operands, begin, end, are_summed ? &*message : nullptr);
        });
    }
    if (message) {
        message->count() = are_split ? static_cast<double>(pd_.cols()) : 0;
        if (are_split)
            for_rows([&](dim_t begin, dim_t end) {
                send_sums(ctx, operands, begin, end, *message);
            });
        KILN_TRY(message->combine_sums());
    }
    if (are_summed) {
        const auto cols = static_cast<size_t>(pd_.cols());
        store_weight_gradients(
                ctx, 0, {message->second_weights(), cols}, {message->first_weights(), cols});
    }
    if (ctx.has(diff_src_slot_))
        for_rows([&](dim_t begin, dim_t end) {
            compute_diff_src(ctx, operands, begin, end, are_split ? &*message : nullptr);
        });
    return dnnl_success;
}

layer_normalization_bwd_t::operands_t layer_normalization_bwd_t::operands(
        const exec_ctx_t &ctx) const {
    const auto cols = static_cast<size_t>(pd_.cols()), rows = static_cast<size_t>(pd_.rows());
    auto *const scale = reinterpret_cast<double *>(ctx.scratchpad());
    return {load_vector(pd_.scale_shift(), ctx.input(scale_slot_), {scale, cols}, 1.),
            {reinterpret_cast<row_statistics_t *>(scale + cols), rows}};
}

void layer_normalization_bwd_t::find_statistics(
        const exec_ctx_t &ctx, const operands_t &operands, dim_t begin, dim_t end) const {
    std::vector<double> x(pd_.recomputes_stats() ? static_cast<size_t>(pd_.cols()) : 0);
    odometer_t row(axis_, pd_.src().dims, begin);
    for (dim_t i = begin; i < end; ++i, row.next()) {
        row_moments_t moments{};
        if (pd_.recomputes_stats()) {
            src_.load(ctx.input(src_slot_), row.offset(src_.layout()), axis_, 0, x);
            moments = moments_of(x, pd_.is_rms());
        } else {
            const dim_t offset = row.offset(stat_.layout());
            if (!pd_.is_rms()) moments.mean = stat_.load(ctx.input(mean_slot_), offset);
            moments.variance = stat_.load(ctx.input(variance_slot_), offset);
        }
        const double r = 1. / std::sqrt(moments.variance + static_cast<double>(pd_.desc().epsilon));
        operands.statistics[static_cast<size_t>(i)] = {moments.mean, r};
    }
}

void layer_normalization_bwd_t::compute_weight_gradients(const exec_ctx_t &ctx,
        const operands_t &operands, dim_t begin, dim_t end, rank_message_t *message) const {
    const auto count = static_cast<size_t>(end - begin);
    std::vector<double> x(count), dy(count), diff_scale(count), diff_shift(count);
    odometer_t row(axis_, pd_.src().dims, 0);
    const dim_t rows = pd_.rows();
    for (dim_t i = 0; i < rows; ++i, row.next()) {
        const row_statistics_t &statistics = operands.statistics[static_cast<size_t>(i)];
        src_.load(ctx.input(src_slot_), row.offset(src_.layout()), axis_, begin, x);
        diff_dst_.load(ctx.input(diff_dst_slot_), row.offset(diff_dst_.layout()), axis_, begin, dy);
        for (size_t c = 0; c < count; ++c) {
            diff_scale[c] += dy[c] * ((x[c] - statistics.mean) * statistics.r);
            diff_shift[c] += dy[c];
        }
    }
    if (!message) return store_weight_gradients(ctx, begin, diff_scale, diff_shift);
    std::copy(diff_scale.begin(), diff_scale.end(), message->second_weights() + begin);
    std::copy(diff_shift.begin(), diff_shift.end(), message->first_weights() + begin);
}

void layer_normalization_bwd_t::store_weight_gradients(const exec_ctx_t &ctx, dim_t begin,
        std::span<const double> scale, std::span<const double> shift) const {
    const tensor_t gradient(pd_.diff_scale_shift());
    const dim_t origin = gradient.layout().offset0();
    if (ctx.has(diff_scale_slot_))
        gradient.store(ctx.output(diff_scale_slot_), origin, 0, begin, scale);
    if (ctx.has(diff_shift_slot_))
        gradient.store(ctx.output(diff_shift_slot_), origin, 0, begin, shift);
}

layer_normalization_bwd_t::sums_t layer_normalization_bwd_t::load_row(const exec_ctx_t &ctx,
        const operands_t &operands, const odometer_t &row, dim_t i, std::span<double> xhat,
        std::span<double> g) const {
    const row_statistics_t &statistics = operands.statistics[static_cast<size_t>(i)];
    src_.load(ctx.input(src_slot_), row.offset(src_.layout()), axis_, 0, xhat);
    diff_dst_.load(ctx.input(diff_dst_slot_), row.offset(diff_dst_.layout()), axis_, 0, g);
    sums_t sums;
    for (size_t c = 0; c < g.size(); ++c) {
        xhat[c] = (xhat[c] - statistics.mean) * statistics.r;
        g[c] *= operands.scale[c];
        sums.g += g[c];
        sums.g_xhat += g[c] * xhat[c];
    }
    return sums;
}

/// Kernels send sum(g * (x - mean)), and no sum(g) of RMS normalization.
void layer_normalization_bwd_t::send_sums(const exec_ctx_t &ctx, const operands_t &operands,
        dim_t begin, dim_t end, rank_message_t &message) const {
    const auto cols = static_cast<size_t>(pd_.cols());
    std::vector<double> xhat(cols), g(cols);
    odometer_t row(axis_, pd_.src().dims, begin);
    for (dim_t i = begin; i < end; ++i, row.next()) {
        const sums_t sums = load_row(ctx, operands, row, i, xhat, g);
        message.first()[i] = pd_.is_rms() ? 0 : sums.g;
        message.second()[i] = sums.g_xhat / operands.statistics[static_cast<size_t>(i)].r;
    }
}

void layer_normalization_bwd_t::compute_diff_src(const exec_ctx_t &ctx, const operands_t &operands,
        dim_t begin, dim_t end, rank_message_t *combined) const {
    const auto cols = static_cast<size_t>(pd_.cols());
    const double size = combined ? combined->count() : static_cast<double>(cols);
    std::vector<double> xhat(cols), g(cols);
    odometer_t row(axis_, pd_.src().dims, begin);
    for (dim_t i = begin; i < end; ++i, row.next()) {
        const row_statistics_t &statistics = operands.statistics[static_cast<size_t>(i)];
        sums_t sums = load_row(ctx, operands, row, i, xhat, g);
        if (combined) sums = {combined->first()[i], combined->second()[i] * statistics.r};
        const double mean_g = pd_.is_rms() ? 0 : sums.g / size;
        const double mean_g_xhat = sums.g_xhat / size;
        if (pd_.has_global_stats()) {
            for (size_t c = 0; c < cols; ++c) g[c] *= statistics.r;
        } else {
            for (size_t c = 0; c < cols; ++c)
                g[c] = statistics.r * (g[c] - mean_g - xhat[c] * mean_g_xhat);
        }
        post_ops_.apply(axis_, row.position(), g, ctx);
        diff_src_.store(ctx.output(diff_src_slot_), row.offset(diff_src_.layout()), axis_, 0, g);
    }
}

} // namespace kiln::cpu::reference
