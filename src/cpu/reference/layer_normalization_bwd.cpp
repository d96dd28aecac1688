// SPDX-License-Identifier: Apache-2.0
// The scalar truth of layer normalization, backward.

#include <algorithm>
#include <array>
#include <cmath>

#include "cpu/parallel.hpp"
#include "cpu/reference/layer_normalization_impl.hpp"

namespace kiln::cpu::reference {

layer_normalization_bwd_t::layer_normalization_bwd_t(const layer_normalization_pd_t &pd)
    : pd_(pd)
    , axis_(pd.src().ndims - 1)
    , src_(pd.src())
    , diff_src_(pd.diff_src())
    , diff_dst_(pd.diff_dst())
    , stat_(pd.stat())
    , src_slot_(pd.slot_of(DNNL_ARG_SRC))
    , diff_dst_slot_(pd.slot_of(DNNL_ARG_DIFF_DST))
    , mean_slot_(pd.slot_of(DNNL_ARG_MEAN))
    , variance_slot_(pd.slot_of(DNNL_ARG_VARIANCE))
    , scale_slot_(pd.slot_of(DNNL_ARG_SCALE))
    , diff_src_slot_(pd.slot_of(DNNL_ARG_DIFF_SRC))
    , diff_scale_slot_(pd.slot_of(DNNL_ARG_DIFF_SCALE))
    , diff_shift_slot_(pd.slot_of(DNNL_ARG_DIFF_SHIFT)) {}

status_t layer_normalization_bwd_t::execute(const exec_ctx_t &ctx) const {
    // First what only reads diff_dst: diff_src may overwrite it.
    if (ctx.has(diff_scale_slot_) || ctx.has(diff_shift_slot_)) {
        constexpr dim_t cols_per_task = 32;
        parallel_chunks(pd_.cols(), cols_per_task,
                [&](dim_t begin, dim_t end) { compute_weight_gradients(ctx, begin, end); });
    }
    if (ctx.has(diff_src_slot_)) {
        const std::span buffer(
                reinterpret_cast<double *>(ctx.scratchpad()), static_cast<size_t>(pd_.cols()));
        const auto scale = load_vector(pd_.scale_shift(), ctx.input(scale_slot_), buffer, 1.);
        parallel_chunks(pd_.rows(), rows_per_task(pd_.cols()),
                [&](dim_t begin, dim_t end) { compute_diff_src(ctx, scale, begin, end); });
    }
    return dnnl_success;
}

layer_normalization_bwd_t::row_statistics_t layer_normalization_bwd_t::row_statistics(
        const exec_ctx_t &ctx, const odometer_t &row) const {
    const dim_t offset = row.offset(stat_.layout());
    const double mean = pd_.is_rms() ? 0. : stat_.load(ctx.input(mean_slot_), offset);
    const double variance = stat_.load(ctx.input(variance_slot_), offset);
    return {mean, 1. / std::sqrt(variance + static_cast<double>(pd_.desc().epsilon))};
}

void layer_normalization_bwd_t::compute_weight_gradients(
        const exec_ctx_t &ctx, dim_t begin, dim_t end) const {
    const auto count = static_cast<size_t>(end - begin);
    std::vector<double> x(count), dy(count), diff_scale(count), diff_shift(count);
    odometer_t row(axis_, pd_.src().dims, 0);
    const dim_t rows = pd_.rows();
    for (dim_t i = 0; i < rows; ++i, row.next()) {
        const row_statistics_t statistics = row_statistics(ctx, row);
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
        const exec_ctx_t &ctx, std::span<const double> scale, dim_t begin, dim_t end) const {
    const auto cols = static_cast<size_t>(pd_.cols());
    std::vector<double> xhat(cols), g(cols);
    odometer_t row(axis_, pd_.src().dims, begin);
    for (dim_t i = begin; i < end; ++i, row.next()) {
        const row_statistics_t statistics = row_statistics(ctx, row);
        src_.load(ctx.input(src_slot_), row.offset(src_.layout()), axis_, 0, xhat);
        diff_dst_.load(ctx.input(diff_dst_slot_), row.offset(diff_dst_.layout()), axis_, 0, g);
        double mean_g = 0;
        double mean_g_xhat = 0;
        for (size_t c = 0; c < cols; ++c) {
            xhat[c] = (xhat[c] - statistics.mean) * statistics.r;
            g[c] *= scale[c];
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
        diff_src_.store(ctx.output(diff_src_slot_), row.offset(diff_src_.layout()), axis_, 0, g);
    }
}

} // namespace kiln::cpu::reference
