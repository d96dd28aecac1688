// SPDX-License-Identifier: Apache-2.0
// Results from sums by AMX, a few rows at a time: those of a tile are pending while a kernel
// multiplies the next one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/types.hpp"
#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/lanes_io.hpp"
#include "cpu/x64/jit/post_op_chain.hpp"
#include "cpu/x64/layout/row_plan.hpp"
#include "cpu/x64/matrix/amx_scaling.hpp"

namespace kiln::x64::matrix {

/// What is subtracted from integer sums: values of columns, of rows, or the products of both.
struct amx_offset_t {
    data_type_t of_columns = dnnl_data_type_undef; // their type; undef: there are none
    bool of_rows = false;                          // of s32

    bool has_columns() const { return of_columns != dnnl_data_type_undef; }
    bool exists() const { return has_columns() || of_rows; }
};
/// Of zero points of A, and of those of B.
enum amx_offset_index_t : size_t { a_zero_offset, b_zero_offset, amx_offset_count };

/// Results = convert(epilogue(sums - offsets)).
struct amx_results_spec_t {
    data_type_t dst_type = dnnl_data_type_undef; // undef: sums are the results
    bool are_integers = false;                   // the sums
    std::array<amx_offset_t, amx_offset_count> offsets = {};
    bool is_non_temporal = false;                   // stores of whole vectors, which are aligned
    bool fetches_dst = false;                       // of the next panel, for writing
    std::vector<jit::post_op_link_t> epilogue = {}; // bias, scales and post-ops
    std::vector<dim_t> pitches = {}; // bytes from row to row of each operand of the epilogue

    bool exist() const { return dst_type != dnnl_data_type_undef; }
};

/// Addresses for a row and the first column of a panel or tile.
struct amx_results_place_t {
    void *dst = nullptr;
    struct offset_t {
        const void *columns = nullptr;
        const int32_t *rows = nullptr;
    };
    offset_t offsets[amx_offset_count] = {};
    const void *operands[max_row_operands] = {}; // of the epilogue
};

/// Columns of the tiles that are pending at a time.
constexpr int most_pending_columns = 32;

/// Values of columns, which the kernel writes before it reads them: they are not initialized.
struct amx_column_values_t {
    amx_column_values_t() {}
    float values[most_pending_columns];
};

/// The kernel changes them.
struct amx_results_args_t {
    dim_t finishes = 0;            // whether the steps are the last ones along K
    dim_t ends = 0;                // whether rows that are pending at the end are finished, too
    dim_t rows_of_step = 0;        // how many pending rows are finished in each step
    dim_t dst_pitch = 0;           // bytes from row to row
    amx_results_place_t next = {}; // of the first row and panel
    // The tile with pending rows: addresses of the first of them, their number, and the columns.
    amx_results_place_t pending = {};
    const void *pending_sums = nullptr;
    dim_t pending_rows = 0, pending_columns = 0;
    // Of these columns, if the results have an amx_scaling_t.
    amx_column_values_t factors = {}, addends = {};
    dim_t are_bounded = 0; // whether these say that all results are less than 2^31

    /// What was pending at the end of the call before. `has_scaling`: whether results have factors.
    void take_pending(const amx_results_args_t &before, bool has_scaling) {
        pending = before.pending;
        pending_sums = before.pending_sums;
        pending_rows = before.pending_rows;
        pending_columns = before.pending_columns;
        if (!has_scaling) return;
        factors = before.factors;
        addends = before.addends;
        are_bounded = before.are_bounded;
    }
};

/// Writes the code of a kernel whose arguments have an amx_results_args_t. General registers keep
/// what changes from row to row. Rows are finished by a routine, which uses vector registers.
class amx_results_t {
public:
    /// Loads what is pending. `args`: the address of the amx_results_args_t; `sums_pitch`: where
    /// the pitch of sums is; `tail`: columns of the last panel.
    amx_results_t(jit::generator_t &g, const amx_results_spec_t &spec, const Xbyak::RegExp &args,
            const Xbyak::Address &sums_pitch, int tail);

    /// Emits, at the end of a kernel that calls it, what finishes rows.
    void write_routine();

    /// Emits what finishes rows_of_step pending rows, or all that are left.
    void finish_some();
    void finish_all();

    /// The rows of a tile become pending. `sums`: where the address of the panel's sums is, `rows`:
    /// where their number is; `column`: the tile's first one in the panel.
    void set_pending(
            const Xbyak::Address &sums, const Xbyak::Address &rows, int column, int columns);

    /// `next` moves to the panel behind this one.
    void advance(int columns);

    /// Emits the end of a call: what is pending stays in the arguments.
    void store();

private:
    Xbyak::Address field(size_t offset) const { return g_.qword[args_ + offset]; }
    Xbyak::Address factors_at(int column) const {
        return g_.ptr[args_ + offsetof(amx_results_args_t, factors) + column * 4];
    }
    Xbyak::Address addends_at(int column) const {
        return g_.ptr[args_ + offsetof(amx_results_args_t, addends) + column * 4];
    }
    /// Whether the epilogue adds integers and does nothing else.
    bool adds_integers() const;
    /// Loads operands of the epilogue that are one number for all results.
    void hold_numbers();
    void finish(const Xbyak::Operand &count);
    void move_place(size_t from, size_t to, int columns);
    void write_rows(int columns, bool are_bounded);
    void write_row(int columns, bool are_bounded);
    void hold_columns(int columns);
    /// Whether the magnitudes of factors and addends may say that results are less than 2^31, so
    /// that they are stored faster.
    bool may_have_bounded_results() const;
    /// Computes factors and addends of pending columns.
    void store_scaling(int columns);
    /// x = x * factors + addends.
    void scale(const Xbyak::Xmm &x, int column);
    bool has_free_register() const;
    jit::vec_t load_offset(size_t index, int column, int count);
    void subtract(const Xbyak::Xmm &sums, size_t index, int column, int count);
    void apply_epilogue(const Xbyak::Xmm &x, int column, int count);
    bool multiplies_by_reciprocal() const;
    void multiply_by_reciprocal(const Xbyak::Xmm &x, int column);
    void add_integers(const Xbyak::Xmm &sums, int column, int count);
    Xbyak::RegExp operand_at(size_t index, int column);

    jit::generator_t &g_;
    const amx_results_spec_t spec_;
    const Xbyak::RegExp args_;
    const Xbyak::Address sums_pitch_;
    const std::vector<jit::post_op_operand_t> operands_;
    const amx_scaling_t scaling_;
    jit::lanes_io_t io_;
    const jit::post_op_chain_t epilogue_;
    const jit::gpr_t sums_, dst_, rows_, count_, base_;
    /// What all rows of a vector of columns share, as far as registers are free.
    struct held_columns_t {
        jit::held_post_op_operands_t operands;
        std::optional<jit::vec_t> factors, addends;
        std::array<std::optional<jit::vec_t>, amx_offset_count> offsets;
    };

    jit::held_post_op_operands_t held_;        // numbers, while the kernel runs
    std::vector<held_columns_t> held_columns_; // while the routine runs
    std::vector<int> widths_;                  // columns of tiles that become pending
    Xbyak::Label routine_;
};

} // namespace kiln::x64::matrix
