// SPDX-License-Identifier: Apache-2.0
// What batch and group normalization, forward and backward, share.

#include "cpu/x64/channel_normalization/channels_execution.hpp"

#include "common/integers.hpp"
#include "cpu/parallel.hpp"
#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/channel_normalization/channels_backward.hpp"
#include "cpu/x64/channel_normalization/channels_forward.hpp"
#include "cpu/x64/instructions.hpp"

namespace kiln::x64::channel_normalization {
namespace {

/// Bytes of the arrays in floats, and of gradients of scale and shift of each sample in doubles.
size_t bytes_of_floats(const channels_plan_t &plan) {
    const dim_t arrays = channel_value::count + (plan.problem.is_forward ? 1 : 0);
    const dim_t floats = arrays * plan.arrays.value_pitch + plan.arrays.all_sums;
    constexpr size_t line = scratchpad_alignment;
    return round_up(static_cast<size_t>(floats) * sizeof(float), line);
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
    , groups(channels, problem.channels, problem.channels_per_group) {
    using namespace backward_operand;
    bytes_per_element = operands[forward_operand::src].size + operands[forward_operand::dst].size;
    if (!problem.is_forward)
        bytes_per_element = operands[src].size + operands[diff_dst].size + operands[relu].size
                            + operands[diff_src].size;
    footprint = element_count(*layouts.mds()[src], true) * bytes_per_element;
}

std::unique_ptr<primitive_impl_t> channels_plan_t::create(const primitive_desc_t &) const {
    jit::code_batch_t batch;
    std::unique_ptr<primitive_impl_t> made;
    if (problem.is_forward)
        made = std::make_unique<channels_forward_t>(*this);
    else
        made = std::make_unique<channels_backward_t>(*this);
    batch.finish();
    return made;
}

std::string channels_plan_t::text() const {
    return std::to_string(channels.units()) + " units of " + std::to_string(channels.rows())
           + " rows of " + std::to_string(channels.line()) + " elements, "
           + std::to_string(channels.chunks_per_unit()) + " chunks in each; "
           + std::to_string(footprint) + " bytes in each of two sweeps\n";
}

bool channels_plan_t::are_rows_pages_apart() const {
    const size_t src = forward_operand::src;
    return operands[src].bytes(channels.pitch(src)) % page_bytes == 0;
}

dim_t channels_plan_t::sample_gradients() const {
    const bool has_sample_gradients = !problem.is_forward && !groups.are_per_channel();
    return has_sample_gradients ? 2 * problem.samples * problem.channels : 0;
}

size_t channels_plan_t::scratchpad_size() const {
    return bytes_of_floats(*this) + static_cast<size_t>(sample_gradients()) * sizeof(double)
           + cpu::rank_message_t::bytes(problem.ranks, problem.message_size);
}

channels_execution_t::channels_execution_t(const channels_plan_t &plan, const exec_ctx_t &ctx)
    : channel_sweeps_t(
            plan.channels, {plan.bytes_per_element, plan.groups.units_per_statistics_group(),
                                   plan.groups.tasks_per_statistics_group()})
    , plan_(plan)
    , operands_(plan.operands.bind(ctx))
    , parameters_(plan.parameters.bind(ctx))
    , pivots_(reinterpret_cast<float *>(ctx.scratchpad()))
    , values_(pivots_ + (plan.problem.is_forward ? plan.arrays.value_pitch : 0))
    , sums_(values_ + channel_value::count * plan.arrays.value_pitch)
    , sample_gradients_(reinterpret_cast<double *>(ctx.scratchpad() + bytes_of_floats(plan))) {
    if (!plan.problem.message_size.is_empty())
        message_.emplace(plan.problem.ranks, plan.problem.message_size,
                sample_gradients_ + plan.sample_gradients());
}

void channels_execution_t::sum(const channel_chunk_t &chunk) const {
    sum_pass_->run(chunk, operands_, centers_ + chunk.unit * plan_.arrays.unit_pitch,
            cleared_sums(channels_, plan_.arrays, chunk, sums_));
}

bool channels_execution_t::finish(dim_t first, dim_t end, int attempt) const {
    bool is_done = true;
    if (plan_.groups.are_per_channel())
        for_each_range(
                channels_, plan_.problem.channels, first, end, [&](const channel_range_t &range) {
                    is_done &= finish_channels(range, attempt > 0);
                });
    else
        plan_.groups.for_each_group_range(first, end, [&](const group_range_t &groups) {
            is_done &= finish_groups(groups, attempt > 0);
        });
    return is_done;
}

double channels_execution_t::statistic_size() const {
    const channels_problem_t &problem = plan_.problem;
    return static_cast<double>(
            std::max(dim_t(1), problem.channels_per_group) * problem.channel_size);
}

void channels_execution_t::give_channels(
        const channel_range_t &range, const channel_totals_t &sums) const {
    const channels_problem_t &problem = plan_.problem;
    take_channels(range, {.statistics = problem.combines_statistics ? nullptr : &sums,
                                 .size = statistic_size(),
                                 .weights = problem.combines_weight_gradients ? nullptr : &sums});
    if (!message_) return;
    const dim_t channel = channels_.first_channel(range.unit) + range.begin;
    std::copy_n(sums.first, range.count, message_->first() + channel);
    std::copy_n(sums.second, range.count, message_->second() + channel);
}

void channels_execution_t::give_groups(
        const group_range_t &groups, const double *first, const double *second) const {
    if (!plan_.problem.combines_statistics)
        return take_groups(groups, first, second, statistic_size());
    std::copy_n(first, groups.count, message_->first() + groups.first);
    std::copy_n(second, groups.count, message_->second() + groups.first);
}

status_t channels_execution_t::exchange() const {
    if (!message_ || !has_sums()) return dnnl_success;
    message_->count() = statistic_size();
    return plan_.problem.combines_statistics ? take_message() : message_->start();
}

status_t channels_execution_t::complete() const {
    return message_ && message_->is_started() ? take_message() : dnnl_success;
}

status_t channels_execution_t::take_message() const {
    KILN_TRY(combine(*message_));
    if (message_->size().statistics == 0) return dnnl_success;
    const dim_t tasks = channels_.units() / plan_.groups.units_per_statistics_group()
                        * plan_.groups.tasks_per_statistics_group();
    constexpr dim_t bytes_per_task = 2 * channel_totals_t::capacity * sizeof(double);
    cpu::parallel_shares(cpu::shares_of(tasks, bytes_per_task),
            [&](dim_t first, dim_t end) { take_combined(first, end); });
    return dnnl_success;
}

void channels_execution_t::take_combined(dim_t first, dim_t end) const {
    const double *const firsts = message_->first(), *const seconds = message_->second();
    if (!plan_.groups.are_per_channel()) {
        plan_.groups.for_each_group_range(first, end, [&](const group_range_t &groups) {
            take_groups(groups, firsts + groups.first, seconds + groups.first, message_->count());
        });
        return;
    }
    for_each_range(
            channels_, plan_.problem.channels, first, end, [&](const channel_range_t &range) {
                const dim_t channel = channels_.first_channel(range.unit) + range.begin;
                channel_totals_t sums;
                std::copy_n(firsts + channel, range.count, sums.first);
                std::copy_n(seconds + channel, range.count, sums.second);
                const channels_problem_t &problem = plan_.problem;
                take_channels(range,
                        {.statistics = problem.combines_statistics ? &sums : nullptr,
                                .size = message_->count(),
                                .weights = problem.combines_weight_gradients ? &sums : nullptr});
            });
}

void channels_execution_t::prepare(dim_t first, dim_t end) const {
    copy_to_elements(channels_, plan_.arrays, first, end, values_read_, values_);
}

void channels_execution_t::apply(const channel_chunk_t &chunk) const {
    const float *const values = values_ + chunk.unit * plan_.arrays.unit_pitch;
    if (apply_pass_) apply_pass_->run(chunk, operands_, values, nullptr);
    if (is_non_temporal_) fence_non_temporal_stores();
}

bool channels_execution_t::can_bypass_caches(size_t operand) const {
    // Rows whose elements have copies of channel values are walked in short pieces, for which
    // non-temporal stores take twice as long as ordinary ones while the last-level cache may hold
    // dst.
    const bool has_short_pieces = channels_.elements_per_channel() > 1;
    return operands_[operand] != nullptr
           && (!has_short_pieces || exceeds_cache_by_half(plan_.footprint))
           && !plan_.operands.has_alias(operands_, operand)
           && has_aligned_rows(
                   channels_, plan_.isa, operand, plan_.operands[operand].type, operands_[operand]);
}

void channels_execution_t::set_values(
        const channel_range_t &range, const float *center, const float *deviation) const {
    const float *const scale = at(parameter_t::scale);
    const dim_t channel =
            (channels_.first_channel(range.unit) + range.begin) % plan_.problem.channels;
    std::copy_n(center, range.count, values_of(range.unit, channel_value::center) + range.begin);
    make_factors(scale ? scale + channel : nullptr, deviation, range.count,
            values_of(range.unit, channel_value::factor) + range.begin);
    set_further_values(range, channel);
}

void channels_execution_t::set_given_values(dim_t first, dim_t end) const {
    const float *const mean = at(parameter_t::mean), *const variance = at(parameter_t::variance);
    const float epsilon = plan_.problem.epsilon;
    if (plan_.groups.are_per_channel())
        for_each_range(channels_, plan_.problem.channels, first * channel_ranges(channels_),
                end * channel_ranges(channels_), [&](const channel_range_t &range) {
                    const dim_t channel = channels_.first_channel(range.unit) + range.begin;
                    float deviations[channel_totals_t::capacity];
                    make_deviations(variance + channel, epsilon, range.count, deviations);
                    set_values(range, mean + channel, deviations);
                });
    else
        plan_.groups.for_each_group_range(plan_.groups.first_group(first),
                plan_.groups.first_group(end), [&](const group_range_t &groups) {
                    float of_groups[channel_totals_t::capacity];
                    make_deviations(variance + groups.first, epsilon, groups.count, of_groups);
                    plan_.groups.for_each_range(groups, [&](const channel_range_t &range) {
                        float means[channel_totals_t::capacity];
                        float deviations[channel_totals_t::capacity];
                        copy_to_channels(groups, mean + groups.first, range.count, means);
                        copy_to_channels(groups, of_groups, range.count, deviations);
                        set_values(range, means, deviations);
                    });
                });
}

} // namespace kiln::x64::channel_normalization
