// SPDX-License-Identifier: Apache-2.0
// The plan of elementwise operations: which elements are a row, and what is copied for it.

#include <algorithm>

#include "common/integers.hpp"
#include "common/memory/type_set.hpp"
#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/layout/tensor_loops.hpp"
#include "cpu/x64/rows/elementwise_padding.hpp"
#include "cpu/x64/rows/elementwise_rows.hpp"
#include "cpu/x64/rows/packed_rows.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64 {
namespace {

/// The greatest extent of a loop whose elements are adjacent in the operand; 0: there is none.
dim_t adjacent_elements(const std::vector<row_mode_t> &loops, size_t operand) {
    dim_t extent = 0;
    for (const row_mode_t &loop : loops)
        if (loop.strides[operand] == 1) extent = std::max(extent, loop.extent);
    return extent;
}

/// The operand along whose adjacent elements rows go: dst, or src if its elements fill vectors and
/// those of dst do not.
size_t leader_of(const std::vector<row_mode_t> &loops, dim_t lanes) {
    const dim_t in_dst = adjacent_elements(loops, elementwise_dst);
    const dim_t in_src = adjacent_elements(loops, elementwise_src);
    return in_src > in_dst && in_dst < lanes ? elementwise_src : elementwise_dst;
}

bool are_adjacent(const row_mode_t &line, size_t operands) {
    return std::all_of(line.strides.begin(), line.strides.begin() + std::ptrdiff_t(operands),
            [](dim_t stride) { return stride == 0 || stride == 1; });
}

/// The first operand whose elements lie apart along the row, and that differs along all loops.
std::optional<size_t> find_transposed(
        const std::vector<row_mode_t> &loops, const row_mode_t &line, size_t operands) {
    for (size_t i = 0; i < operands; ++i)
        if (line.extent > 1 && line.strides[i] > 1
                && std::ranges::none_of(
                        loops, [&](const row_mode_t &loop) { return loop.strides[i] == 0; }))
            return i;
    return std::nullopt;
}

/// The kernel reads copies as floats, from their beginning.
void add_copies(const packed_rows_t &packed, elementwise_box_t &box, row_offsets_t &origin) {
    constexpr dim_t alignment = 64;
    for (const size_t i : packed.copied) {
        const operand_t &operand = box.operands[i];
        box.copies.push_back({.operand = i,
                .spec = {.operation = box.spec.operation,
                        .isa = box.spec.isa,
                        .line = packed.line.extent,
                        .dst = {dnnl_f32, true},
                        .src = {operand.type, packed.line.strides[i] != 0}},
                .rows = packed.rows,
                .pitch = operand.bytes(packed.strides[i]),
                .offset = operand.bytes(origin[i]),
                .place = box.scratchpad_size});
        box.spec.operand(i).type = dnnl_f32;
        box.operands.set_type(i, dnnl_f32);
        origin[i] = 0;
        const dim_t bytes = box.operands[i].bytes(box.spec.line);
        box.scratchpad_size += round_up(bytes, alignment);
    }
}

/// Whether all rows of the operand begin with a byte, and their elements are adjacent.
bool has_whole_bytes(const tensor_box_t &box, const row_mode_t &line, size_t operand) {
    return line.strides[operand] == 1 && box.origin[operand] % 2 == 0
           && std::ranges::all_of(box.loops,
                   [&](const row_mode_t &loop) { return loop.strides[operand] % 2 == 0; });
}

/// Whether blocks of the operand are worth a copy: its adjacent elements belong to different rows.
bool has_transposed_blocks(const elementwise_box_t &box, size_t operand) {
    // Fewer fill too little of a vector. Short rows are packed in copies of whole tensors, but not
    // beside padding.
    const dim_t least_rows = 8, least_line = box.spec.padding == 0 ? least_rows : 2;
    return operand != elementwise_dst && box.strides[operand] > 1
           && box.rows->pitches()[operand] == 1 && box.rows->run_length() >= least_rows
           && box.spec.line >= least_line && !is_half_byte(box.operands[operand].type);
}

/// The kernel reads adjacent elements of such operands.
void copy_transposed_blocks(elementwise_box_t &box) {
    for (size_t i = 0; i < box.operands.count(); ++i) {
        if (box.copied_blocks.size() == most_copied_blocks || !has_transposed_blocks(box, i))
            continue;
        box.copied_blocks.push_back(i);
        box.spec.operand(i).stride = 1;
        box.is_transposed = true;
    }
}

bool reads_strided(elementwise_box_t &box) {
    for (size_t i = 0; i < box.operands.count(); ++i)
        if (box.spec.operand(i).is_strided()) return true;
    return false;
}

/// Chooses the vectors of rows that are followed by so many elements of padding, and whether the
/// kernel stores it.
void choose_vectors(elementwise_spec_t &spec, dim_t padding) {
    const dim_t stored = spec.line + padding;
    if (2 * stored <= jit::lanes_of(spec.isa)) spec.isa = half_width_isa(spec.isa);
    const dim_t lanes = jit::lanes_of(spec.isa);
    if (spec.line <= lanes && stored % lanes == 0) spec.padding = padding;
}

/// Whether all rows are whole words of four adjacent bytes in both operands.
bool has_whole_words(const tensor_box_t &box, const row_mode_t &line) {
    constexpr dim_t bytes = 4;
    if (line.extent % bytes != 0) return false;
    for (const size_t i : {elementwise_dst, elementwise_src})
        if (line.strides[i] != 1 || box.origin[i] % bytes != 0
                || std::ranges::any_of(box.loops,
                        [&](const row_mode_t &loop) { return loop.strides[i] % bytes != 0; }))
            return false;
    return true;
}

/// Makes elements of words that has_whole_words() finds.
void take_words(elementwise_box_t &box, tensor_box_t &found, row_mode_t &line) {
    constexpr dim_t bytes = 4;
    box.spec.word_type = box.operands[elementwise_dst].type;
    line.extent /= bytes;
    for (const size_t i : {elementwise_dst, elementwise_src}) {
        box.operands.set_type(i, dnnl_s32);
        found.origin[i] /= bytes;
        for (row_mode_t &loop : found.loops) loop.strides[i] /= bytes;
    }
}

/// Completes a box that has its spec, operands and sizes. `has_elements_alone`: padding of dst is
/// not part of it.
refusal_t plan_rows(elementwise_box_t &box, tensor_box_t found, row_layouts_t taken,
        std::span<const memory_desc_t *const> mds, bool has_elements_alone) {
    elementwise_spec_t &spec = box.spec;
    const size_t operands = box.operands.count();
    const bool is_strided = taken == row_layouts_t::strided;
    row_mode_t line = take_nearest(found.loops, operands,
            is_strided ? leader_of(found.loops, jit::lanes_of(spec.isa)) : elementwise_dst);
    const bool is_adjacent = are_adjacent(line, operands);
    bool has_half_bytes = false;
    for (size_t i = 0; i < operands; ++i) {
        has_half_bytes |= box.operands[i].is_half;
        if (box.operands[i].is_half && !has_whole_bytes(found, line, i))
            return refused("rows of elements of half a byte begin within a byte or are strided");
    }
    if (box.operands[elementwise_dst].is_half && line.extent % 2 != 0 && !found.loops.empty())
        return refused("rows of dst end within a byte");
    std::optional<packed_rows_t> packed;
    std::vector<size_t> repeated;
    if (is_adjacent) {
        if (!has_half_bytes)
            repeated = repeat_rows(
                    found.loops, line, jit::lanes_of(spec.isa), operands, first_chain_operand);
        packed = pack_rows(found.loops, line, operands, first_chain_operand);
    }
    for (const size_t i : {elementwise_dst, elementwise_src})
        spec.operand(i) = {box.operands[i].type, line.strides[i] != 0};
    const dim_t padding = has_elements_alone ? padding_behind(mds, found, line) : 0;
    if (spec.is_integer_maximum() && contains(int8_types, spec.dst.type) && !packed && padding == 0
            && has_whole_words(found, line))
        take_words(box, found, line);
    spec.line = line.extent;
    spec.fetches_next_page = pays_to_fetch_next_page(box.bytes);
    choose_vectors(spec, packed || has_half_bytes ? 0 : padding);
    for (size_t i = 0; i < operands; ++i) {
        jit::post_op_operand_t &operand = spec.operand(i);
        operand = {box.operands[i].type, i == elementwise_dst || line.strides[i] != 0};
        if (operand.per_lane && line.extent > 1) operand.stride = line.strides[i];
    }
    for (const size_t i : repeated)
        spec.operand(i) = {.type = box.operands[i].type, .per_lane = true, .repeats = true};
    for (size_t i = first_chain_operand; i < operands; ++i)
        spec.operand(i).is_fixed = spec.operand(i).is_of_row()
                                   && std::ranges::all_of(found.loops, [&](const row_mode_t &loop) {
                                          return loop.strides[i] == 0;
                                      });
    box.strides = line.strides;
    if (packed) add_copies(*packed, box, found.origin);
    const auto transposed = find_transposed(found.loops, line, operands);
    box.is_transposed = transposed.has_value();
    box.rows.emplace(
            operands, std::move(found.loops), found.origin, transposed.value_or(elementwise_dst));
    copy_transposed_blocks(box);
    constexpr dim_t least_run = 16; // fewer rows take less time than the call of a kernel
    constexpr dim_t near_bytes = 16384;
    constexpr dim_t floats_of_line = cache_line_bytes / dim_t{sizeof(float)};
    if (!box.is_transposed)
        box.rows->lengthen_runs(least_run, near_bytes / box.operands[elementwise_dst].size);
    spec.splits_stores = pays_to_split_stores(box.bytes) && !box.is_transposed
                         && !box.rows->keeps_alignment(elementwise_dst, floats_of_line);
    if (!is_strided && reads_strided(box))
        return refused("an operand is strided along rows of dst");
    return accepted();
}

/// Whether the rows before all padding of dst store it.
bool stores_padding(const memory_desc_t &dst, const elementwise_plan_t &boxes) {
    dim_t padding = 0;
    for (const elementwise_box_t &box : boxes) padding += box.rows->rows() * box.spec.padding;
    return padding == element_count(dst, true) - element_count(dst);
}

/// Whether dst is padded, and its blocks are whole vectors.
bool fills_vectors(const memory_desc_t &dst, isa_t isa) {
    const blocking_t &blocking = dst.format_desc.blocking;
    return has_padding(dst) && blocking.inner_nblks == 1
           && blocking.inner_blks[0] % jit::lanes_of(isa) == 0;
}

using elementwise_plan_of_t = plan_of_t<elementwise_rows_t, elementwise_plan_t>;

/// Plans the boxes, and sets the scratchpad's size.
refusal_t plan_boxes(std::optional<std::vector<tensor_box_t>> found, primitive_desc_t &pd,
        const operand_layouts_t &layouts, const elementwise_spec_t &spec, row_layouts_t taken,
        bool have_elements_alone, elementwise_plan_t &boxes) {
    if (!found)
        return refused("tensors are padded in front, their blocks do not divide each other, or "
                       "blocks cut their axes into too many pieces");
    const dim_t bytes = layouts.bytes();
    dim_t scratchpad_size = 0; // boxes are computed one after another
    for (tensor_box_t &box : *found) {
        elementwise_box_t &planned = boxes.emplace_back(elementwise_box_t{.spec = spec,
                .operands = layouts.operands(),
                .rows = {},
                .bytes = bytes,
                .element_bytes = std::max<dim_t>(
                        1, bytes / element_count(*layouts.mds()[elementwise_dst]))});
        if (const refusal_t refusal = plan_rows(
                    planned, std::move(box), taken, layouts.mds(), have_elements_alone))
            return refusal;
        scratchpad_size = std::max(scratchpad_size, planned.scratchpad_size);
    }
    pd.set_scratchpad_size(static_cast<size_t>(scratchpad_size));
    return accepted();
}

/// Whether kernels load and store all operands.
bool can_convert(const operands_t &operands) {
    for (size_t i = 0; i < operands.count(); ++i) {
        const data_type_t type = operands[i].type;
        if (!jit::lanes_io_t::can_convert(type) && !contains(int4_types, type)) return false;
    }
    return true;
}

} // namespace

std::optional<std::vector<tensor_box_t>> elementwise_boxes(
        std::span<const memory_desc_t *const> operands) {
    const auto whole = with_padding(operands);
    if (!whole) return make_boxes(operands);
    std::vector<const memory_desc_t *> mds;
    for (const memory_desc_t &md : *whole) mds.push_back(&md);
    return make_boxes(mds);
}

refusal_t plan_elementwise(primitive_desc_t &pd, const operand_layouts_t &layouts,
        const elementwise_spec_t &spec, row_layouts_t taken, plan_ptr_t &plan) {
    const memory_desc_t &dst = *layouts.mds()[elementwise_dst];
    if (has_zero_dim(dst)) return refused("dst has no elements");
    if (!can_convert(layouts.operands()))
        return refused("a tensor or a scale is not f32, bf16, f16, f8, s32, s8 or u8");
    const bool keeps = keeps_padding(layouts.mds(), spec);
    if (!keeps && fills_vectors(dst, spec.isa)) {
        // Kernels store zeros behind rows, which takes less time than to clear them afterwards.
        const auto made = std::make_shared<elementwise_plan_of_t>();
        const refusal_t refusal =
                plan_boxes(make_boxes(layouts.mds()), pd, layouts, spec, taken, true, made->work);
        if (!refusal && stores_padding(dst, made->work)) {
            pd.set_implementation_pads();
            plan = made;
            return accepted();
        }
    }
    const auto made = std::make_shared<elementwise_plan_of_t>();
    if (const refusal_t refusal = plan_boxes(elementwise_boxes(layouts.mds()), pd, layouts, spec,
                taken, !with_padding(layouts.mds()), made->work))
        return refusal;
    if (keeps || stores_padding(dst, made->work)) pd.set_implementation_pads();
    plan = made;
    return accepted();
}

} // namespace kiln::x64
