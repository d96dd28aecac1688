// SPDX-License-Identifier: Apache-2.0
// A reorder with its attributes as rows.

#include "cpu/x64/reorder/row_problem.hpp"

#include "common/memory/data_type.hpp"
#include "common/memory/type_set.hpp"
#include "cpu/x64/layout/tensor_loops.hpp"
#include "cpu/x64/post_op_operands.hpp"
#include "cpu/x64/reorder/packed_rows.hpp"

namespace kiln::x64::reorder {
namespace {

/// Takes types whose values f32 holds, or rounds beyond the range in which dst saturates.
refusal_t check_types(const reorder_pd_t &pd) {
    const data_type_t src = pd.src().data_type, dst = pd.dst().data_type;
    if (!contains(float_types | int8_types, dst))
        return refused("dst is not f32, bf16, f16, s8 or u8");
    if (!jit::lanes_io_t::can_load(src)) return refused("src is not f32, bf16, f16, s32, s8 or u8");
    const bool is_exact = src != dnnl_s32
                          || (contains(type_set({dnnl_f32}) | int8_types, dst)
                                  && !pd.attr().zero_points.contains(DNNL_ARG_FROM));
    if (!is_exact) return refused("s32 values would be rounded twice");
    for (const auto *map : {&pd.attr().scales, &pd.attr().zero_points})
        for (const auto &[arg, values] : *map)
            if (!jit::lanes_io_t::can_load(values.data_type))
                return refused("scales or zero points are not f32, bf16, f16, s32, s8 or u8");
    return accepted();
}

/// Operands in the order of operand_index_t; scales and zero points may be absent.
refusal_t add_operands(
        const reorder_pd_t &pd, operand_layouts_t &layouts, row_reorder_spec_t &spec) {
    layouts.add(DNNL_ARG_TO, pd.dst());
    layouts.add(DNNL_ARG_FROM, pd.src());
    const auto add = [&](const quantization_map_t &map, int kind, int arg) {
        const auto found = map.find(arg);
        if (found == map.end()) return layouts.add_shared(kind | arg);
        layouts.add_attribute(kind | arg, found->second.mask, pd.dst());
    };
    add(pd.attr().zero_points, DNNL_ARG_ATTR_ZERO_POINTS, DNNL_ARG_FROM);
    add(pd.attr().scales, DNNL_ARG_ATTR_SCALES, DNNL_ARG_FROM);
    add(pd.attr().scales, DNNL_ARG_ATTR_SCALES, DNNL_ARG_TO);
    add(pd.attr().zero_points, DNNL_ARG_ATTR_ZERO_POINTS, DNNL_ARG_TO);
    for (size_t i = 0; i < first_post_op_operand; ++i)
        spec.operands[i] = {layouts.operands()[i].type, false};
    return add_post_ops(pd, layouts, spec.post_ops);
}

/// The loop along adjacent elements of dst, and all loops that continue it, removed from `loops`.
refusal_t take_dense_line(std::vector<row_mode_t> &loops, size_t operands, row_mode_t &line) {
    line = {1, {}};
    if (loops.empty()) return accepted();
    const auto found = take_line(
            loops, operands, [](const row_mode_t &loop) { return loop.strides[dst_operand] == 1; });
    if (!found) return refused("dst has no axis of stride 1");
    for (size_t i = 0; i < operands; ++i)
        if (found->strides[i] != 0 && found->strides[i] != 1)
            return refused("an operand is strided along the innermost axis of dst");
    line = *found;
    return accepted();
}

/// The kernel reads copies as floats, from their beginning.
void add_copies(const packed_rows_t &packed, row_problem_t &problem, row_offsets_t &origin) {
    constexpr dim_t alignment = 64;
    for (const size_t i : packed.copied) {
        const operand_t &operand = problem.operands[i];
        row_reorder_spec_t copy{.isa = problem.spec.isa, .line = packed.line.extent};
        copy.operands[dst_operand] = {dnnl_f32, true};
        copy.operands[src_operand] = {operand.type, packed.line.strides[i] != 0};
        problem.copies.push_back({.operand = i,
                .spec = copy,
                .rows = packed.rows,
                .pitch = operand.bytes(packed.strides[i]),
                .offset = operand.bytes(origin[i]),
                .place = problem.scratchpad_size});
        problem.spec.operand(i).type = dnnl_f32;
        problem.operands.set_type(i, dnnl_f32);
        origin[i] = 0;
        const dim_t bytes = problem.operands[i].bytes(problem.spec.line);
        problem.scratchpad_size += (bytes + alignment - 1) / alignment * alignment;
    }
}

} // namespace

refusal_t find_rows(const reorder_pd_t &pd, isa_t isa, row_problem_t &problem) {
    if (const refusal_t refusal = check_types(pd)) return refusal;
    row_reorder_spec_t &spec = problem.spec;
    spec.isa = isa;
    operand_layouts_t layouts(pd);
    if (const refusal_t refusal = add_operands(pd, layouts, spec)) return refusal;
    const size_t operands = layouts.mds().size();
    auto loops = make_loops(layouts.mds());
    if (!loops) return refused("tensors are padded, or their blocks do not divide each other");
    row_mode_t line;
    if (const refusal_t refusal = take_dense_line(*loops, operands, line)) return refusal;
    const auto packed = pack_rows(*loops, line, operands, src_operand + 1);
    spec.line = line.extent;
    spec.operands[dst_operand].per_lane = true;
    for (size_t i = src_operand; i < operands; ++i) spec.operand(i).per_lane = line.strides[i] != 0;
    problem.operands = layouts.operands();
    problem.strides = line.strides;
    problem.bytes = layouts.bytes();
    row_offsets_t origin = origin_of(layouts.mds());
    if (packed) add_copies(*packed, problem, origin);
    problem.rows.emplace(operands, std::move(*loops), origin);
    return accepted();
}

} // namespace kiln::x64::reorder
