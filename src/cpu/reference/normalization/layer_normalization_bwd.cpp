// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of layer normalization, backward.

#include <algorithm>
#include <array>
#include <cmath>

#include "cpu/parallel.hpp"
#include "cpu/reference/normalization/layer_normalization_impl.hpp"

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
        parallel_chunks(pd_.rows(), rows_per_task(pd_.cols()), body);
    };
    for_rows([&](dim_t begin, dim_t end) { find_statistics(ctx, operands, begin, end); });
    if (ctx.has(diff_scale_slot_) || ctx.has(diff_shift_slot_)) {
        constexpr dim_t cols_per_task = 32;
        parallel_chunks(pd_.cols(), cols_per_task, [&](dim_t begin, dim_t end) {
            compute_weight_gradients(ctx, operands, begin, end);
        });
    }
    if (ctx.has(diff_src_slot_))
        for_rows([&](dim_t begin, dim_t end) { compute_diff_src(ctx, operands, begin, end); });
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

void layer_normalization_bwd_t::compute_weight_gradients(
        const exec_ctx_t &ctx, const operands_t &operands, dim_t begin, dim_t end) const {
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
    const tensor_t gradient(pd_.diff_scale_shift());
    const dim_t origin = gradient.layout().offset0();
    if (ctx.has(diff_scale_slot_))
        gradient.store(ctx.output(diff_scale_slot_), origin, 0, begin, diff_scale);
    if (ctx.has(diff_shift_slot_))
        gradient.store(ctx.output(diff_shift_slot_), origin, 0, begin, diff_shift);
}

void layer_normalization_bwd_t::compute_diff_src(
        const exec_ctx_t &ctx, const operands_t &operands, dim_t begin, dim_t end) const {
    const auto cols = static_cast<size_t>(pd_.cols());
    std::vector<double> xhat(cols), g(cols);
    odometer_t row(axis_, pd_.src().dims, begin);
    for (dim_t i = begin; i < end; ++i, row.next()) {
        const row_statistics_t &statistics = operands.statistics[static_cast<size_t>(i)];
        src_.load(ctx.input(src_slot_), row.offset(src_.layout()), axis_, 0, xhat);
        diff_dst_.load(ctx.input(diff_dst_slot_), row.offset(diff_dst_.layout()), axis_, 0, g);
        double mean_g = 0;
        double mean_g_xhat = 0;
        for (size_t c = 0; c < cols; ++c) {
            xhat[c] = (xhat[c] - statistics.mean) * statistics.r;
            g[c] *= operands.scale[c];
            mean_g += g[c];
            mean_g_xhat += g[c] * xhat[c];
        }
        mean_g = pd_.is_rms() ? 0 : mean_g / static_cast<double>(cols);
        mean_g_xhat /= static_cast<double>(cols);
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
