// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of group normalization, forward.

#include <cmath>

#include "cpu/parallel.hpp"
#include "cpu/reference/normalization/group_normalization_impl.hpp"
#include "cpu/reference/quantization_scale.hpp"

namespace kiln::cpu::reference {

group_normalization_fwd_t::group_normalization_fwd_t(const group_normalization_pd_t &pd)
    : pd_(pd)
    , lines_(pd.src())
    , src_(pd.src())
    , dst_(pd.dst())
    , stat_(pd.stat())
    , weight_(pd.scale_shift())
    , post_ops_(pd)
    , src_slot_(pd.slot_of(DNNL_ARG_SRC))
    , dst_slot_(pd.slot_of(DNNL_ARG_DST))
    , mean_slot_(pd.slot_of(DNNL_ARG_MEAN))
    , variance_slot_(pd.slot_of(DNNL_ARG_VARIANCE))
    , scale_slot_(pd.slot_of(DNNL_ARG_SCALE))
    , shift_slot_(pd.slot_of(DNNL_ARG_SHIFT)) {}

status_t group_normalization_fwd_t::execute(const exec_ctx_t &ctx) const {
    const scales_t scales{
            quantization_scale(ctx, DNNL_ARG_SRC), quantization_scale(ctx, DNNL_ARG_DST)};
    const dim_t groups = pd_.samples() * pd_.groups();
    if (pd_.message_size().is_empty()) {
        parallel_chunks(groups, 1, [&](dim_t index, dim_t) {
            execute_group(ctx, scales, index, find_statistics(ctx, index));
        });
        return dnnl_success;
    }
    rank_message_t message(
            pd_.attr().ranks, pd_.message_size(), reinterpret_cast<double *>(ctx.scratchpad()));
    const auto size = static_cast<double>(pd_.group_size());
    message.count() = size;
    parallel_chunks(groups, 1, [&](dim_t index, dim_t) {
        const statistics_t statistics = find_statistics(ctx, index);
        message.first()[index] = statistics.mean;
        message.second()[index] = statistics.variance * size;
    });
    KILN_TRY(message.combine_moments());
    parallel_chunks(groups, 1, [&](dim_t index, dim_t) {
        execute_group(ctx, scales, index,
                {message.first()[index], message.second()[index] / message.count()});
    });
    return dnnl_success;
}

statistics_t group_normalization_fwd_t::find_statistics(const exec_ctx_t &ctx, dim_t index) const {
    if (pd_.has_global_stats()) return given_statistics(ctx, index);
    return statistics_of(lines_, sample_group(pd_, index).part, src_, ctx.input(src_slot_));
}

void group_normalization_fwd_t::execute_group(const exec_ctx_t &ctx, const scales_t &scales,
        dim_t index, const statistics_t &statistics) const {
    const sample_group_t group = sample_group(pd_, index);
    if (pd_.writes_stats()) {
        stat_.store(ctx.output(mean_slot_), index, statistics.mean);
        stat_.store(ctx.output(variance_slot_), index, statistics.variance);
    }
    const double r = 1. / std::sqrt(statistics.variance + static_cast<double>(pd_.desc().epsilon));
    const auto weight = [&](int slot, dim_t c, double neutral) {
        return ctx.has(slot) ? weight_.load(ctx.input(slot), c) : neutral;
    };
    std::vector<double> y(lines_.length());
    lines_.for_each(group.part, [&](const image_line_t &line) {
        const dim_t c = line.position[1];
        const double scale = weight(scale_slot_, c, 1.);
        const double shift = weight(shift_slot_, c, 0.);
        line.load(src_, ctx.input(src_slot_), y);
        for (double &value : y)
            value = scales.src * (scale * ((value - statistics.mean) * r) + shift);
        post_ops_.apply(line.axis, line.position, y, ctx);
        if (scales.dst != 1.)
            for (double &value : y) value /= scales.dst;
        line.store(dst_, ctx.output(dst_slot_), y);
    });
}

statistics_t group_normalization_fwd_t::given_statistics(const exec_ctx_t &ctx, dim_t index) const {
    return {stat_.load(ctx.input(mean_slot_), index), stat_.load(ctx.input(variance_slot_), index)};
}

} // namespace kiln::cpu::reference
