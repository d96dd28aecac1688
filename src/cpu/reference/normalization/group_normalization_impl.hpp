// SPDX-License-Identifier: Apache-2.0
// The two directions of the reference group normalization, as primitives.
#pragma once

#include "common/operations/normalization/group_normalization_pd.hpp"
#include "common/primitive/primitive.hpp"
#include "cpu/rank_message.hpp"
#include "cpu/reference/normalization/image_statistics.hpp"
#include "cpu/reference/post_op_chain.hpp"

namespace kiln::cpu::reference {

/// A group of one sample.
struct sample_group_t {
    dim_t n;
    dim_t g;
    image_part_t part;
};

/// The groups of all samples are numbered sample by sample, as in the statistics.
sample_group_t sample_group(const group_normalization_pd_t &pd, dim_t index);

/// dst = post_ops(src_scale * (scale * (x - mean) / sqrt(variance + epsilon) + shift)) / dst_scale,
/// group by group.
class group_normalization_fwd_t : public primitive_impl_t {
public:
    explicit group_normalization_fwd_t(const group_normalization_pd_t &pd);
    status_t execute(const exec_ctx_t &ctx) const override;

private:
    /// Values that are the same for all groups of an execution.
    struct scales_t {
        double src;
        double dst;
    };

    void execute_group(const exec_ctx_t &ctx, const scales_t &scales, dim_t index,
            const statistics_t &statistics) const;
    /// Given statistics, or those of this rank.
    statistics_t find_statistics(const exec_ctx_t &ctx, dim_t index) const;
    statistics_t given_statistics(const exec_ctx_t &ctx, dim_t index) const;

    const group_normalization_pd_t &pd_;
    image_lines_t lines_;
    tensor_t src_, dst_, stat_, weight_;
    post_op_chain_t post_ops_;
    int src_slot_, dst_slot_, mean_slot_, variance_slot_, scale_slot_, shift_slot_;
};

/// With xhat = (x - mean) * r, r = 1 / sqrt(variance + epsilon), g = scale * diff_dst, means over
/// the group:
///     diff_src   = r * (g - mean(g) - xhat * mean(g * xhat))
///     diff_scale = sum over the channel of diff_dst * xhat,   diff_shift = that of diff_dst.
/// Given statistics are constants and leave diff_src = r * g.
class group_normalization_bwd_t : public primitive_impl_t {
public:
    explicit group_normalization_bwd_t(const group_normalization_pd_t &pd);
    status_t execute(const exec_ctx_t &ctx) const override;

private:
    struct group_statistics_t {
        double mean;
        double r;
    };

    group_statistics_t group_statistics(const exec_ctx_t &ctx, dim_t n, dim_t g) const;
    /// Loads a line of xhat and of diff_dst.
    void load(const exec_ctx_t &ctx, const image_line_t &line, const group_statistics_t &statistics,
            std::span<double> xhat, std::span<double> dy) const;
    double scale_of(const exec_ctx_t &ctx, dim_t c) const;
    /// Gradients of scale and shift of a channel, on this rank.
    struct weight_gradients_t {
        double scale = 0, shift = 0;
    };
    weight_gradients_t weight_gradients(const exec_ctx_t &ctx, dim_t c) const;
    void store(const exec_ctx_t &ctx, dim_t c, const weight_gradients_t &gradients) const;
    /// sum(g) and sum(g * xhat) of a group, on this rank.
    struct sums_t {
        double g = 0, g_xhat = 0;
    };
    sums_t sums(const exec_ctx_t &ctx, dim_t index) const;
    /// `size`: the elements that the sums are of.
    void write_diff_src(const exec_ctx_t &ctx, dim_t index, const sums_t &sums, double size) const;
    status_t execute_over_ranks(const exec_ctx_t &ctx) const;

    const group_normalization_pd_t &pd_;
    image_lines_t lines_;
    tensor_t src_, diff_src_, diff_dst_, stat_, weight_;
    int src_slot_, diff_dst_slot_, mean_slot_, variance_slot_, scale_slot_;
    int diff_src_slot_, diff_scale_slot_, diff_shift_slot_;
};

} // namespace kiln::cpu::reference
