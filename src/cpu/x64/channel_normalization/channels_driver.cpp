// SPDX-License-Identifier: Apache-2.0
// What batch and group normalization, forward and backward, share.

#include "cpu/x64/channel_normalization/channels_driver.hpp"

#include "cpu/x64/channel_normalization/channels_backward.hpp"
#include "cpu/x64/channel_normalization/channels_forward.hpp"

namespace kiln::x64::channel_normalization {
namespace {

/// Bytes of the arrays in floats, and of gradients of scale and shift of each sample in doubles.
size_t bytes_of_floats(const channels_plan_t &plan) {
    const dim_t arrays = channels_driver_t::value_count + (plan.problem.is_forward ? 1 : 0);
    const dim_t floats = arrays * plan.arrays.value_pitch + plan.arrays.all_sums;
    constexpr size_t line = scratchpad_alignment;
    return (static_cast<size_t>(floats) * sizeof(float) + line - 1) / line * line;
}

} // namespace

channels_plan_t::channels_plan_t(const channels_problem_t &the_problem,
        const operand_layouts_t &layouts, const operands_t &the_parameters,
        std::vector<jit::post_op_link_t> chain, isa_t the_isa, channel_plan_t plan)
    : problem(the_problem)
    , operands(layouts.operands())
    , parameters(the_parameters)
    , post_ops(std::move(chain))
    , isa(the_isa)
    , channels(std::move(plan))
    , arrays(channels)
    , groups(channels, problem.channels_per_group) {
    using namespace backward_operand;
    bytes_per_element = operands[forward_operand::src].size + operands[forward_operand::dst].size;
    if (!problem.is_forward)
        bytes_per_element = operands[src].size + operands[diff_dst].size + operands[relu].size
                            + operands[diff_src].size;
    footprint = element_count(*layouts.mds()[src]) * bytes_per_element;
}

std::unique_ptr<primitive_impl_t> channels_plan_t::create(const primitive_desc_t &) const {
    if (problem.is_forward) return std::make_unique<channels_forward_t>(*this);
    return std::make_unique<channels_backward_t>(*this);
}

size_t channels_plan_t::scratchpad_size() const {
    const bool has_sample_gradients = !problem.is_forward && !groups.are_per_channel();
    const dim_t doubles = has_sample_gradients ? 2 * problem.samples * problem.channels : 0;
    return bytes_of_floats(*this) + static_cast<size_t>(doubles) * sizeof(double);
}

channels_driver_t::execution_t channels_driver_t::begin_execution(const exec_ctx_t &ctx) const {
    execution_t e;
    e.operands = plan_.operands.bind(ctx);
    e.parameters = plan_.parameters.bind(ctx);
    e.pivots = reinterpret_cast<float *>(ctx.scratchpad());
    e.values = e.pivots + (plan_.problem.is_forward ? plan_.arrays.value_pitch : 0);
    e.sums = e.values + value_count * plan_.arrays.value_pitch;
    e.sample_gradients = reinterpret_cast<double *>(ctx.scratchpad() + bytes_of_floats(plan_));
    return e;
}

void channels_driver_t::set_values(const execution_t &e, const channel_range_t &range,
        const float *mean, const float *variance) const {
    const float *const scale = e.at(parameter_t::scale);
    const dim_t channel = scale_index(range);
    std::copy_n(mean, range.count, values_of(e, range.unit, mean_value) + range.begin);
    make_factors(scale ? scale + channel : nullptr, variance, plan_.problem.epsilon, range.count,
            values_of(e, range.unit, factor_value) + range.begin);
    set_further_values(e, range, channel);
}

void channels_driver_t::set_group_values(
        const execution_t &e, const channel_range_t &range, float mean, float variance) const {
    float means[channel_totals_t::capacity], variances[channel_totals_t::capacity];
    std::fill_n(means, range.count, mean);
    std::fill_n(variances, range.count, variance);
    set_values(e, range, means, variances);
}

void channels_driver_t::set_given_values(const execution_t &e, dim_t first, dim_t end) const {
    const float *const mean = e.at(parameter_t::mean), *const variance =
                                                               e.at(parameter_t::variance);
    if (plan_.groups.are_per_channel())
        for_each_unit(channels(), first, end, [&](const channel_range_t &range) {
            const dim_t channel = channels().first_channel(range.unit);
            set_values(e, range, mean + channel, variance + channel);
        });
    else
        plan_.groups.for_each_range_of_units(
                first, end, [&](const channel_range_t &range, dim_t group) {
                    set_group_values(e, range, mean[group], variance[group]);
                });
}

} // namespace kiln::x64::channel_normalization
