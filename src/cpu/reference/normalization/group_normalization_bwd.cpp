// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of group normalization, backward.

#include <cmath>

#include "cpu/parallel.hpp"
#include "cpu/reference/normalization/group_normalization_impl.hpp"

namespace kiln::cpu::reference {

group_normalization_bwd_t::group_normalization_bwd_t(const group_normalization_pd_t &pd)
    : pd_(pd)
    , lines_(pd.src())
    , src_(pd.src())
    , diff_src_(pd.diff_src())
    , diff_dst_(pd.diff_dst())
    , stat_(pd.stat())
    , weight_(pd.scale_shift())
    , src_slot_(pd.slot_of(DNNL_ARG_SRC))
    , diff_dst_slot_(pd.slot_of(DNNL_ARG_DIFF_DST))
    , mean_slot_(pd.slot_of(DNNL_ARG_MEAN))
    , variance_slot_(pd.slot_of(DNNL_ARG_VARIANCE))
    , scale_slot_(pd.slot_of(DNNL_ARG_SCALE))
    , diff_src_slot_(pd.slot_of(DNNL_ARG_DIFF_SRC))
    , diff_scale_slot_(pd.slot_of(DNNL_ARG_DIFF_SCALE))
    , diff_shift_slot_(pd.slot_of(DNNL_ARG_DIFF_SHIFT)) {}

status_t group_normalization_bwd_t::execute(const exec_ctx_t &ctx) const {
    // diff_src may overwrite diff_dst, so everything that only reads diff_dst comes first.
    if (ctx.has(diff_scale_slot_) || ctx.has(diff_shift_slot_))
        parallel_chunks(
                pd_.channels(), 1, [&](dim_t c, dim_t) { compute_weight_gradients(ctx, c); });
    if (ctx.has(diff_src_slot_))
        parallel_chunks(pd_.samples() * pd_.groups(), 1,
                [&](dim_t index, dim_t) { compute_diff_src(ctx, index); });
    return dnnl_success;
}

group_normalization_bwd_t::group_statistics_t group_normalization_bwd_t::group_statistics(
        const exec_ctx_t &ctx, dim_t n, dim_t g) const {
    const dim_t index = n * pd_.groups() + g;
    const double variance = stat_.load(ctx.input(variance_slot_), index);
    return {stat_.load(ctx.input(mean_slot_), index),
            1. / std::sqrt(variance + static_cast<double>(pd_.desc().epsilon))};
}

void group_normalization_bwd_t::load(const exec_ctx_t &ctx, const image_line_t &line,
        const group_statistics_t &statistics, std::span<double> xhat, std::span<double> dy) const {
    line.load(src_, ctx.input(src_slot_), xhat);
    line.load(diff_dst_, ctx.input(diff_dst_slot_), dy);
    for (double &value : xhat) value = (value - statistics.mean) * statistics.r;
}

double group_normalization_bwd_t::scale_of(const exec_ctx_t &ctx, dim_t c) const {
    return ctx.has(scale_slot_) ? weight_.load(ctx.input(scale_slot_), c) : 1.;
}

void group_normalization_bwd_t::compute_weight_gradients(const exec_ctx_t &ctx, dim_t c) const {
    std::vector<double> xhat(lines_.length()), dy(lines_.length());
    double diff_scale = 0, diff_shift = 0;
    for (dim_t n = 0; n < pd_.samples(); ++n) {
        const auto statistics = group_statistics(ctx, n, c / pd_.channels_per_group());
        lines_.for_each({n, n + 1, c, c + 1}, [&](const image_line_t &line) {
            load(ctx, line, statistics, xhat, dy);
            for (size_t i = 0; i < dy.size(); ++i) {
                diff_scale += dy[i] * xhat[i];
                diff_shift += dy[i];
            }
        });
    }
    const tensor_t gradient(pd_.diff_scale_shift());
    if (ctx.has(diff_scale_slot_)) gradient.store(ctx.output(diff_scale_slot_), c, diff_scale);
    if (ctx.has(diff_shift_slot_)) gradient.store(ctx.output(diff_shift_slot_), c, diff_shift);
}

void group_normalization_bwd_t::compute_diff_src(const exec_ctx_t &ctx, dim_t index) const {
    const sample_group_t group = sample_group(pd_, index);
    const auto statistics = group_statistics(ctx, group.n, group.g);
    std::vector<double> xhat(lines_.length()), dy(lines_.length());
    double mean_g = 0, mean_g_xhat = 0;
    if (!pd_.has_global_stats()) {
        lines_.for_each(group.part, [&](const image_line_t &line) {
            const double scale = scale_of(ctx, line.position[1]);
            load(ctx, line, statistics, xhat, dy);
            for (size_t i = 0; i < dy.size(); ++i) {
                mean_g += scale * dy[i];
                mean_g_xhat += scale * dy[i] * xhat[i];
            }
        });
        mean_g /= static_cast<double>(pd_.group_size());
        mean_g_xhat /= static_cast<double>(pd_.group_size());
    }
    lines_.for_each(group.part, [&](const image_line_t &line) {
        const double scale = scale_of(ctx, line.position[1]);
        load(ctx, line, statistics, xhat, dy);
        if (pd_.has_global_stats()) {
            for (double &value : dy) value *= scale * statistics.r;
        } else {
            for (size_t i = 0; i < dy.size(); ++i)
                dy[i] = statistics.r * (scale * dy[i] - mean_g - xhat[i] * mean_g_xhat);
        }
        line.store(diff_src_, ctx.output(diff_src_slot_), dy);
    });
}

} // namespace kiln::cpu::reference
