// SPDX-License-Identifier: Apache-2.0
// A kernel on channels with the loops around it.

#include "cpu/x64/channels/channel_pass.hpp"

#include "cpu/x64/rows/row_execution.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64 {
namespace {

constexpr dim_t bits_per_byte = 8;

using kernel_function_t = void (*)(channel_args_t *);

dim_t bytes_of(dim_t elements, dim_t size) {
    return size == 0 ? elements / bits_per_byte : elements * size;
}

} // namespace

channel_arrays_t::channel_arrays_t(const channel_plan_t &plan) {
    constexpr dim_t vector = 16;
    const bool is_single = plan.rows_kind() == channel_rows_t::planes;
    unit_pitch = is_single ? 1 : (plan.packed_line() + vector - 1) / vector * vector;
    sum_pitch = unit_pitch;
    value_pitch = plan.units() * unit_pitch;
    constexpr dim_t sums = 2;
    partial_pitch = sums * sum_pitch;
    unit_sums = plan.partials_per_unit() * partial_pitch;
    all_sums = plan.units() * unit_sums;
}

channel_walk_t walk_of(const channel_plan_t &plan, isa_t isa, bool is_streamed) {
    const channel_arrays_t arrays(plan);
    return {isa, plan.rows_kind(), plan.packed_line(), arrays.value_pitch, arrays.sum_pitch,
            arrays.unit_sums, is_streamed};
}

bool has_aligned_rows(const channel_plan_t &plan, size_t operand, const void *data, dim_t size) {
    const dim_t lanes = jit::lanes_of(best_isa());
    return plan.keeps_alignment(operand, lanes)
           && are_aligned(data, 0, static_cast<size_t>(lanes * size));
}

void channel_pass_t::run(const channel_chunk_t &chunk, const channel_bases_t &bases,
        const float *values, float *sums) const {
    channel_args_t args;
    const bool is_columns = plan_.rows_kind() == channel_rows_t::columns;
    args.values = is_columns ? values + chunk.first_column : values;
    const auto call = [&](const jit::executable_code_t &code, const row_offsets_t &offsets,
                              dim_t first_row, dim_t rows, dim_t packed) {
        const auto set = [&](const std::vector<channel_pass_operand_t> &operands,
                                 const void **addresses, int64_t *pitches, int64_t *of_units) {
            for (const auto [in_plan, size] : operands) {
                const dim_t pitch = plan_.pitch(in_plan);
                const dim_t offset = offsets[in_plan] + first_row * pitch;
                *addresses++ =
                        static_cast<const std::byte *>(bases[in_plan]) + bytes_of(offset, size);
                *pitches++ = bytes_of(pitch * packed, size);
                *of_units++ = bytes_of(plan_.unit_pitch(in_plan), size)
                              - bytes_of(pitch * packed, size) * rows;
            }
        };
        set(operands_, args.operands, args.pitches, args.pitches_of_units);
        set(post_op_operands_, args.post_op_operands, args.post_op_pitches,
                args.post_op_pitches_of_units);
        args.sums = is_columns && sums ? sums + chunk.first_column : sums; // the kernel advances it
        args.units = chunk.units;
        args.rows = rows;
        args.length = (chunk.end_column - chunk.first_column) * packed;
        code.entry<kernel_function_t>()(&args);
    };
    const dim_t packed = plan_.packed_rows();
    plan_.for_each_run(chunk, [&](const row_offsets_t &offsets, dim_t rows) {
        if (rows >= packed) call(code_, offsets, 0, rows / packed, packed);
        if (const dim_t rest = rows % packed; rest != 0)
            call(*single_rows_, offsets, rows - rest, rest, 1);
    });
}

} // namespace kiln::x64
