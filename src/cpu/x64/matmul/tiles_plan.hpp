// SPDX-License-Identifier: Apache-2.0
// A matrix multiplication as a product of A, whose elements are broadcast, and B, whose columns lie
// in vectors.
#pragma once

#include <optional>
#include <string>

#include "common/integers.hpp"
#include "common/operations/matmul_pd.hpp"
#include "cpu/x64/matmul/tiles_choice.hpp"
#include "cpu/x64/matmul/tiles_product.hpp"
#include "cpu/x64/matrix/amx_compressed.hpp"
#include "cpu/x64/matrix/amx_conversion.hpp"
#include "cpu/x64/matrix/amx_kernel.hpp"
#include "cpu/x64/matrix/blocking.hpp"
#include "cpu/x64/matrix/packing.hpp"
#include "cpu/x64/matrix/tile_kernel.hpp"
#include "cpu/x64/operands.hpp"

namespace kiln::x64::matmul {

/// The operands in their table; those of the epilogue follow.
enum operand_index_t : size_t {
    dst_operand,
    src_operand,
    weights_operand,
    b_scale_operand, // of groups
    b_zero_operand,
    a_scale_operand, // of groups
    a_zero_operand,
    first_epilogue_operand
};

/// Calls of AMX for one matrix of a batch at most whose arguments are kept for the next one.
constexpr size_t most_alike_amx_calls = 8;

/// Pieces of the work, from the smallest:
/// - a tile: rows of a strip x columns of a panel, whose sums are in registers;
/// - a block: a run of panels x a run of steps along K, whose part of B is in the L2 cache;
/// - a chunk: a run of strips whose rows of A are packed, or partial sums kept, at a time;
/// - a part: a rectangle of strips x panels of one matrix;
/// - a task: a run of parts, of one matrix or of several, that a thread computes with its buffers.
struct tiles_plan_t {
    matrix::tile_spec_t spec; // its `rows` are those of tall strips
    matrix::blocking_t blocking;
    operands_t operands;
    std::optional<row_plan_t> batch; // a row is a matrix
    bool is_swapped = false;         // the transposed product: A is weights, B is src
    dim_t m = 0, n = 0, k = 0;       // of A x B
    matrix::matrix_layout_t a, b;    // b: unless it is packed
    b_way_t b_way = b_way_t::packed;
    bool packs_a = false;
    bool is_by_amx = false;           // amx_kernel_t multiplies several strips at a time
    bool may_repeat_rows = false;     // AMX may store results of a row twice
    bool may_be_non_temporal = false; // stores of results from sums by AMX, if dst is aligned
    int amx_lines_ahead = 0;          // of rows of A, or of the next block of B, in a step
    bool amx_fetches_b = false;       // instead of rows of A
    bool amx_fetches_dst = false;     // for writing
    dim_t padded_steps = 0;           // of a panel of packed weights
    bool converts_weights = false; // packed ones: the first strip stores them as floats, which the
                                   // others multiply by step_t::f32
    bool fetches_next = false; // while a block is read, what the next one is packed from is fetched
    matrix::next_block_fetch_t fetch = {}; // of packed weights, or of columns that are packed
    bool has_alike_matrices = false;       // of a batch: calls of kernels differ in addresses alone
    dim_t k_runs = 1;                      // of blocks of K, each of which has sums of its own
    bool has_partial_in_dst = false;       // dst holds the sums of the blocks before
    dim_t dot_vectors = 0;                 // of a block of K, where few columns are multiplied
    group_plan_t groups;
    matrix::amx_conversion_spec_t conversion = {}; // of weights that are converted for AMX
    matrix::amx_compressed_spec_t by_steps = {};   // of weights that are converted step by step
    bool has_a_zero = false;                       // integers of A have a zero point
    size_t sums_behind_b = 0; // bytes from packed weights to their negative sums of columns
    std::vector<matrix::matrix_layout_t> epilogue = {}; // of the operands of the epilogue
    matrix::matrix_layout_t c;                          // of dst
    matrix::parts_t parts{1, 1};                        // of a matrix
    dim_t tasks = 1;        // that run at a time, each with buffers of its own
    dim_t chunk_strips = 1; // strips whose rows of A are packed at a time
    // Buffers of a task.
    size_t a_bytes = 0, a_rest_bytes = 0, b_bytes = 0, lane_bytes = 0, partial_bytes = 0,
           totals_bytes = 0, shift_bytes = 0;
    size_t group_bytes = 0; // of a task, for the rows' sums of groups; as many for their scales,
                            // and for their zero points

    /// Whether tasks sum runs of blocks of K.
    bool is_cut_along_k() const { return k_runs > 1; }
    bool has_dots() const { return b_way == b_way_t::dots || has_few_columns(); }
    /// Rows of A of a chunk at most.
    dim_t chunk_rows() const { return std::min<dim_t>(m, chunk_strips * blocking.rows); }
    bool is_by_steps() const { return b_way == b_way_t::by_steps; }
    /// Whether rows of A are sums of two of bf16: rounded elements, and what is left of them.
    bool has_remainders() const { return is_by_steps() && a.type == dnnl_f16; }
    /// Rows of A that AMX multiplies for so many.
    dim_t rows_by_amx(dim_t rows) const { return has_remainders() ? 2 * rows : rows; }
    /// Whether other kernels make the sums of all steps, which tiles finish.
    bool has_sums_apart() const { return has_dots() || is_by_steps(); }
    /// Whether a row of ones follows those of A in a chunk: its scalar products are the sums of
    /// columns that the zero point of A is multiplied by.
    bool has_row_of_ones() const { return has_dots() && has_a_zero; }
    /// Whether rows of A are integers of digits, whose packing finds scales and sums of groups.
    bool has_digits() const { return matrix::has_digits(spec.step); }
    /// Whether the sums of columns take calls of their own.
    bool sums_columns_apart() const {
        return spec.subtracts && !spec.sums_b && !has_row_of_ones() && !has_sums_behind_b();
    }
    /// What zeros behind the last elements of columns add to those sums: they are multiplied with
    /// the shift, unless A has none.
    dim_t sum_of_padding() const {
        return spec.rest != 0 ? 0 : (steps() * depth() - k) * b_shift();
    }
    /// Whether those sums lie behind the weights, as the step multiplies them.
    bool has_sums_behind_b() const { return sums_behind_b != 0 && b_shift() == 0; }
    /// What is added to integers of B as they are multiplied. AMX takes any signs.
    int b_shift() const { return is_by_amx ? 0 : spec.b_shift(); }
    bool has_few_columns() const { return b_way == b_way_t::rows; }
    /// Whether scalar products are results.
    bool has_results_of_dots() const {
        return has_few_columns() && spec.epilogue.empty()
               && spec.dst_type == (matrix::is_integer(spec.step) ? dnnl_s32 : dnnl_f32);
    }
    /// Whether the tiles of the first strip store B as packed floats, which the others read.
    bool copies_b() const { return b_way == b_way_t::copied || converts_weights; }
    /// Floats that a lane of a step of B becomes, if weights are converted.
    dim_t lane_floats() const {
        return converts_weights ? depth() / matrix::depth_of(matrix::base_of(spec.step)) : 1;
    }
    /// Whether B is packed at each execution.
    bool packs_b() const { return b_way == b_way_t::packed || converts_for_amx() || copies_b(); }
    bool converts_for_amx() const { return b_way == b_way_t::converted; }
    bool packs_before_conversion() const { return converts_for_amx() && padded_steps == 0; }
    /// Whether weights in panels are packed again, panel by panel.
    bool splits_weights() const { return converts_for_amx() && spec.step == matrix::step_t::split; }
    /// Steps of lanes that are converted to so many steps.
    dim_t lane_steps(dim_t count) const {
        return divide_up<dim_t>(count * depth(), conversion.lane_depth());
    }
    bool has_packed_weights() const { return b_way == b_way_t::weights; }
    size_t a_operand() const { return is_swapped ? weights_operand : src_operand; }
    size_t b_operand() const { return is_swapped ? src_operand : weights_operand; }
    dim_t steps() const { return (k + depth() - 1) / depth(); }
    /// Steps of a panel that is packed from `count` steps; AMX reads whole tile registers.
    dim_t packed_steps(dim_t count) const {
        return is_by_amx ? round_up<dim_t>(count, matrix::amx_rows) : count;
    }
    /// Whether so many panels of B are one block, which the first chunk of a task packs for all.
    bool is_one_block(dim_t panels) const {
        return blocking.blocks == 1 && blocking.block_panels >= panels;
    }
    /// Whether AMX multiplies all panels by a block of K before the next block, not a few panels by
    /// all blocks.
    bool has_outer_blocks() const { return amx_fetches_b && blocking.blocks > 1; }
    /// Whether B exceeds the second-level cache.
    bool has_large_b() const;
    /// Whether a cache line of dst has results of two panels.
    bool has_panels_within_lines() const;
    /// Whether few rows wait for B.
    bool has_b_from_memory() const { return b.bytes(n * k) > most_near_bytes; }
    /// Elements along K in whole tile registers, and behind those. Rows that are packed for weights
    /// that are converted step by step are padded to whole lanes, those that are split to whole
    /// steps.
    dim_t amx_whole() const { return amx_elements() / amx_depth() * amx_depth(); }
    dim_t amx_rest() const { return amx_elements() - amx_whole(); }
    /// Whether the step behind whole ones reads rows of A in place. They are integers, and
    /// adjacent: what it reads beyond the end of a row are elements of the next one, which zeros of
    /// B multiply. The last rows, which nothing follows, are copied.
    bool reads_beyond_rows() const {
        constexpr dim_t shortest = matrix::amx_row_bytes / 2; // ends in the next row
        return is_by_amx && amx_rest() != 0 && spec.step == matrix::step_t::u8s8 && !packs_a
               && a.bytes(a.row) == k && k >= shortest && !has_alike_matrices;
    }
    dim_t amx_depth() const { return matrix::amx_depth(matrix::base_of(spec.step)); }
    dim_t amx_elements() const {
        return is_by_steps()                        ? round_up<dim_t>(k, depth())
               : spec.step == matrix::step_t::split ? round_up<dim_t>(k, amx_depth())
                                                    : k;
    }
    /// Whether sums have the values and the type of results.
    bool are_sums_results() const {
        return !is_cut_along_k() && spec.epilogue.empty() && !spec.subtracts && !spec.groups.exist()
               && spec.dst_type == (matrix::is_integer(spec.step) ? dnnl_s32 : dnnl_f32);
    }
    /// Whether the sums that AMX stores are results.
    bool has_amx_results() const { return is_by_amx && has_partial_in_dst && are_sums_results(); }
    int depth() const { return matrix::depth_of(spec.step); }
    dim_t partial_pitch() const; // bytes, of buffers
    size_t task_bytes() const {
        return a_bytes + a_rest_bytes + b_bytes + lane_bytes + partial_bytes + totals_bytes
               + shift_bytes + 3 * group_bytes;
    }
    /// Whether a run of strips that are computed one after the other begins with a low one.
    bool begins_low() const;
    bool has_groups() const { return spec.groups.exist(); }
    /// Whether AMX multiplies group by group: sums of a group, times its scales, are added to
    /// totals.
    bool has_amx_groups() const { return is_by_amx && groups.extent != 0 && has_groups(); }
    /// Whether the kernel by AMX is given products of a zero point that all rows of A have.
    bool has_common_a_zero() const { return is_by_amx && has_one_a_zero(); }
    /// Whether all rows of A have one zero point.
    bool has_one_a_zero() const { return has_a_zero && groups.a_zero.layout.row == 0; }
    /// AMX shifts no integers.
    bool needs_sums_of_a() const {
        return is_by_amx ? spec.groups.b_zero.exists() : spec.needs_sums_of_a() && !has_dots();
    }
    /// Whether kernels are given sums of rows of A, or scales or zero points of their groups.
    bool has_row_values() const {
        return needs_sums_of_a() || spec.groups.has_a_scale
               || (spec.subtracts && !has_common_a_zero());
    }
    /// Whether sums of rows of bytes are all that kernels are given, beside one zero point.
    bool has_sums_of_rows_alone() const {
        if (is_by_amx)
            return needs_sums_of_a() && !has_amx_groups() && (!has_a_zero || has_common_a_zero());
        return spec.step == matrix::step_t::u8s8 && needs_sums_of_a() && !has_groups()
               && (!has_a_zero || spec.takes_products);
    }
    /// Groups along K. By AMX, blocks are none: rows of A have one sum and one zero point each.
    dim_t group_count() const {
        if (is_by_amx && !has_amx_groups()) return 1;
        return groups.extent == 0 ? blocking.blocks : k / groups.extent;
    }
    /// Elements along K of a group; the last one may have fewer.
    dim_t group_elements() const {
        return group_count() == 1   ? steps() * depth()
               : groups.extent == 0 ? blocking.block_steps * depth()
                                    : groups.extent;
    }
    std::string text() const;
};

/// Works out the plan; weights of format `any` get their layout, and the scratchpad its size.
refusal_t plan_tiles(matmul_pd_t &pd, isa_t isa, tiles_plan_t &plan);

// ---- Its parts

/// For a plan that has its operands: matrices at one distance in A and dst that are multiplied by
/// one B are one, if that is the distance of the rows, too.
void merge_batch(tiles_plan_t &plan, const operand_layouts_t &layouts);
/// For a plan that has its operands and its step: how B is read, blocks, chunks, parts and tasks,
/// what else the kernel's spec says, and the buffers, whose bytes become the scratchpad's size.
refusal_t plan_work(matmul_pd_t &pd, isa_t isa, tiles_plan_t &plan);

} // namespace kiln::x64::matmul
