// SPDX-License-Identifier: Apache-2.0
// The plan of elementwise operations: which elements are a row, and what is copied for it.

#include <deque>

#include "cpu/x64/layout/tensor_loops.hpp"
#include "cpu/x64/rows/elementwise_rows.hpp"
#include "cpu/x64/rows/packed_rows.hpp"

namespace kiln::x64 {
namespace {

/// Descriptors in which the padding of dst is elements too; nothing where an operand is padded
/// otherwise than dst.
std::optional<std::deque<memory_desc_t>> with_padding(
        std::span<const memory_desc_t *const> operands) {
    const memory_desc_t &dst = *operands[elementwise_dst];
    std::deque<memory_desc_t> whole;
    for (const memory_desc_t *operand : operands) {
        memory_desc_t &md = whole.emplace_back(*operand);
        if (is_zero(md)) continue;
        for (int d = 0; d < dst.ndims; ++d) {
            if (dst.padded_dims[d] == dst.dims[d] || dst.dims[d] == 1 || md.dims[d] == 1) continue;
            if (md.padded_dims[d] != dst.padded_dims[d] || md.padded_offsets[d] != 0)
                return std::nullopt;
            md.dims[d] = md.padded_dims[d];
        }
    }
    return whole;
}

std::optional<std::vector<row_mode_t>> loops_over(std::span<const memory_desc_t *const> operands) {
    const auto whole = with_padding(operands);
    if (!whole) return std::nullopt;
    std::vector<const memory_desc_t *> mds;
    for (const memory_desc_t &md : *whole) mds.push_back(&md);
    return make_loops(mds);
}

/// The loop along adjacent elements of dst, and all loops that continue it, removed from `loops`.
refusal_t take_dense_line(std::vector<row_mode_t> &loops, size_t operands, row_mode_t &line) {
    line = {1, {}};
    if (loops.empty()) return accepted();
    const auto found = take_line(loops, operands,
            [](const row_mode_t &loop) { return loop.strides[elementwise_dst] == 1; });
    if (!found) return refused("dst has no axis of stride 1");
    for (size_t i = 0; i < operands; ++i)
        if (found->strides[i] != 0 && found->strides[i] != 1)
            return refused("an operand is strided along the innermost axis of dst");
    line = *found;
    return accepted();
}

/// The kernel reads copies as floats, from their beginning.
void add_copies(
        const packed_rows_t &packed, elementwise_problem_t &problem, row_offsets_t &origin) {
    constexpr dim_t alignment = 64;
    for (const size_t i : packed.copied) {
        const operand_t &operand = problem.operands[i];
        problem.copies.push_back({.operand = i,
                .spec = {.operation = problem.spec.operation,
                        .isa = problem.spec.isa,
                        .line = packed.line.extent,
                        .dst = {dnnl_f32, true},
                        .src = {operand.type, packed.line.strides[i] != 0}},
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

refusal_t plan_elementwise(const operand_layouts_t &layouts, elementwise_problem_t &problem) {
    const size_t operands = layouts.mds().size();
    if (has_zero_dim(*layouts.mds()[elementwise_dst])) return refused("dst has no elements");
    auto loops = loops_over(layouts.mds());
    if (!loops)
        return refused("tensors are padded unlike, or their blocks do not divide each other");
    row_mode_t line;
    if (const refusal_t refusal = take_dense_line(*loops, operands, line)) return refusal;
    const auto packed = pack_rows(*loops, line, operands, first_chain_operand);
    elementwise_spec_t &spec = problem.spec;
    spec.line = line.extent;
    for (size_t i = 0; i < operands; ++i)
        spec.operand(i) = {
                layouts.operands()[i].type, i == elementwise_dst || line.strides[i] != 0};
    problem.operands = layouts.operands();
    problem.strides = line.strides;
    problem.bytes = layouts.bytes();
    row_offsets_t origin = origin_of(layouts.mds());
    if (packed) add_copies(*packed, problem, origin);
    problem.rows.emplace(operands, std::move(*loops), origin);
    return accepted();
}

} // namespace kiln::x64
