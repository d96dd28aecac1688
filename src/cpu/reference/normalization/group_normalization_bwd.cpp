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
    if (!pd_.message_size().is_empty()) return execute_over_ranks(ctx);
    // diff_src may overwrite diff_dst, so everything that only reads diff_dst comes first.
    if (ctx.has(diff_scale_slot_) || ctx.has(diff_shift_slot_))
        parallel_chunks(pd_.channels(), 1,
                [&](dim_t c, dim_t) { store(ctx, c, weight_gradients(ctx, c)); });
    if (ctx.has(diff_src_slot_))
        parallel_chunks(pd_.samples() * pd_.groups(), 1, [&](dim_t index, dim_t) {
            write_diff_src(ctx, index, sums(ctx, index), static_cast<double>(pd_.group_size()));
        });
    return dnnl_success;
}

/// Kernels send sum(g * (x - mean)) of a group.
status_t group_normalization_bwd_t::execute_over_ranks(const exec_ctx_t &ctx) const {
    const bool has_weights = ctx.has(diff_scale_slot_) || ctx.has(diff_shift_slot_);
    const bool has_diff_src = ctx.has(diff_src_slot_);
    const bool are_split = pd_.combines_statistics(), are_summed = pd_.combines_weight_gradients();
    const bool is_exchanged = has_weights || (are_split && has_diff_src);
    if (!is_exchanged && !has_diff_src) return dnnl_success;
    const dim_t groups = pd_.samples() * pd_.groups();
    const auto own_size = static_cast<double>(pd_.group_size());
    rank_message_t message(
            pd_.attr().ranks, pd_.message_size(), reinterpret_cast<double *>(ctx.scratchpad()));
    message.count() = own_size;
    const auto r_of = [&](dim_t index) {
        return group_statistics(ctx, index / pd_.groups(), index % pd_.groups()).r;
    };
    if (are_split)
        parallel_chunks(groups, 1, [&](dim_t index, dim_t) {
            const sums_t own = sums(ctx, index);
            message.first()[index] = own.g;
            message.second()[index] = own.g_xhat / r_of(index);
        });
    if (has_weights)
        parallel_chunks(pd_.channels(), 1, [&](dim_t c, dim_t) {
            const weight_gradients_t own = weight_gradients(ctx, c);
            if (!are_summed) return store(ctx, c, own);
            message.first_weights()[c] = own.shift;
            message.second_weights()[c] = own.scale;
        });
    if (is_exchanged) KILN_TRY(message.combine_sums());
    if (has_weights && are_summed)
        for (dim_t c = 0; c < pd_.channels(); ++c)
            store(ctx, c, {message.second_weights()[c], message.first_weights()[c]});
    if (!has_diff_src) return dnnl_success;
    parallel_chunks(groups, 1, [&](dim_t index, dim_t) {
        if (!are_split) return write_diff_src(ctx, index, sums(ctx, index), own_size);
        const sums_t all{message.first()[index], message.second()[index] * r_of(index)};
        write_diff_src(ctx, index, all, message.count());
    });
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

group_normalization_bwd_t::weight_gradients_t group_normalization_bwd_t::weight_gradients(
        const exec_ctx_t &ctx, dim_t c) const {
    std::vector<double> xhat(lines_.length()), dy(lines_.length());
    weight_gradients_t gradients;
    for (dim_t n = 0; n < pd_.samples(); ++n) {
        const auto statistics = group_statistics(ctx, n, c / pd_.channels_per_group());
        lines_.for_each({n, n + 1, c, c + 1}, [&](const image_line_t &line) {
            load(ctx, line, statistics, xhat, dy);
            for (size_t i = 0; i < dy.size(); ++i) {
                gradients.scale += dy[i] * xhat[i];
                gradients.shift += dy[i];
            }
        });
    }
    return gradients;
}

void group_normalization_bwd_t::store(
        const exec_ctx_t &ctx, dim_t c, const weight_gradients_t &gradients) const {
    const tensor_t gradient(pd_.diff_scale_shift());
    if (ctx.has(diff_scale_slot_)) gradient.store(ctx.output(diff_scale_slot_), c, gradients.scale);
    if (ctx.has(diff_shift_slot_)) gradient.store(ctx.output(diff_shift_slot_), c, gradients.shift);
}

group_normalization_bwd_t::sums_t group_normalization_bwd_t::sums(
        const exec_ctx_t &ctx, dim_t index) const {
    sums_t sums;
    if (pd_.has_global_stats()) return sums;
    const sample_group_t group = sample_group(pd_, index);
    const auto statistics = group_statistics(ctx, group.n, group.g);
    std::vector<double> xhat(lines_.length()), dy(lines_.length());
    lines_.for_each(group.part, [&](const image_line_t &line) {
        const double scale = scale_of(ctx, line.position[1]);
        load(ctx, line, statistics, xhat, dy);
        for (size_t i = 0; i < dy.size(); ++i) {
            sums.g += scale * dy[i];
            sums.g_xhat += scale * dy[i] * xhat[i];
        }
    });
    return sums;
}

void group_normalization_bwd_t::write_diff_src(
        const exec_ctx_t &ctx, dim_t index, const sums_t &sums, double size) const {
    const sample_group_t group = sample_group(pd_, index);
    const auto statistics = group_statistics(ctx, group.n, group.g);
    const double mean_g = sums.g / size, mean_g_xhat = sums.g_xhat / size;
    std::vector<double> xhat(lines_.length()), dy(lines_.length());
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
