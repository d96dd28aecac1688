// SPDX-License-Identifier: Apache-2.0
// A kernel on channels with the loops around it.

#include "cpu/x64/channels/channel_pass.hpp"

#include "common/integers.hpp"
#include "cpu/x64/rows/half_page.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64 {

channel_arrays_t::channel_arrays_t(const channel_plan_t &plan) {
    const auto whole_vectors = [](dim_t count) {
        constexpr dim_t vector = 16;
        return round_up(count, vector);
    };
    const bool is_columns = plan.rows_kind() == channel_rows_t::columns;
    sum_pitch = is_columns ? quarter_page_pitch(whole_vectors(plan.packed_line())) : 1;
    const bool has_copies = plan.elements_per_channel() > 1;
    channel_values = has_copies ? sum_pitch : 0;
    unit_pitch = has_copies ? sum_pitch + whole_vectors(plan.channels_per_row()) : sum_pitch;
    value_pitch = plan.units() * unit_pitch;
    sums = is_columns && has_block_sums(plan.packed_line()) ? 4 : 2;
    partial_pitch = sums * sum_pitch;
    unit_sums = plan.partials_per_unit() * partial_pitch;
    all_sums = plan.units() * unit_sums;
}

channel_walk_t walk_of(
        const channel_plan_t &plan, isa_t isa, bool is_streamed, bool is_from_memory) {
    const channel_arrays_t arrays(plan);
    // Values and sums of each element, instead of each channel, are as many bytes as a row: a row
    // block touches them once.
    const bool has_copies = plan.elements_per_channel() > 1;
    // What is a page ahead is read soon if rows follow each other without a gap, and a unit's rows
    // that lie apart are followed by those of the next unit.
    constexpr size_t src = 0;
    const bool is_columns = plan.rows_kind() == channel_rows_t::columns;
    const bool may_fetch_row = plan.line() > longest_short_row || gains_from_prefetches_in_order();
    const bool has_next = is_columns
                                  ? may_fetch_row && !has_copies && plan.pitch(src) == plan.line()
                                  : plan.rows() > 1 && plan.unit_pitch(src) == plan.line();
    return {.isa = isa,
            .rows = plan.rows_kind(),
            .line = plan.packed_line(),
            .value_pitch = arrays.value_pitch,
            .sum_pitch = arrays.sum_pitch,
            .unit_sums = arrays.unit_sums,
            .is_streamed = is_streamed && !has_copies,
            .fetches_ahead = is_from_memory && has_next};
}

channel_operands_t channel_operands_of(
        const operands_t &table, std::initializer_list<size_t> used) {
    channel_operands_t operands;
    for (const size_t i : used) operands[i] = {table[i].type, table[i].is_mask};
    return operands;
}

bool has_aligned_rows(
        const channel_plan_t &plan, isa_t isa, size_t index, data_type_t type, const void *data) {
    return plan.keeps_alignment(index, jit::lanes_of(isa))
           && are_aligned(data, 0, non_temporal_alignment(isa, type));
}

channel_pass_t::channel_pass_t(const channel_plan_t &plan, const operands_t &operands,
        const channel_operands_t &used, size_t first_post_op, jit::executable_code_t code)
    : plan_(&plan)
    , operands_(&operands)
    , code_(std::move(code)) {
    for (size_t i = 0; i < used.size(); ++i)
        if (used[i].is_present()) used_.push_back({i, i});
    for (size_t i = first_post_op; i < operands.count(); ++i)
        used_.push_back({i, max_channel_operands + i - first_post_op});
}

void channel_pass_t::run(const channel_chunk_t &chunk, const addresses_t &bases,
        const float *values, float *sums) const {
    channel_args_t args;
    const channel_plan_t &plan = *plan_;
    const bool is_columns = plan.rows_kind() == channel_rows_t::columns;
    args.values = is_columns ? values + chunk.first_column : values;
    const auto call = [&](const jit::executable_code_t &code, const auto &offset_of,
                              dim_t first_row, dim_t rows, dim_t packed) {
        for (const auto &[i, place] : used_) {
            const operand_t &operand = (*operands_)[i];
            const dim_t elements = plan.pitch(i), pitch = operand.bytes(elements * packed);
            args.rows.operands[place] =
                    operands_->locate(bases, i, offset_of(i) + first_row * elements);
            args.rows.pitches[place] = pitch;
            args.pitches_of_units[place] = operand.bytes(plan.unit_pitch(i)) - pitch * rows;
        }
        args.sums = is_columns && sums ? sums + chunk.first_column : sums; // the kernel advances it
        args.units = chunk.units;
        args.rows.rows = rows;
        args.rows.length = (chunk.end_column - chunk.first_column) * packed;
        code(args);
    };
    const dim_t packed = plan.packed_rows();
    plan.for_each_run(chunk, [&](const auto &offset_of, dim_t rows) {
        if (rows >= packed) call(code_, offset_of, 0, rows / packed, packed);
        if (const dim_t rest = rows % packed; rest != 0)
            call(*single_rows_, offset_of, rows - rest, rest, 1);
    });
}

} // namespace kiln::x64
