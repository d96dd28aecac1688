// SPDX-License-Identifier: Apache-2.0
// What batch and group normalization, forward and backward, share: the plan, and an execution's two
// sweeps over channels.
#pragma once

#include "common/primitive/primitive.hpp"
#include "cpu/rank_message.hpp"
#include "cpu/x64/channel_normalization/channel_operands.hpp"
#include "cpu/x64/channel_normalization/statistics_groups.hpp"
#include "cpu/x64/channels/channel_execution.hpp"
#include "cpu/x64/jit/code/lazy_code.hpp"
#include "cpu/x64/jit/post_op_chain.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64::channel_normalization {

/// What an operation asks for.
struct channels_problem_t {
    bool is_forward = true;
    unsigned kept_axes = 0;       // a bit for each axis whose indices are different channels
    dim_t channels = 0;           // of the tensor: elements of scale and shift
    dim_t channels_per_group = 0; // with statistics together; 0: each channel has its own
    dim_t channel_size = 0;       // elements of a channel, i.e. of one index of all kept axes
    dim_t samples = 0;
    float epsilon = 0;
    bool has_relu = false;
    bool reads_stats = false, writes_stats = false;
    bool has_constant_stats = false; // backward: mean and variance do not depend on src
    // What ranks combine, and what they send each other.
    ranks_t ranks = {};
    bool combines_statistics = false, combines_weight_gradients = false;
    rank_message_size_t message_size = {};
};

/// Made when an implementation accepts, and referred to by the primitive.
struct channels_plan_t : plan_t {
    channels_plan_t(const channels_problem_t &problem, const operand_layouts_t &layouts,
            const operands_t &parameters, std::vector<jit::post_op_link_t> post_ops, isa_t isa,
            channel_plan_t channels);
    std::unique_ptr<primitive_impl_t> create(const primitive_desc_t &pd) const override;
    std::string text() const override;

    /// Bytes of all arrays.
    size_t scratchpad_size() const;
    /// Group normalization backward: doubles of gradients of each sample's scale and shift.
    dim_t sample_gradients() const;
    bool has(parameter_t parameter) const { return of(parameter).slot >= 0; }
    const operand_t &of(parameter_t parameter) const {
        return parameters[static_cast<size_t>(parameter)];
    }
    /// The walks of kernels that make sums, and of those that write tensors.
    channel_walk_t sums_walk() const {
        const bool is_planes = channels.rows_kind() == channel_rows_t::planes;
        return walk_of(channels, isa, fills_half_of_cache(footprint),
                is_planes ? pays_to_fetch_next_page(footprint) : exceeds_cache(footprint));
    }
    channel_walk_t writing_walk() const {
        // Planes are in the second-level cache since their sums were made.
        const bool is_planes = channels.rows_kind() == channel_rows_t::planes;
        return walk_of(channels, isa, fills_half_of_cache(footprint) || are_rows_pages_apart(),
                !is_planes && exceeds_cache(footprint));
    }

    /// Whether rows begin at the same place of a page. A load waits for earlier stores to that
    /// place of any page, and rows share few lines of the first-level cache.
    bool are_rows_pages_apart() const;

    const channels_problem_t problem;
    const operands_t operands;   // forward_operand or backward_operand
    const operands_t parameters; // parameter_t
    const std::vector<jit::post_op_link_t> post_ops;
    const isa_t isa;
    const channel_plan_t channels;
    const channel_arrays_t arrays;
    const statistics_groups_t groups;
    dim_t bytes_per_element; // of the tensors that both sweeps touch
    dim_t footprint;         // bytes of the same tensors, padding included
};

/// One execution. Values of a channel are those of channel_value.
class channels_execution_t : public channel_sweeps_t {
protected:
    channels_execution_t(const channels_plan_t &plan, const exec_ctx_t &ctx);

    // ---- The sweeps

    const channel_pass_t *sum_pass_ = nullptr;   // null: there is no first sweep
    const float *centers_ = nullptr;             // the array of values that it reads
    const channel_pass_t *apply_pass_ = nullptr; // null: nothing is written
    int values_read_ = channel_value::count;     // by it: arrays of values
    bool is_non_temporal_ = false;               // its stores

    bool has_sums() const final { return sum_pass_ != nullptr; }
    void sum(const channel_chunk_t &chunk) const final;
    bool finish(dim_t first, dim_t end, int attempt) const final;
    void prepare(dim_t first, dim_t end) const final;
    void apply(const channel_chunk_t &chunk) const final;
    bool has_exchange() const final { return message_.has_value(); }
    /// Sends the message. If the second sweep does not depend on it, it is on the way meanwhile.
    status_t exchange() const override;
    status_t complete() const final;

    // ---- Between the sweeps. Statistics have two sums: forward the mean and sum((x - mean)^2),
    // backward sum(dy) and sum(dy * (x - mean)), times scale for group normalization.

    /// From the sweep's sums to those of statistics, and to give_channels() or give_groups().
    /// They return what finish() does.
    virtual bool finish_channels(const channel_range_t &range, bool is_last) const = 0;
    virtual bool finish_groups(const group_range_t &groups, bool is_last) const = 0;
    /// Passes sums to the functions below, if they are combined over ranks by way of the message.
    void give_channels(const channel_range_t &range, const channel_totals_t &sums) const;
    void give_groups(const group_range_t &groups, const double *first, const double *second) const;
    /// Which sums of channels are ready: those of statistics, with the elements behind each (over
    /// all ranks if they are combined), and those for gradients of scale and shift. Null: not yet.
    struct ready_sums_t {
        const channel_totals_t *statistics;
        double size;
        const channel_totals_t *weights;
    };
    /// From sums to what the second sweep reads, and to gradients of scale and shift.
    virtual void take_channels(const channel_range_t &range, const ready_sums_t &sums) const = 0;
    /// The same for the statistics of groups.
    virtual void take_groups(const group_range_t &groups, const double *first, const double *second,
            double size) const = 0;
    /// Combines the message with those of the other ranks.
    virtual status_t combine(cpu::rank_message_t &message) const = 0;

    // ---- Operands and arrays

    /// Null if the argument is absent.
    float *at(parameter_t parameter) const {
        return static_cast<float *>(parameters_[static_cast<size_t>(parameter)]);
    }
    /// Whether an output is present, in no other operand's buffer, and aligned for non-temporal
    /// stores.
    bool can_bypass_caches(size_t operand) const;
    float *values_of(dim_t unit, int value) const {
        return of_channels(values_ + value * plan_.arrays.value_pitch, unit);
    }
    /// The same value for each channel of a range.
    void fill_values(const channel_range_t &range, int value, float with) const {
        std::fill_n(values_of(range.unit, value) + range.begin, range.count, with);
    }
    float *pivots_of(dim_t unit) const { return of_channels(pivots_, unit); }
    /// The values of a unit's channels in an array of values.
    float *of_channels(float *values, dim_t unit) const {
        return values + unit * plan_.arrays.unit_pitch + plan_.arrays.channel_values;
    }
    channel_totals_t totals_of(const channel_range_t &range) const {
        return total_sums(channels_, plan_.arrays, sums_, range);
    }

    // ---- Values that follow from statistics

    /// From a center and sqrt(variance + epsilon) of each channel.
    void set_values(
            const channel_range_t &range, const float *center, const float *deviation) const;
    /// Called by set_values() for the values behind the factor. `channel`: the index in scale and
    /// shift of the range's first channel.
    virtual void set_further_values(const channel_range_t &, dim_t /*channel*/) const {}
    /// The same for units [first, end), from the arguments mean and variance.
    void set_given_values(dim_t first, dim_t end) const;

    const channels_plan_t &plan_;
    const addresses_t operands_, parameters_;
    // The scratchpad: pivots (forward), values, sums, and (group normalization backward) gradients
    // of each sample's scale and shift; the message follows them.
    float *const pivots_, *const values_, *const sums_;
    double *const sample_gradients_;
    mutable std::optional<cpu::rank_message_t> message_; // if ranks combine anything

private:
    /// Combines the message, and takes what it has then.
    status_t take_message() const;
    /// The same for tasks [first, end) of finish().
    void take_combined(dim_t first, dim_t end) const;
    /// Elements behind a statistic on this rank.
    double statistic_size() const;
};

} // namespace kiln::x64::channel_normalization
