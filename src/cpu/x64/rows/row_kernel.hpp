// SPDX-License-Identifier: Apache-2.0
// The base of kernels on rows that know the pitches of their operands when they are generated.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cpu/x64/jit/row_walk.hpp"
#include "cpu/x64/rows/kernel_spec.hpp"

namespace kiln::x64 {

/// Arguments of a call. The kernel advances the addresses of post-ops' operands.
struct row_args_t {
    void *operands[max_row_operands]; // of the first row
    int64_t rows;
    std::byte *scratch; // for what a kernel keeps between sweeps; aligned to a cache line
};

/// Calls a kernel for each run of rows [begin, end). The operands' buffers begin at `bases`.
void call_for_each_run(const jit::executable_code_t &code, const operands_t &operands,
        const row_plan_t &rows, const addresses_t &bases, dim_t begin, dim_t end,
        std::byte *scratch = nullptr);

/// Which operands of a kernel have their addresses in registers for the whole call. The addresses
/// of the others stay in the arguments; each use loads one to a register.
struct held_operands_t {
    size_t count;         // the first ones
    size_t paired;        // the first ones of these, if row blocks have several rows: two registers
                          // each, for even and odd rows, so that code for blocks of two rows does
                          // not depend on the pitch
    size_t first_post_op; // operands of post-ops, up to the last one
};

/// Processes row blocks, then what is left row by row, unless nothing ever is.
///
/// Registers for the whole call: the addresses of held operands that are present, rows left, the
/// current column.
class row_kernel_t : public jit::generator_t {
protected:
    using store_t = jit::store_t;

    row_kernel_t(const kernel_spec_t &spec, const std::string &name, int block_rows,
            const held_operands_t &held);

    /// Writes the loops over row blocks and over single rows. A kernel that holds more registers
    /// takes them before and gives them back afterwards.
    virtual void write_rows();
    /// Writes the loop over blocks of `rows` rows, which ends where fewer are left.
    virtual void write_blocks(int rows) = 0;

    int block_rows() const { return block_rows_; }
    const jit::row_walk_t &walk() const { return *walk_; }
    const gpr_t &rows_left() const { return *rows_left_; }
    /// Advances all addresses by `rows` rows.
    void next_rows(int rows);

    /// Where an operand's address is in the arguments.
    Xbyak::Address operand_argument(size_t operand);
    /// From here on row 0 of the block is the one `row` rows behind the addresses.
    void set_first_row(int row) { first_row_ = row; }
    /// A held operand's rows from row 0 of the block on.
    jit::pitched_rows_t rows_of(size_t operand) const;
    std::optional<jit::pitched_rows_t> rows_if_present(size_t operand) const;
    /// The address of vector `copy` of a row of the block.
    RegExp at(size_t operand, int row, int copy) const;
    void load(const Xmm &to, size_t operand, int row, int copy, int count);
    void store(const Xmm &from, size_t operand, int row, int copy, int count,
            bool is_non_temporal = false);
    /// A vector register for an operand of one row, if it is present.
    std::optional<vec_t> vec_of(size_t operand, const char *name);
    /// Loads vector `copy` of such an operand.
    void load_if(const std::optional<vec_t> &to, size_t operand, int copy, int count);

    /// Applies the post-ops to y, which is vector `copy` of a row of the block. Takes a general
    /// register.
    void apply_post_ops(const Xmm &y, int row, int copy, int count);
    /// Prefetches what apply_post_ops() reads there, of the operands that differ from row to row.
    void prefetch_post_ops(int row, int copy);

    jit::lanes_io_t io_;

private:
    void generate() override;
    /// Loads the address of an operand of a post-op; returns that of vector `copy` of a row.
    RegExp post_op_at(const gpr_t &base, size_t index, int row, int copy);

    const kernel_spec_t spec_;
    const int block_rows_;
    const held_operands_t held_;
    const jit::post_op_chain_t post_ops_;
    const std::vector<jit::post_op_operand_t> post_op_operands_;
    // While the kernel is written.
    std::optional<jit::row_walk_t> walk_;
    std::vector<jit::list_t<gpr_t>> bases_; // by held operand: none, one or two
    std::optional<gpr_t> rows_left_;
    int first_row_ = 0;
};

} // namespace kiln::x64
