// SPDX-License-Identifier: Apache-2.0
// What batch and group normalization, forward and backward, share: the plan, and two sweeps over
// channels.
#pragma once

#include "common/primitive/primitive.hpp"
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
    dim_t channels_per_group = 0; // group normalization; 0: each channel has its own statistics
    dim_t channel_size = 0;       // elements of a channel, i.e. of one index of all kept axes
    dim_t samples = 0;
    float epsilon = 0;
    bool has_relu = false;
    bool reads_stats = false, writes_stats = false;
    bool has_constant_stats = false; // backward: mean and variance do not depend on src
};

/// Made when an implementation accepts, and referred to by the primitive.
struct channels_plan_t : plan_t {
    channels_plan_t(const channels_problem_t &problem, const operand_layouts_t &layouts,
            const operands_t &parameters, std::vector<jit::post_op_link_t> post_ops, isa_t isa,
            channel_plan_t channels);
    std::unique_ptr<primitive_impl_t> create(const primitive_desc_t &pd) const override;

    /// Bytes of all arrays.
    size_t scratchpad_size() const;
    bool has(parameter_t parameter) const { return of(parameter).slot >= 0; }
    const operand_t &of(parameter_t parameter) const {
        return parameters[static_cast<size_t>(parameter)];
    }
    channel_walk_t walk() const { return walk_of(channels, isa, fills_half_of_cache(footprint)); }

    const channels_problem_t problem;
    const operands_t operands;   // forward_operand or backward_operand
    const operands_t parameters; // parameter_t
    const std::vector<jit::post_op_link_t> post_ops;
    const isa_t isa;
    const channel_plan_t channels;
    const channel_arrays_t arrays;
    const statistics_groups_t groups;
    dim_t bytes_per_element; // of the tensors that both sweeps touch
    dim_t footprint;         // bytes of the same tensors
};

/// Values of a channel: mean, factor a = scale / sqrt(variance + epsilon), and two or none more.
class channels_driver_t : public primitive_impl_t {
public:
    static constexpr int mean_value = 0, factor_value = 1, value_count = 4;

protected:
    struct execution_t {
        addresses_t operands, parameters;
        // The scratchpad: pivots (forward), values, sums, and (group normalization backward)
        // gradients of each sample's scale and shift.
        float *pivots, *values, *sums;
        double *sample_gradients;

        /// Null if the argument is absent.
        float *at(parameter_t parameter) const {
            return static_cast<float *>(parameters[static_cast<size_t>(parameter)]);
        }
    };
    /// The kernels of an execution.
    struct sweep_passes_t {
        const channel_pass_t *sum;   // null: there is no first sweep
        const float *centers;        // the array of values that `sum` reads
        const channel_pass_t *apply; // null: nothing is written
        int values;                  // arrays of values that `apply` reads
    };

    explicit channels_driver_t(const channels_plan_t &plan)
        : plan_(plan) {}

    const channel_plan_t &channels() const { return plan_.channels; }
    execution_t begin_execution(const exec_ctx_t &ctx) const;
    /// Runs both sweeps. `begin(first unit, end)` and `finish(statistics group, task, attempt)` are
    /// those of channel_sweeps_t.
    template <typename begin_t, typename finish_t>
    void run_sweeps(const execution_t &e, const sweep_passes_t &passes, const begin_t &begin,
            const finish_t &finish) const;

    float *values_of(const execution_t &e, dim_t unit, int value) const {
        return e.values + value * plan_.arrays.value_pitch + unit * plan_.arrays.unit_pitch;
    }
    float *pivots_of(const execution_t &e, dim_t unit) const {
        return e.pivots + unit * plan_.arrays.unit_pitch;
    }
    channel_totals_t totals_of(const execution_t &e, const channel_range_t &range) const {
        return total_sums(channels(), plan_.arrays, e.sums, range);
    }
    /// Index in scale and shift of a range's first channel.
    dim_t scale_index(const channel_range_t &range) const {
        return (channels().first_channel(range.unit) + range.begin) % plan_.problem.channels;
    }

    /// Sets the values that follow from a mean and a variance of each channel.
    void set_values(const execution_t &e, const channel_range_t &range, const float *mean,
            const float *variance) const;
    /// Called by set_values() for the values behind the factor. `channel`: scale_index(range).
    virtual void set_further_values(
            const execution_t &, const channel_range_t &, dim_t /*channel*/) const {}
    /// The same for channels of one group.
    void set_group_values(
            const execution_t &e, const channel_range_t &range, float mean, float variance) const;
    /// The same for units [first, end), from the arguments mean and variance.
    void set_given_values(const execution_t &e, dim_t first, dim_t end) const;

    const channels_plan_t &plan_;
};

template <typename begin_t, typename finish_t>
void channels_driver_t::run_sweeps(const execution_t &e, const sweep_passes_t &passes,
        const begin_t &begin, const finish_t &finish) const {
    const channel_arrays_t &arrays = plan_.arrays;
    const auto sum = [&](const channel_chunk_t &chunk) {
        passes.sum->run(chunk, e.operands, passes.centers + chunk.unit * arrays.unit_pitch,
                cleared_sums(channels(), arrays, chunk, e.sums));
    };
    const auto prepare = [&](dim_t first, dim_t end) {
        for (dim_t unit = first; unit < end; ++unit)
            copy_to_packed_rows(channels(), arrays, unit, passes.values, e.values);
    };
    const auto apply = [&](const channel_chunk_t &chunk) {
        if (passes.apply)
            passes.apply->run(chunk, e.operands, values_of(e, chunk.unit, 0), nullptr);
    };
    sweep(channels(),
            channel_sweeps_t{plan_.bytes_per_element, passes.sum != nullptr,
                    plan_.groups.units_per_statistics_group(),
                    plan_.groups.tasks_per_statistics_group(), begin, sum, finish, prepare, apply});
}

} // namespace kiln::x64::channel_normalization
