// SPDX-License-Identifier: Apache-2.0
// Batch and group normalization forward, as a primitive.
#pragma once

#include <array>
#include <optional>

#include "cpu/x64/channel_normalization/channels_driver.hpp"

namespace kiln::x64::channel_normalization {

/// The first sweep sums x - K and (x - K)^2 of each channel, where the pivot K is one of its
/// elements; sums of a statistics group give its mean and variance. The second sweep normalizes.
class channels_forward_t : public channels_driver_t {
public:
    explicit channels_forward_t(const channels_plan_t &plan);
    status_t execute(const exec_ctx_t &ctx) const override;

private:
    /// Mean and variance of a group, with the pivot that is farthest from its channel's mean, and
    /// how far.
    struct group_moments_t {
        double mean, variance;
        float pivot;
        double offset;
    };

    const channel_pass_t &normalize_pass(bool is_non_temporal) const;
    bool is_non_temporal(const execution_t &e) const;
    /// Picks pivots of the channels of some units; more than one unit only if they can be joined.
    void sample(const execution_t &e, dim_t first, dim_t units) const;
    /// Replaces the pivot of a channel.
    void set_pivot(const execution_t &e, dim_t unit, dim_t channel, float pivot) const;
    void set_further_values(
            const execution_t &e, const channel_range_t &range, dim_t channel) const override;

    /// From the sums of a task's channels to statistics and values. Returns false if a pivot was
    /// far from its mean: it has been replaced, and the sums must be made again. `is_last`: returns
    /// true in any case.
    bool finish_channels(const execution_t &e, const channel_range_t &range, bool is_last) const;
    bool finish_group(const execution_t &e, dim_t group, bool is_last) const;
    group_moments_t moments_of(const execution_t &e, dim_t group) const;
    /// The scale of quantization of an argument; 1 if it is absent.
    float scale_of(const execution_t &e, parameter_t parameter) const;

    std::optional<jit::executable_code_t> sample_code_;
    std::optional<channel_pass_t> moments_;
    // With ordinary and with non-temporal stores.
    mutable std::array<jit::lazy_t<channel_pass_t>, 2> normalize_;
};

} // namespace kiln::x64::channel_normalization
