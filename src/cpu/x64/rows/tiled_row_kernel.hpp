// SPDX-License-Identifier: Apache-2.0
// What kernels have in common that walk the rows of any number of operands tile by tile, where the
// pitches of the operands are arguments.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cpu/x64/jit/post_op_chain.hpp"
#include "cpu/x64/operands.hpp"
#include "cpu/x64/rows/tiled_kernel.hpp"

namespace kiln::x64 {

/// Arguments of a call. The kernel moves the addresses along.
struct tiled_row_args_t {
    int64_t rows;
    int64_t length;                    // elements of each row, as tiled_kernel_t wants them
    void *operands[max_row_operands];  // of the first row
    int64_t pitches[max_row_operands]; // bytes from a row to the next
};

/// The arguments for the first `length` elements of a run of rows.
tiled_row_args_t tiled_row_args(const operands_t &operands, const row_plan_t &plan,
        const addresses_t &bases, const row_run_t &run, dim_t length);

/// Registers: the current column, the elements left in the row, the rows left, and the addresses of
/// some operands. The addresses of the others stay in the arguments; each use loads one to a common
/// register.
class tiled_row_kernel_t : public tiled_kernel_t {
protected:
    /// `operands`, by index: the type, undef if the operand is absent, and whether it has adjacent
    /// elements along the row (per_lane) or one for the row. Those of post-ops follow. The
    /// addresses of the first `held` that are present stay in registers.
    tiled_row_kernel_t(isa_t isa, const std::string &name, dim_t line, int tile_vectors,
            std::vector<jit::post_op_operand_t> operands,
            const std::vector<jit::post_op_link_t> &post_ops, size_t held);

    /// Writes what happens to a row.
    virtual void write_row() = 0;
    /// Writes `body` for the tiles of a row; to be called once.
    void for_each_tile_of_row(const std::function<void(const tile_t &)> &body);

    /// Loads `count` elements for vector `vector` of the current tile, or the row's one element
    /// into all lanes.
    void load(const Xbyak::Xmm &to, size_t operand, int vector, int count);
    /// Applies the post-ops to x, which is vector `vector` of the current tile.
    void apply_post_ops(const Xbyak::Xmm &x, int vector, int count);
    /// The address of what load() loads. It holds until it is asked for another operand.
    Xbyak::RegExp at(size_t operand, int vector);

private:
    struct registers_t;

    void generate() override;
    bool is_absent(size_t operand) const { return operands_[operand].type == dnnl_data_type_undef; }
    Xbyak::Address operand_argument(size_t operand);
    void next_row();

    const size_t first_post_op_;
    std::vector<jit::post_op_operand_t> operands_;
    const jit::post_op_chain_t post_ops_;
    const size_t held_;
    registers_t *registers_ = nullptr; // while the kernel is written
};

} // namespace kiln::x64
