// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization over ranks.

#include "cpu/x64/layer_normalization/rank_rows.hpp"

#include <algorithm>

#include "common/integers.hpp"
#include "common/memory/data_type.hpp"

namespace kiln::x64::layer_normalization {
namespace {

/// Takes `bytes` behind those that are taken; returns where they begin.
size_t take_bytes(size_t &taken, size_t bytes) {
    const size_t first = round_up(taken, scratchpad_alignment);
    taken = first + bytes;
    return first;
}

row_plan_t plan_of_stats(const layer_normalization_pd_t &pd) {
    const int ndims = pd.src().ndims - 1;
    memory_desc_t in_order{};
    init_by_strides(in_order, ndims, pd.src().dims, dnnl_f32, nullptr);
    const bool is_output = pd.writes_stats();
    const memory_desc_t *const mds[] = {&in_order, is_output ? &pd.stat() : &zero_md};
    return row_plan_t(ndims, mds);
}

} // namespace

rank_rows_t::rank_rows_t(const layer_normalization_pd_t &pd, size_t &bytes) {
    if (!pd.combines_statistics()) return;
    arrays_ = pd.is_forward() ? 3 : 2;
    ranks_ = pd.attr().ranks;
    rows_ = pd.rows();
    cols_ = static_cast<double>(pd.cols());
    has_mean_ = !pd.is_rms();
    const auto floats = static_cast<size_t>(arrays_ * rows_) * sizeof(float);
    first_byte_ = take_bytes(bytes, round_up(floats, scratchpad_alignment));
    bytes += cpu::rank_message_t::bytes(ranks_, pd.message_size());
    stats_ = plan_of_stats(pd);
    if (!pd.writes_stats()) return;
    stat_type_ = pd.stat().data_type;
    if (has_mean_) mean_slot_ = pd.slot_of(DNNL_ARG_MEAN);
    variance_slot_ = pd.slot_of(DNNL_ARG_VARIANCE);
}

float *rank_rows_t::array(const exec_ctx_t &ctx, int index) const {
    return reinterpret_cast<float *>(ctx.scratchpad() + first_byte_) + index * rows_;
}

rank_rows_t::arrays_t rank_rows_t::arrays(const exec_ctx_t &ctx) const {
    float *const first = array(ctx, 0), *const second = array(ctx, 1);
    if (arrays_ == 2) return {nullptr, nullptr, nullptr, has_mean_ ? first : nullptr, second};
    return {has_mean_ ? first : nullptr, has_mean_ ? second : nullptr, array(ctx, 2), nullptr,
            nullptr};
}

double *rank_rows_t::message_buffer(const exec_ctx_t &ctx) const {
    const auto floats = static_cast<size_t>(arrays_ * rows_) * sizeof(float);
    return reinterpret_cast<double *>(
            ctx.scratchpad() + first_byte_ + round_up(floats, scratchpad_alignment));
}

status_t rank_rows_t::combine_statistics(const exec_ctx_t &ctx) const {
    const arrays_t rows = arrays(ctx);
    cpu::rank_message_t message(ranks_, message_size(), message_buffer(ctx));
    message.count() = cols_;
    for (dim_t i = 0; i < rows_; ++i) {
        message.first()[i] =
                has_mean_ ? static_cast<double>(rows.center[i]) + static_cast<double>(rows.rest[i])
                          : 0;
        message.second()[i] = static_cast<double>(rows.variance[i]) * cols_;
    }
    KILN_TRY(message.combine_moments());
    void *const means = ctx.output(mean_slot_), *const variances = ctx.output(variance_slot_);
    for (dim_t i = 0; i < rows_; ++i) {
        const double mean = message.first()[i], variance = message.second()[i] / message.count();
        rows.variance[i] = static_cast<float>(variance);
        if (has_mean_) {
            rows.center[i] = static_cast<float>(mean);
            rows.rest[i] = static_cast<float>(mean - static_cast<double>(rows.center[i]));
        }
        if (means) store_f64(stat_type_, mean, means, stats_.offset_of(i, 1));
        if (variances) store_f64(stat_type_, variance, variances, stats_.offset_of(i, 1));
    }
    return dnnl_success;
}

status_t rank_rows_t::combine_sums(const exec_ctx_t &ctx) const {
    const arrays_t rows = arrays(ctx);
    cpu::rank_message_t message(ranks_, message_size(), message_buffer(ctx));
    message.count() = cols_;
    for (dim_t i = 0; i < rows_; ++i) {
        message.first()[i] = has_mean_ ? static_cast<double>(rows.first[i]) : 0;
        message.second()[i] = static_cast<double>(rows.second[i]);
    }
    KILN_TRY(message.combine_sums());
    const double share = cols_ / message.count();
    for (dim_t i = 0; i < rows_; ++i) {
        if (has_mean_) rows.first[i] = static_cast<float>(message.first()[i] * share);
        rows.second[i] = static_cast<float>(message.second()[i] * share);
    }
    return dnnl_success;
}

rank_gradients_t::rank_gradients_t(const layer_normalization_pd_t &pd, size_t &bytes) {
    if (!pd.combines_weight_gradients()) return;
    ranks_ = pd.attr().ranks;
    cols_ = pd.cols();
    type_ = pd.diff_scale_shift().data_type;
    first_byte_ = take_bytes(bytes, cpu::rank_message_t::bytes(ranks_, pd.message_size()));
}

status_t rank_gradients_t::store(const exec_ctx_t &ctx, const chunk_totals_t &totals,
        const chunk_sums_t &sums, void *diff_scale, void *diff_shift) const {
    if (cols_ == 0) {
        totals.store(sums.first, diff_scale);
        totals.store(sums.first + sums.to_shift, diff_shift);
        return dnnl_success;
    }
    cpu::rank_message_t message(
            ranks_, {.weights = cols_}, reinterpret_cast<double *>(ctx.scratchpad() + first_byte_));
    message.count() = 0;
    const auto add_up = [&](const float *chunk, double *to) {
        std::fill_n(to, cols_, 0.);
        for (dim_t i = 0; i < sums.chunks; ++i, chunk += sums.pitch)
            for (dim_t c = 0; c < cols_; ++c) to[c] += static_cast<double>(chunk[c]);
    };
    add_up(sums.first, message.second_weights());
    add_up(sums.first + sums.to_shift, message.first_weights());
    KILN_TRY(message.combine_sums());
    const auto store = [&](const double *of_ranks, void *to) {
        for (dim_t c = 0; to != nullptr && c < cols_; ++c) store_f64(type_, of_ranks[c], to, c);
    };
    store(message.second_weights(), diff_scale);
    store(message.first_weights(), diff_shift);
    return dnnl_success;
}

} // namespace kiln::x64::layer_normalization
