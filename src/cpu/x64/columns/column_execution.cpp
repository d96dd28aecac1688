// SPDX-License-Identifier: Apache-2.0
// What drivers of kernels on columns share.

#include "cpu/x64/columns/column_execution.hpp"

#include <algorithm>

#include "common/integers.hpp"
#include "cpu/parallel.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64 {

namespace {

/// The axis as a loop over the elements of a column.
row_mode_t loop_of(const operand_layouts_t &layouts, int axis) {
    row_mode_t loop{layouts.mds().front()->dims[axis], {}};
    for (size_t i = 0; i < layouts.mds().size(); ++i) {
        const memory_desc_t &md = *layouts.mds()[i];
        const bool moves = md.ndims > axis && md.dims[axis] != 1;
        loop.strides[i] = moves ? md.format_desc.blocking.strides[axis] : 0;
    }
    return loop;
}

} // namespace

columns_t::columns_t(const operand_layouts_t &layouts, isa_t isa, int axis, size_t stepped,
        size_t held, size_t output, bool needs_many_registers)
    : columns_t(layouts.operands(), row_plan_t(axis, layouts.mds()), loop_of(layouts, axis), isa,
            stepped, held, output, needs_many_registers) {}

columns_t::columns_t(const operands_t &operands, row_plan_t plan, const row_mode_t &axis, isa_t isa,
        size_t stepped, size_t held, size_t output, bool needs_many_registers)
    : operands_(operands)
    , plan_(std::move(plan))
    , step_count_(axis.extent)
    , stepped_(stepped)
    , held_(held)
    , output_(output)
    , output_alignment_(non_temporal_alignment(isa, operands_[output].type))
    , line_(plan_.run_length())
    , tile_width_(x64::tile_width(isa, needs_many_registers, line_))
    , tiles_per_line_(divide_up(line_, tile_width_)) {
    for (size_t i = 0; i < operands_.count(); ++i)
        steps_.push_back({operands_[i].type, operands_[i].bytes(axis.strides[i])});
}

void columns_t::describe(kernel_spec_t &spec) const {
    spec.operands = steps_;
    spec.run_length = line_;
}

dim_t columns_t::column_bytes() const {
    dim_t bytes = 0;
    for (size_t i = 0; i < stepped_; ++i) bytes += operands_[i].bytes(step_count_);
    return bytes;
}

std::string columns_t::text() const {
    return std::to_string(count()) + " columns of " + std::to_string(step_count_) + " steps in "
           + std::to_string(tiles()) + " tiles of at most "
           + std::to_string(std::min(tile_width_, line_)) + ", " + std::to_string(tile_bytes())
           + " bytes\n";
}

refusal_t columns_t::check_adjacent() const {
    const auto are_adjacent = [&](size_t first, size_t end) {
        for (size_t i = first; i < end; ++i)
            if (steps_[i].type != dnnl_data_type_undef && plan_.pitches()[i] != 1) return false;
        return true;
    };
    if (plan_.run_length() == 1 || !are_adjacent(0, stepped_))
        return refused("no axis but the normalized one is innermost in every tensor");
    return are_adjacent(stepped_, held_)
                   ? accepted()
                   : refused("statistics are strided along the innermost axis");
}

void columns_t::call(const jit::executable_code_t &code, const addresses_t &bases,
        bool non_temporal, dim_t begin, dim_t end, float *weight_sums) const {
    const auto kernel = code.entry<void (*)(column_args_t *)>();
    column_args_t args;
    args.weight_sums = weight_sums;
    for (size_t i = 0; i < stepped_; ++i) {
        args.steps[i] = steps_[i].pitch;
        args.spans[i] = steps_[i].pitch * step_count_;
    }
    plan_.for_each_run(begin_of(begin), begin_of(end), [&](const row_run_t &run) {
        operands_.locate(bases, run.offsets, args.operands);
        args.columns = run.count;
        args.non_temporal =
                non_temporal
                && are_aligned(args.operands[output_], args.steps[output_], output_alignment_);
        kernel(&args);
    });
}

void columns_t::call_all(const jit::executable_code_t &code, const addresses_t &bases,
        bool can_be_non_temporal) const {
    const bool non_temporal = can_be_non_temporal && bases[output_] != nullptr
                              && !operands_.has_alias(bases, output_);
    const dim_t tiles_per_task = cpu::items_per_task(tiles(), tile_bytes());
    cpu::parallel_chunks(tiles(), tiles_per_task,
            [&](dim_t begin, dim_t end) { call(code, bases, non_temporal, begin, end); });
}

} // namespace kiln::x64
