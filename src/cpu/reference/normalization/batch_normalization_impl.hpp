// SPDX-License-Identifier: Apache-2.0
// The two directions of the reference batch normalization, as primitives.
#pragma once

#include "common/operations/normalization/batch_normalization_pd.hpp"
#include "common/primitive/primitive.hpp"
#include "cpu/parallel.hpp"
#include "cpu/rank_message.hpp"
#include "cpu/reference/normalization/image_statistics.hpp"
#include "cpu/reference/post_op_chain.hpp"

namespace kiln::cpu::reference {

/// Cuts channels into tasks so that the mask bits of two tasks never share a byte.
class channel_tasks_t {
public:
    explicit channel_tasks_t(const batch_normalization_pd_t &pd);

    /// Calls `body(c)` for each channel, on threads.
    template <typename body_t> void for_each_channel(const body_t &body) const {
        parallel_chunks(skipped_ + channels_, grain_, [&](dim_t begin, dim_t end) {
            for (dim_t i = std::max(begin, skipped_); i < end; ++i) body(i - skipped_);
        });
    }

private:
    dim_t channels_;
    dim_t grain_;
    dim_t skipped_; // channels of padding in front, in the first task
};

/// y = scale * (x - mean) / sqrt(variance + epsilon) + shift, then + src_1 and a ReLU as the flags
/// say; dst = post_ops(y).
class batch_normalization_fwd_t : public primitive_impl_t {
public:
    explicit batch_normalization_fwd_t(const batch_normalization_pd_t &pd);
    status_t execute(const exec_ctx_t &ctx) const override;

private:
    /// y = a * (x - mean) + shift.
    struct line_map_t {
        double mean;
        double a;
        double shift;
    };

    void execute_channel(const exec_ctx_t &ctx, dim_t c, const statistics_t &statistics) const;
    /// Given statistics, or those of this rank.
    statistics_t find_statistics(const exec_ctx_t &ctx, dim_t c) const;
    statistics_t given_statistics(const exec_ctx_t &ctx, dim_t c) const;
    void normalize(const exec_ctx_t &ctx, const image_line_t &line, const line_map_t &map,
            std::span<double> y, std::span<double> added) const;
    void apply_relu(const exec_ctx_t &ctx, const image_line_t &line, std::span<double> y) const;
    /// The channel's element of a vector; `neutral` if the vector is absent.
    double weight(const exec_ctx_t &ctx, int slot, dim_t c, double neutral) const;

    const batch_normalization_pd_t &pd_;
    channel_tasks_t tasks_;
    image_lines_t lines_;
    tensor_t src_, dst_, per_channel_;
    layout_t mask_;
    post_op_chain_t post_ops_;
    int src_slot_, src_1_slot_, dst_slot_, mean_slot_, variance_slot_, scale_slot_, shift_slot_;
    int workspace_slot_;
};

/// With xhat = (x - mean) * r, r = 1 / sqrt(variance + epsilon), dy = diff_dst where the ReLU
/// passed, as its mask or its operand says, and 0 elsewhere:
///     diff_src   = scale * r * (dy - mean(dy) - xhat * mean(dy * xhat)),   diff_src_1 = dy,
///     diff_scale = sum of dy * xhat,   diff_shift = sum of dy.
/// Given statistics are constants and leave diff_src = scale * r * dy.
class batch_normalization_bwd_t : public primitive_impl_t {
public:
    explicit batch_normalization_bwd_t(const batch_normalization_pd_t &pd);
    status_t execute(const exec_ctx_t &ctx) const override;

private:
    struct channel_t {
        double mean;
        double r;
        double scale;
    };
    struct sums_t {
        double dy = 0;
        double dy_xhat = 0;
    };

    channel_t channel(const exec_ctx_t &ctx, dim_t c) const;
    void execute_channel(const exec_ctx_t &ctx, dim_t c) const;
    status_t execute_over_ranks(const exec_ctx_t &ctx) const;
    void store_weight_gradients(const exec_ctx_t &ctx, dim_t c, const sums_t &sums) const;
    /// Loads a line of xhat and of dy.
    void load(const exec_ctx_t &ctx, const image_line_t &line, const channel_t &channel,
            std::span<double> xhat, std::span<double> dy) const;
    /// Whether element `i` of a line passed the ReLU; true without a ReLU.
    bool passes(const exec_ctx_t &ctx, const image_line_t &line, size_t i) const;
    sums_t sums(const exec_ctx_t &ctx, dim_t c, const channel_t &channel) const;
    /// `size`: the elements that the sums are of.
    void write_gradients(const exec_ctx_t &ctx, dim_t c, const channel_t &channel,
            const sums_t &sums, double size) const;

    const batch_normalization_pd_t &pd_;
    channel_tasks_t tasks_;
    image_lines_t lines_;
    tensor_t src_, diff_src_, diff_dst_, per_channel_, relu_operand_;
    layout_t mask_;
    int src_slot_, diff_dst_slot_, mean_slot_, variance_slot_, scale_slot_, workspace_slot_;
    int relu_operand_slot_;
    int diff_src_slot_, diff_src_1_slot_, diff_scale_slot_, diff_shift_slot_;
};

} // namespace kiln::cpu::reference
