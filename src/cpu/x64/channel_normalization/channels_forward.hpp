// SPDX-License-Identifier: Apache-2.0
// Batch and group normalization forward, as a primitive.
#pragma once

#include <array>
#include <optional>

#include "cpu/x64/channel_normalization/channel_sample_kernel.hpp"
#include "cpu/x64/channel_normalization/channels_execution.hpp"

namespace kiln::x64::channel_normalization {

/// The first sweep sums x - K and (x - K)^2 of each channel, where the pivot K is one of its
/// elements; sums of a statistics group give its mean and variance. The second sweep normalizes.
class channels_forward_t : public primitive_impl_t {
public:
    explicit channels_forward_t(const channels_plan_t &plan);
    status_t execute(const exec_ctx_t &ctx) const override;

private:
    friend class forward_execution_t;

    const channel_pass_t &normalize_pass(bool is_non_temporal) const;

    const channels_plan_t &plan_;
    std::optional<jit::executable_code_t> sample_code_; // none: pivots are not needed
    std::array<dim_t, channel_samples> samples_{};      // offsets from a unit's first element
    std::optional<channel_pass_t> moments_;
    // With ordinary and with non-temporal stores.
    mutable std::array<jit::lazy_t<channel_pass_t>, 2> normalize_;
};

class forward_execution_t : public channels_execution_t {
public:
    forward_execution_t(const channels_forward_t &primitive, const exec_ctx_t &ctx);

private:
    /// Of groups: means, sum((x - mean)^2), variances, and the mean square of the distances
    /// of channels' pivots from their means.
    struct group_moments_t {
        static constexpr dim_t capacity = channel_totals_t::capacity;
        double means[capacity], squares[capacity], variances[capacity], distances[capacity];
    };

    void begin(dim_t first, dim_t end) const override;
    /// Picks pivots of the channels of some units; more than one unit only if they can be joined.
    void sample(dim_t first, dim_t units) const;
    /// Replaces the pivot of a channel.
    void set_pivot(dim_t unit, dim_t channel, float pivot) const;
    void set_further_values(const channel_range_t &range, dim_t channel) const override;

    /// Compute statistics and values. They return false if a pivot was far from its mean: it has
    /// been replaced, and the sums must be made again. `is_last`: they return true in any case.
    bool finish_channels(const channel_range_t &range, bool is_last) const override;
    bool finish_groups(const group_range_t &groups, bool is_last) const override;
    void take_channels(const channel_range_t &range, const ready_sums_t &moments) const override;
    void take_groups(const group_range_t &groups, const double *mean, const double *squares,
            double size) const override;
    status_t combine(cpu::rank_message_t &message) const override {
        return message.combine_moments();
    }
    void find_moments(const group_range_t &groups, group_moments_t &moments) const;
    /// Finite only if all pivots are.
    double sum_of_pivots(const group_range_t &group) const;
    void set_pivots(const group_range_t &group, float pivot) const;
    /// Statistics of channels or groups in floats. The mean is the center and the remainder.
    struct statistics_t {
        static constexpr dim_t capacity = channel_totals_t::capacity;
        float centers[capacity], remainders[capacity];
        float variances[capacity], deviations[capacity]; // deviation: sqrt(variance + epsilon)
    };
    /// From means and sum((x - mean)^2) over `size` elements each. Stores statistics, of which
    /// `index` is the first one's, if they are wanted.
    void take_statistics(dim_t index, dim_t count, const double *mean, const double *squares,
            double size, statistics_t &statistics) const;
    /// Sets the values of channels.
    void set_computed_values(const channel_range_t &range, const float *centers,
            const float *remainders, const float *deviations) const;
    /// The scale of quantization of an argument; 1 if it is absent.
    float scale_of(parameter_t parameter) const;

    const channels_forward_t &primitive_;
};

} // namespace kiln::x64::channel_normalization
