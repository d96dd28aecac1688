// SPDX-License-Identifier: Apache-2.0
// What drivers of kernels on columns share.

#include "cpu/x64/columns/column_execution.hpp"

#include <algorithm>

#include "common/integers.hpp"
#include "cpu/x64/parallel_stores.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64 {

columns_t::columns_t(const operand_layouts_t &layouts, isa_t isa, int axis, size_t stepped,
        size_t held, size_t output, bool needs_many_registers)
    : columns_t(layouts.operands(),
            {.lines = row_plan_t(axis, layouts.mds()), .steps = loop_along(layouts.mds(), axis)},
            isa, stepped, held, output, needs_many_registers) {}

columns_t::columns_t(const operands_t &operands, const column_loops_t &loops, isa_t isa,
        size_t stepped, size_t held, size_t output, bool needs_many_registers)
    : operands_(operands)
    , plan_(loops.lines)
    , inner_steps_(loops.steps)
    , outer_steps_(loops.outer_steps)
    , parts_(loops.parts)
    , stepped_(stepped)
    , held_(held)
    , output_(output)
    , output_alignment_(non_temporal_alignment(isa, operands_[output].type))
    , lanes_(jit::lanes_of(isa))
    , line_(loops.block == 0 ? plan_.run_length() : loops.line)
    , block_(loops.block)
    , tile_blocks_(loops.tile_blocks)
    , is_paged_(loops.is_paged) {
    kernel_spec_t spec{};
    spec.isa = isa;
    describe(spec);
    const column_tile_t tile(spec, needs_many_registers);
    part_width_ = tile.part * lanes_;
    tile_width_ = tile.vectors() * lanes_;
    tiles_per_line_ = divide_up(line_, tile_width_);
    for (size_t i = 0; i < operands_.count(); ++i)
        steps_.push_back({operands_[i].type, operands_[i].bytes(inner_steps_.strides[i]),
                i < stepped_ && block_ != 0 ? operands_[i].bytes(plan_.pitches()[i]) : 0,
                operands_[i].is_mask});
}

void columns_t::describe(kernel_spec_t &spec) const {
    spec.operands = steps_;
    spec.run_length = line_;
    spec.inner_length = outer_steps_.extent == 1 ? 0 : inner_steps_.extent;
    spec.column_block = block_;
    spec.tile_blocks = tile_blocks_;
    spec.is_paged = is_paged_;
}

dim_t columns_t::column_bytes() const {
    dim_t bytes = 0;
    for (size_t i = 0; i < stepped_; ++i) bytes += operands_[i].bytes(steps());
    return bytes;
}

std::string columns_t::text() const {
    return std::to_string(count()) + " columns of " + std::to_string(steps()) + " steps in "
           + std::to_string(tiles()) + " tiles of at most "
           + std::to_string(std::min(tile_width_, line_)) + ", " + std::to_string(tile_bytes())
           + " bytes\n";
}

bool columns_t::fills_blocks() const {
    return block_ != 0 && round_up(line_, dim_t(lanes_)) == round_up(line_, block_);
}

refusal_t columns_t::check_adjacent() const {
    const auto are_adjacent = [&](size_t first, size_t end) {
        for (size_t i = first; i < end; ++i)
            if (!operands_[i].is_absent() && plan_.pitches()[i] != 1) return false;
        return true;
    };
    if (plan_.run_length() == 1 || !are_adjacent(0, stepped_))
        return refused("the innermost axis is the reduced one, or differs between tensors");
    return are_adjacent(stepped_, held_)
                   ? accepted()
                   : refused("statistics are strided along the innermost axis");
}

void columns_t::call(const jit::executable_code_t &code, const addresses_t &bases,
        bool non_temporal, dim_t begin, dim_t end, float *memory) const {
    column_args_t args;
    args.memory = memory;
    for (size_t i = 0; i < stepped_; ++i) {
        const dim_t span = steps_[i].pitch * inner_steps_.extent;
        const dim_t outer_step = operands_[i].bytes(outer_steps_.strides[i]);
        args.jumps[i] = outer_step - span;
        args.spans[i] = outer_steps_.extent == 1 ? span : outer_step * outer_steps_.extent;
    }
    const auto run = [&](const row_offsets_t &offsets, dim_t columns) {
        operands_.locate(bases, offsets, args.operands);
        args.columns = columns;
        args.non_temporal = non_temporal && keeps_alignment(args.operands[output_]);
        code(args);
    };
    const dim_t tiles_of_part = tiles() / parts_.extent;
    for (dim_t tile = begin, next; tile < end; tile = next) {
        const dim_t part = tile / tiles_of_part, first_tile = part * tiles_of_part;
        next = std::min(end, first_tile + tiles_of_part);
        const auto run_in_part = [&](row_offsets_t offsets, dim_t columns) {
            for (size_t i = 0; i < operands_.count(); ++i) offsets[i] += part * parts_.strides[i];
            run(offsets, columns);
        };
        const dim_t first = begin_of(tile - first_tile), last = begin_of(next - first_tile);
        if (block_ == 0)
            plan_.for_each_run(first, last,
                    [&](const row_run_t &columns) { run_in_part(columns.offsets, columns.count); });
        else
            run_in_part(plan_.offsets_of(first / block_), std::min(last, line_) - first);
    }
}

bool columns_t::keeps_alignment(const void *output) const {
    const dim_t outer_step = operands_[output_].bytes(outer_steps_.strides[output_]);
    const row_operand_t &steps = steps_[output_];
    return are_aligned(output, steps.pitch | steps.block_pitch | outer_step, output_alignment_);
}

void columns_t::call_all(const jit::executable_code_t &code, const addresses_t &bases,
        bool can_be_non_temporal, const task_memory_t &memory) const {
    const bool non_temporal = can_be_non_temporal && bases[output_] != nullptr
                              && !operands_.has_alias(bases, output_);
    cpu::shares_t tasks = shares();
    if (memory.task_bytes == 0)
        return parallel_stores(
                tasks, non_temporal, [this, &code, &bases, non_temporal](dim_t begin, dim_t end) {
                    call(code, bases, non_temporal, begin, end);
                });
    tasks.tasks = std::min(tasks.tasks, memory.tasks);
    parallel_stores(tasks, non_temporal, [=, this, &code, &bases](dim_t begin, dim_t end) {
        std::byte *const own =
                memory.begin + static_cast<size_t>(tasks.task(begin)) * memory.task_bytes;
        call(code, bases, non_temporal, begin, end, reinterpret_cast<float *>(own));
    });
}

cpu::shares_t columns_t::shares() const {
    // Most kernels visit a column twice or more.
    const dim_t elements = std::min(tile_width_, line_) * steps();
    const dim_t tile_work = 2 * cpu::bytes_as_floats(tile_bytes(), elements);
    return cpu::shares_of(tiles(), tile_work);
}

} // namespace kiln::x64
