// SPDX-License-Identifier: Apache-2.0
// What kernels on rows share that know the pitches of their operands when they are generated: their
// spec, their arguments, and the registers that hold the addresses of operands.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cpu/x64/rows/kernel_spec.hpp"
#include "cpu/x64/rows/row_walk.hpp"

namespace kiln::x64 {

/// What specs of kernels on rows share.
struct row_spec_t : kernel_spec_t {
    dim_t cols; // elements of a row
    dim_t rows; // of the longest call
    bool is_streamed = false; // the operands are in memory, not in a cache
};

/// Arguments of a call. The kernel advances the addresses of post-ops' operands.
struct row_args_t {
    void *operands[max_row_operands]; // of the first row
    int64_t rows;
    std::byte *scratch; // for what a kernel keeps between sweeps; aligned to a cache line
};

/// Where the address of an operand is in the arguments.
inline Xbyak::RegExp operand_argument(const Xbyak::RegExp &arguments, size_t operand) {
    return arguments + (offsetof(row_args_t, operands) + operand * sizeof(void *));
}

/// The addresses of operands at the current row block, each in a general register; those of absent
/// operands take none.
class row_operands_t {
public:
    /// Takes the registers and loads them from the arguments. The first `paired` operands get two
    /// registers each, one for the even and one for the odd rows of a block, so that code for
    /// blocks of two rows does not depend on the pitch.
    row_operands_t(jit::generator_t &g, const row_walk_t &walk, const Xbyak::RegExp &arguments,
            std::span<const row_operand_t> operands, size_t paired = 0);

    bool has(size_t operand) const { return !bases_[operand].empty(); }
    /// The operand's rows from row `first` of the block on.
    pitched_rows_t rows(size_t operand, int first = 0) const;
    /// The address of vector `copy` of a row of the block.
    Xbyak::RegExp at(size_t operand, int row, int copy) const;
    /// Advances all addresses by `rows` rows.
    void advance(int rows) const;

private:
    const row_walk_t &walk_;
    const std::vector<row_operand_t> operands_;
    std::vector<std::vector<jit::gpr_t>> bases_; // by operand: none, one or two
};

} // namespace kiln::x64
