// SPDX-License-Identifier: Apache-2.0
// The two directions of the reference layer normalization, as primitives.
#pragma once

#include "common/operations/normalization/layer_normalization_pd.hpp"
#include "common/primitive/primitive.hpp"
#include "cpu/rank_message.hpp"
#include "cpu/reference/post_op_chain.hpp"
#include "cpu/reference/tensor.hpp"

namespace kiln::cpu::reference {

/// Bytes of the scratchpad: scale and shift in double; backward, also the statistics of each row;
/// what ranks send each other comes last.
size_t scratchpad_size(const layer_normalization_pd_t &pd);
double *message_buffer(const layer_normalization_pd_t &pd, const exec_ctx_t &ctx);
/// Mean (0 for RMS normalization) and variance about it, of a row or as they are given.
struct row_moments_t {
    double mean;
    double variance;
};
row_moments_t moments_of(std::span<const double> x, bool is_rms);
/// Fills `values` with the 1-D tensor of scale or shift; with `neutral` if it is absent.
std::span<const double> load_vector(
        const memory_desc_t &md, const void *data, std::span<double> values, double neutral);

/// y = post_ops(src_scale * (scale * (x - mean) / sqrt(variance + epsilon) + shift)), dst = y /
/// dst_scale, row by row; RMS normalization without the mean, its variance being mean(x^2). x is
/// src or src + src_1; if the sum is an output, x is the sum rounded to its data type. With scales
/// of rows, the scale is max|y| of the row times the factor, rounded to its data type (NaN if a y
/// is NaN), and dst = y / scale.
class layer_normalization_fwd_t : public primitive_impl_t {
public:
    explicit layer_normalization_fwd_t(const layer_normalization_pd_t &pd);
    status_t execute(const exec_ctx_t &ctx) const override;

private:
    /// Values that are the same for all rows of an execution.
    struct operands_t {
        std::span<const double> scale;
        std::span<const double> shift;
        double src_scale;
        double dst_scale;
        double row_factor;
    };

    operands_t load_operands(const exec_ctx_t &ctx) const;
    /// `combined`: what ranks have combined; null without ranks.
    void execute_rows(const exec_ctx_t &ctx, const operands_t &operands, dim_t begin, dim_t end,
            rank_message_t *combined) const;
    status_t execute_over_ranks(const exec_ctx_t &ctx, const operands_t &operands) const;
    /// Computes x of a row; adds src_1 and stores the sum if they are present.
    void load_row(const exec_ctx_t &ctx, const odometer_t &row, std::span<double> x) const;
    row_moments_t given_statistics(const exec_ctx_t &ctx, const odometer_t &row) const;
    void store_statistics(
            const exec_ctx_t &ctx, const odometer_t &row, const row_moments_t &statistics) const;
    /// Computes and stores the scale of a row, and divides the row by it.
    void apply_row_scale(
            const exec_ctx_t &ctx, const odometer_t &row, double factor, std::span<double> y) const;

    const layer_normalization_pd_t &pd_;
    int axis_; // the normalized one
    tensor_t src_, dst_, stat_, src_1_, sum_, row_scale_;
    post_op_chain_t post_ops_;
    int src_slot_, dst_slot_, mean_slot_, variance_slot_, scale_slot_, shift_slot_;
    int src_1_slot_, sum_slot_, row_factor_slot_, row_scale_slot_;
};

/// With xhat = (x - mean) * r, r = 1 / sqrt(variance + epsilon), g = scale * diff_dst:
///     diff_src   = r * (g - mean(g) - xhat * mean(g * xhat))
///     diff_scale = sum over rows of diff_dst * xhat,   diff_shift = sum over rows of diff_dst.
/// RMS normalization has no mean(g) term; use_global_stats makes statistics constants and leaves
/// diff_src = r * g. Post-ops are applied to diff_src alone.
class layer_normalization_bwd_t : public primitive_impl_t {
public:
    explicit layer_normalization_bwd_t(const layer_normalization_pd_t &pd);
    status_t execute(const exec_ctx_t &ctx) const override;

private:
    struct row_statistics_t {
        double mean;
        double r;
    };

    /// Values in the scratchpad that are computed before any output is written.
    struct operands_t {
        std::span<const double> scale;
        std::span<row_statistics_t> statistics; // of each row
    };

    operands_t operands(const exec_ctx_t &ctx) const;
    void find_statistics(
            const exec_ctx_t &ctx, const operands_t &operands, dim_t begin, dim_t end) const;
    /// Of columns [begin, end). `message`: that ranks combine them by; null without.
    void compute_weight_gradients(const exec_ctx_t &ctx, const operands_t &operands, dim_t begin,
            dim_t end, rank_message_t *message) const;
    void store_weight_gradients(const exec_ctx_t &ctx, dim_t begin, std::span<const double> scale,
            std::span<const double> shift) const;
    /// sum(g) and sum(g * xhat) of a row; fills g and xhat.
    struct sums_t {
        double g = 0, g_xhat = 0;
    };
    sums_t load_row(const exec_ctx_t &ctx, const operands_t &operands, const odometer_t &row,
            dim_t i, std::span<double> xhat, std::span<double> g) const;
    /// `combined`: sums of rows over all ranks; null without.
    void compute_diff_src(const exec_ctx_t &ctx, const operands_t &operands, dim_t begin, dim_t end,
            rank_message_t *combined) const;
    void send_sums(const exec_ctx_t &ctx, const operands_t &operands, dim_t begin, dim_t end,
            rank_message_t &message) const;

    const layer_normalization_pd_t &pd_;
    int axis_;
    tensor_t src_, diff_src_, diff_dst_, stat_;
    post_op_chain_t post_ops_;
    int src_slot_, diff_dst_slot_, mean_slot_, variance_slot_, scale_slot_;
    int diff_src_slot_, diff_scale_slot_, diff_shift_slot_;
};

} // namespace kiln::cpu::reference
