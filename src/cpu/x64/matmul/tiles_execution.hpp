// SPDX-License-Identifier: Apache-2.0
// The execution of products by tiles: tiles_matmul.cpp says which task computes what in which
// order, tiles_calls.cpp and tiles_amx.cpp what the kernels are given, tiles_values.cpp where sums,
// scales and zero points of rows, columns and groups come from.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <optional>

#include "common/primitive/primitive.hpp"
#include "cpu/x64/matmul/tiles_plan.hpp"
#include "cpu/x64/matrix/digit_kernel.hpp"
#include "cpu/x64/matrix/dot_kernel.hpp"

namespace kiln::x64::matmul {

using matrix::range_t;
using matrix::tile_args_t;

/// Sums of rows of A where nothing is to be taken back.
inline constexpr int32_t no_sums[matrix::rows_of_group] = {};

struct calls_t;
struct amx_calls_t;

/// The calls that sum rows and columns of one matrix of a batch, whose arguments differ in
/// addresses from those for the next one.
struct calls_of_sums_t {
    matrix::dot_args_t of_rows; // of bytes
    tile_args_t of_columns;
};

/// Where a task works: the addresses of the operands of one matrix, and its buffers.
struct task_place_t {
    addresses_t operands = {};
    std::byte *a = nullptr, *a_rest = nullptr, *b = nullptr, *lanes = nullptr, *partial = nullptr,
              *totals = nullptr, *shift = nullptr, *sums = nullptr, *scales = nullptr,
              *zeros = nullptr;
    bool is_non_temporal = false; // stores of results
    calls_t *calls = nullptr;     // where calls of kernels are kept, if they are
    amx_calls_t *amx_calls = nullptr;
    calls_of_sums_t *calls_of_sums = nullptr;
    mutable dim_t amx_rows = 0; // for which the thread's tile registers are configured; 0: none
};

/// The calls of kernels for one matrix of a batch, whose arguments differ in addresses from those
/// for the next one.
struct calls_t {
    struct call_t {
        const jit::executable_code_t *code;
        tile_args_t args;
    };
    void add(const jit::executable_code_t &code, const tile_args_t &args) {
        assert(count < list.size());
        list[count++] = {&code, args};
    }

    static constexpr size_t most = 2; // tall strips and others
    std::array<call_t, most> list;
    size_t count = 0;
};

/// The same of calls by AMX, and what of their arguments the kernel changes.
struct amx_calls_t {
    struct call_t {
        matrix::amx_args_t args;
        const void *a, *ahead, *b, *fetched_dst;
        dim_t steps;
        matrix::amx_results_place_t next;
    };
    void add(const matrix::amx_args_t &args) {
        assert(count < list.size());
        list[count++] = call_t{
                args, args.a, args.ahead, args.b, args.fetched_dst, args.steps, args.results.next};
    }

    std::array<std::optional<call_t>, most_alike_amx_calls> list; // unused ones are not cleared
    size_t count = 0;
};

class tiles_matmul_t : public primitive_impl_t {
public:
    explicit tiles_matmul_t(const tiles_plan_t &plan);

    status_t execute(const exec_ctx_t &ctx) const override;

private:
    /// Sums of one block of K, or of the blocks up to it, or results.
    struct block_t {
        dim_t index;
        bool adds, finishes;
        std::byte *partial; // of row `partial_row` and of the first column of the call
        dim_t partial_row, partial_pitch;
        const std::byte *next_b = nullptr; // the block of B that is read or packed next
        bool has_b = false; // whether the task packed this block of B for a chunk before

        std::byte *partial_at(dim_t row) const {
            return partial + (row - partial_row) * partial_pitch;
        }
    };

    /// Tiles that read one block of B, at `b`: some strips of a chunk, and panels.
    struct tiles_t {
        range_t chunk, strips, panels;
        const std::byte *b = nullptr;
        dim_t a_offset = 0; // bytes, of the steps in rows of A
    };

    task_place_t place_of(std::byte *scratchpad, dim_t task) const;

    void locate(task_place_t &place, const addresses_t &bases, const row_offsets_t &offsets) const;

    void multiply(const task_place_t &place, range_t strips, range_t panels) const;

    /// Matrices of a batch that are alike, the first one at `place`, at one distance in each
    /// operand.
    void multiply_run(task_place_t place, dim_t count) const;
    void multiply_run_by_amx(task_place_t place, dim_t count) const;
    /// The distances from matrix to matrix of the operands.
    row_offsets_t pitches_of_batch() const;
    /// Packs what is packed of the next matrix; moves the addresses of its operands.
    void go_to_next_matrix(task_place_t &place, const row_offsets_t &pitches) const;

    /// Calls `body(chunk, columns, blocks, next)` for the chunks of strips, packed, and the blocks
    /// of panels. `blocks` of K are those of the call. `next` is the first panel of the next call
    /// if that has the same blocks.
    template <typename body_t>
    void for_each_rectangle(
            const task_place_t &place, range_t strips, range_t panels, const body_t &body) const;

    std::byte *c_at(const task_place_t &place, dim_t row, dim_t panel) const;

    /// An operand of the epilogue.
    const void *operand_at(const task_place_t &place, size_t index, dim_t row, dim_t panel) const;

    /// The sums of columns, by which zero points of A are multiplied, or their products; those of
    /// the columns of `panels` may have been computed.
    const int32_t *sums_of_columns(const task_place_t &place, range_t panels, dim_t panel) const;

    void pack_a(const task_place_t &place, range_t strips) const;
    /// Packs rows as integers of digits, and stores the scales and sums of their groups.
    void pack_digits(const task_place_t &place, range_t strips) const;

    /// What is left of rows of A behind whole steps of AMX.
    const std::byte *rest_of_a(const void *rows) const;
    /// Copies that of so many rows, which does not fill a tile register, to the task's a_rest.
    void copy_rest_of_a(const task_place_t &place, const void *rows, dim_t count) const;

    // ---- Groups

    /// Sums, scales and zero points of the rows' groups, where kernels are given any.
    void find_row_values(const task_place_t &place, range_t strips) const;

    /// The sums of rows of bytes, block by block: products by ones.
    void sum_rows(const task_place_t &place, range_t strips) const;
    matrix::dot_spec_t sum_spec() const;

    /// The sums of rows for AMX, and for tiles that take products: less the zero point that all
    /// rows have, for each element, and times the zero point that all columns have, to which
    /// b_shift() is added.
    void multiply_sums_of_rows(const task_place_t &place, range_t strips) const;
    /// The sums of the next matrix of a batch, where the former one's calls are kept.
    void repeat_sums(const task_place_t &place, dim_t a_pitch, dim_t b_pitch) const;
    dim_t elements_of_block(dim_t block) const; // of a row of A

    /// The zero point of a group that all rows, or all columns, have.
    int32_t zero_point(const task_place_t &place, size_t operand, dim_t group = 0) const;

    /// Values of rows for each group.
    template <typename value_t>
    void load_values(const task_place_t &place, size_t operand, const group_values_t &of_groups,
            range_t rows, dim_t pitch, value_t *values) const;

    /// Bytes from the first value of a chunk's rows to those of a strip and group.
    dim_t group_offset(range_t chunk, dim_t strip, dim_t group) const;

    /// The same for what kernels are given: sums that sum_rows() finds, and values for AMX, lie row
    /// by row.
    dim_t values_offset(range_t chunk, dim_t strip, dim_t group) const;
    /// Values from group to group of what find_row_values() finds.
    dim_t values_pitch(range_t chunk) const;

    /// The first group of a block.
    dim_t first_group(const block_t &block) const;

    /// The groups of a block of panels. `args` has the steps of the block.
    void set_groups(const task_place_t &place, range_t panels, const block_t &block,
            tile_args_t &args) const;

    dim_t shift_pitch() const { return blocking_.block_panels * width_ * 4; }

    /// The rows that are packed for strips.
    range_t packed_rows(range_t strips) const;

    const std::byte *a_at(const task_place_t &place, range_t chunk, dim_t row) const;

    /// A block of K of packed weights, or of columns that are packed.
    const std::byte *b_at(const task_place_t &place, dim_t panel, dim_t block) const;

    /// What tiles of a strip fetch of the next block of B.
    void set_fetch(
            const tiles_t &tiles, const block_t &block, dim_t strip, tile_args_t &args) const;

    /// A block of weights in panels, packed for step_t::split.
    void split_weights(
            const task_place_t &place, range_t steps, range_t panels, dim_t packed_panel) const;

    void multiply_block(
            const task_place_t &place, range_t strips, range_t panels, const block_t &block) const;

    /// Sums of B's columns as they are multiplied, up to this block, or group by group.
    void sum_columns(const task_place_t &place, range_t panels, const block_t &block,
            tile_args_t args, const std::byte *b) const;

    /// Those sums times the zero point that all rows of A have.
    void multiply_sums_of_columns(const task_place_t &place, range_t panels) const;

    /// `args` says how B is read and how many steps there are. The kernel changes it.
    void call_tiles(const task_place_t &place, const tiles_t &tiles, const block_t &block,
            tile_args_t &&args) const;

    /// A block of B as AMX multiplies it.
    void convert_for_amx(const task_place_t &place, range_t steps, range_t panels) const;

    /// Sums by AMX, of as many strips at a time as two tile registers have rows, and their results
    /// if this is the last block. Without steps, sums that are there become results.
    void multiply_by_amx(const task_place_t &place, const tiles_t &tiles, const block_t &block,
            range_t steps, dim_t b_panel) const;
    /// Whether sums by AMX of a group become results; those of the groups before become totals.
    bool is_last_group(dim_t group) const { return group + 1 == plan_.group_count(); }

    /// At the end of a task: what multiply_by_amx() has configured.
    void release_amx(const task_place_t &place) const;
    /// Where results of a strip and the panels from `panel` on go, and what the epilogue reads.
    void set_results(matrix::amx_results_place_t &results, const task_place_t &place,
            const tiles_t &tiles, dim_t row, dim_t panel, dim_t group) const;

    /// Sums of rows of A by weights that are converted step by step, then a block without steps
    /// that finishes them.
    void multiply_by_steps(const task_place_t &place, range_t strips, range_t panels) const;
    /// Sums of rows and those of what rounding to bf16 left of them, which follow.
    void add_sums_of_remainders(const task_place_t &place, dim_t rows, dim_t columns) const;

    bool joins_ones() const;
    void generate_dots();
    matrix::dot_spec_t dot_spec(int rows) const;

    /// Scalar products, then a block without steps that finishes them.
    void multiply_by_dots(const task_place_t &place, range_t strips, range_t panels) const;
    void set_groups_of_dots(
            matrix::dot_args_t &args, const task_place_t &place, dim_t column) const;

    /// Scalar products of rows of A and columns of B that are packed as rows.
    void multiply_few_columns(const task_place_t &place, range_t strips) const;

    dim_t end_of_call(range_t chunk, dim_t strip, dim_t end) const;

    const jit::executable_code_t &code_of(dim_t strip, bool copies_b) const;

    // ---- Runs of blocks of K in parallel

    void execute_runs(const addresses_t &bases, std::byte *scratchpad) const;

    /// The sums of the first run become those of all runs, added in order. Runs did not write what
    /// lies in a row behind column n.
    template <typename sum_t> void add_runs(sum_t *sums) const;

    /// A block without steps adds nothing to the sums.
    void finish_runs(
            const addresses_t &bases, std::byte *partial, range_t strips, range_t panels) const;

    const tiles_plan_t &plan_;
    const matrix::blocking_t &blocking_;
    const dim_t width_;
    const dim_t a_pitch_, b_pitch_, c_pitch_; // bytes from row to row; b: unless it is packed
    const dim_t a_step_;                      // bytes from step to step of a row of A
    const dim_t c_size_;                      // bytes of an element
    const dim_t step_bytes_;                  // of a packed panel
    const bool has_row_values_;
    std::optional<jit::executable_code_t> tall_, low_; // low: of strips with a row less
    std::optional<jit::executable_code_t> copying_tall_, copying_low_;          // which pack B
    std::optional<jit::executable_code_t> amx_, non_temporal_amx_, totals_amx_; // instead of those
    std::optional<matrix::a_packer_t> pack_a_, pack_remainders_;
    std::optional<matrix::b_packer_t> pack_b_;
    std::optional<matrix::a_packer_t> pack_columns_;
    std::optional<jit::executable_code_t> copy_rest_; // of A, for AMX
    std::optional<jit::executable_code_t> convert_b_, sum_rows_, make_digits_;
    // Scalar products, at the index of the number of rows; of few columns the first one.
    std::array<std::optional<jit::executable_code_t>, matrix::most_dot_rows + 1> dots_;
    std::optional<jit::executable_code_t> steps_, steps_of_two_tiles_; // of packed integers, by AMX
    std::optional<jit::executable_code_t> shifts_; // a tile of one row, to partial sums
};

} // namespace kiln::x64::matmul
