// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of layer normalization, forward.

#include <cmath>

#include "cpu/reference/normalization/layer_normalization_impl.hpp"
#include "cpu/reference/quantization_scale.hpp"
#include "cpu/reference/tasks.hpp"

namespace kiln::cpu::reference {
namespace {

/// Bytes of the scratchpad in front of what ranks send each other.
size_t own_size(const layer_normalization_pd_t &pd) {
    const dim_t doubles = pd.is_forward() ? 2 * pd.cols() : pd.cols() + 2 * pd.rows();
    return static_cast<size_t>(doubles) * sizeof(double);
}

} // namespace

size_t scratchpad_size(const layer_normalization_pd_t &pd) {
    return own_size(pd) + rank_message_t::bytes(pd.attr().ranks, pd.message_size());
}

double *message_buffer(const layer_normalization_pd_t &pd, const exec_ctx_t &ctx) {
    return reinterpret_cast<double *>(ctx.scratchpad() + own_size(pd));
}

row_moments_t moments_of(std::span<const double> x, bool is_rms) {
    const auto count = static_cast<double>(x.size());
    double mean = 0;
    if (!is_rms) {
        for (const double value : x) mean += value;
        mean /= count;
    }
    double variance = 0;
    for (const double value : x) variance += (value - mean) * (value - mean);
    return {mean, variance / count};
}

std::span<const double> load_vector(
        const memory_desc_t &md, const void *data, std::span<double> values, double neutral) {
    if (data) {
        const tensor_t tensor(md);
        tensor.load(data, tensor.layout().offset0(), 0, 0, values);
    } else {
        std::fill(values.begin(), values.end(), neutral);
    }
    return values;
}

layer_normalization_fwd_t::layer_normalization_fwd_t(const layer_normalization_pd_t &pd)
    : pd_(pd)
    , axis_(pd.src().ndims - 1)
    , src_(pd.src())
    , dst_(pd.dst())
    , stat_(pd.stat())
    , src_1_(pd.src_1())
    , sum_(pd.sum())
    , row_scale_(pd.row_scale())
    , post_ops_(pd)
    , src_slot_(pd.slot_of(DNNL_ARG_SRC))
    , dst_slot_(pd.slot_of(DNNL_ARG_DST))
    , mean_slot_(pd.slot_of(DNNL_ARG_MEAN))
    , variance_slot_(pd.slot_of(DNNL_ARG_VARIANCE))
    , scale_slot_(pd.slot_of(DNNL_ARG_SCALE))
    , shift_slot_(pd.slot_of(DNNL_ARG_SHIFT))
    , src_1_slot_(pd.slot_of(DNNL_ARG_SRC_1))
    , sum_slot_(pd.slot_of(DNNL_ARG_DST_1))
    , row_factor_slot_(pd.slot_of(DNNL_ARG_SRC_2))
    , row_scale_slot_(pd.slot_of(DNNL_ARG_DST_2)) {}

layer_normalization_fwd_t::operands_t layer_normalization_fwd_t::load_operands(
        const exec_ctx_t &ctx) const {
    const auto cols = static_cast<size_t>(pd_.cols());
    auto *buffer = reinterpret_cast<double *>(ctx.scratchpad());
    return {load_vector(pd_.scale_shift(), ctx.input(scale_slot_), {buffer, cols}, 1.),
            load_vector(pd_.scale_shift(), ctx.input(shift_slot_), {buffer + cols, cols}, 0.),
            quantization_scale(ctx, DNNL_ARG_SRC), quantization_scale(ctx, DNNL_ARG_DST),
            pd_.has_row_scale() ? load_f64(dnnl_f32, ctx.input(row_factor_slot_), 0) : 1.};
}

status_t layer_normalization_fwd_t::execute(const exec_ctx_t &ctx) const {
    const operands_t operands = load_operands(ctx);
    if (!pd_.message_size().is_empty()) return execute_over_ranks(ctx, operands);
    parallel_chunks(pd_.rows(), items_of_task(pd_.cols()),
            [&](dim_t begin, dim_t end) { execute_rows(ctx, operands, begin, end, nullptr); });
    return dnnl_success;
}

status_t layer_normalization_fwd_t::execute_over_ranks(
        const exec_ctx_t &ctx, const operands_t &operands) const {
    rank_message_t message(pd_.attr().ranks, pd_.message_size(), message_buffer(pd_, ctx));
    const auto cols = static_cast<double>(pd_.cols());
    message.count() = cols;
    parallel_chunks(pd_.rows(), items_of_task(pd_.cols()), [&](dim_t begin, dim_t end) {
        std::vector<double> x(static_cast<size_t>(pd_.cols()));
        odometer_t row(axis_, pd_.src().dims, begin);
        for (dim_t i = begin; i < end; ++i, row.next()) {
            load_row(ctx, row, x);
            const row_moments_t moments = moments_of(x, pd_.is_rms());
            message.first()[i] = moments.mean;
            message.second()[i] = moments.variance * cols;
        }
    });
    KILN_TRY(message.combine_moments());
    parallel_chunks(pd_.rows(), items_of_task(pd_.cols()),
            [&](dim_t begin, dim_t end) { execute_rows(ctx, operands, begin, end, &message); });
    return dnnl_success;
}

void layer_normalization_fwd_t::execute_rows(const exec_ctx_t &ctx, const operands_t &operands,
        dim_t begin, dim_t end, rank_message_t *combined) const {
    std::vector<double> values(static_cast<size_t>(pd_.cols()));
    odometer_t row(axis_, pd_.src().dims, begin);
    for (dim_t i = begin; i < end; ++i, row.next()) {
        load_row(ctx, row, values);
        const row_moments_t statistics = combined ? row_moments_t{combined->first()[i],
                                                 combined->second()[i] / combined->count()}
                                         : pd_.has_global_stats()
                                                 ? given_statistics(ctx, row)
                                                 : moments_of(values, pd_.is_rms());
        if (pd_.writes_stats()) store_statistics(ctx, row, statistics);

        const double r =
                1. / std::sqrt(statistics.variance + static_cast<double>(pd_.desc().epsilon));
        for (size_t c = 0; c < values.size(); ++c) {
            const double normalized = (values[c] - statistics.mean) * r;
            values[c] = operands.src_scale * (operands.scale[c] * normalized + operands.shift[c]);
        }
        post_ops_.apply(axis_, row.position(), values, ctx);
        if (operands.dst_scale != 1.)
            for (double &value : values) value /= operands.dst_scale;
        if (pd_.has_row_scale()) apply_row_scale(ctx, row, operands.row_factor, values);
        dst_.store(ctx.output(dst_slot_), row.offset(dst_.layout()), axis_, 0, values);
    }
}

void layer_normalization_fwd_t::load_row(
        const exec_ctx_t &ctx, const odometer_t &row, std::span<double> x) const {
    src_.load(ctx.input(src_slot_), row.offset(src_.layout()), axis_, 0, x);
    if (!pd_.has_src_1()) return;
    std::vector<double> added(x.size());
    src_1_.load(ctx.input(src_1_slot_), row.offset(src_1_.layout()), axis_, 0, added);
    for (size_t c = 0; c < x.size(); ++c) x[c] += added[c];
    if (!pd_.has_sum()) return;
    const dim_t offset = row.offset(sum_.layout());
    sum_.store(ctx.output(sum_slot_), offset, axis_, 0, x);
    sum_.load(ctx.output(sum_slot_), offset, axis_, 0, x);
}

row_moments_t layer_normalization_fwd_t::given_statistics(
        const exec_ctx_t &ctx, const odometer_t &row) const {
    const dim_t offset = row.offset(stat_.layout());
    const double mean = pd_.is_rms() ? 0. : stat_.load(ctx.input(mean_slot_), offset);
    return {mean, stat_.load(ctx.input(variance_slot_), offset)};
}

void layer_normalization_fwd_t::store_statistics(
        const exec_ctx_t &ctx, const odometer_t &row, const row_moments_t &statistics) const {
    const dim_t offset = row.offset(stat_.layout());
    if (!pd_.is_rms()) stat_.store(ctx.output(mean_slot_), offset, statistics.mean);
    stat_.store(ctx.output(variance_slot_), offset, statistics.variance);
}

void layer_normalization_fwd_t::apply_row_scale(
        const exec_ctx_t &ctx, const odometer_t &row, double factor, std::span<double> y) const {
    double greatest = 0;
    for (const double value : y)
        if (std::abs(value) > greatest || std::isnan(value)) greatest = std::abs(value);
    const dim_t offset = row.offset(row_scale_.layout());
    row_scale_.store(ctx.output(row_scale_slot_), offset, greatest * factor);
    const double scale = row_scale_.load(ctx.output(row_scale_slot_), offset);
    for (double &value : y) value /= scale;
}

} // namespace kiln::cpu::reference
