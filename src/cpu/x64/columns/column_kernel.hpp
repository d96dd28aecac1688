// SPDX-License-Identifier: Apache-2.0
// What kernels on columns have in common: tiles of columns side by side, steps along the reduced
// axis, sums over them. It must not know what is summed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cpu/x64/rows/tiled_kernel.hpp"

namespace kiln::x64 {

/// A column is what is reduced to one value; its elements lie one step apart, and columns are
/// neighbours in memory. They are walked in tiles of a few vectors: full ones, then what is left at
/// the end of a line of columns.
class column_kernel_t : public tiled_kernel_t {
protected:
    column_kernel_t(isa_t isa, const std::string &name, dim_t steps, dim_t line, int tile_vectors);

    void prepare();
    void release();

    /// Runs `body`, which must move its addresses by a step, along the reduced axis.
    void for_each_step(const std::function<void()> &body);
    /// The same, where the body adds to `sums`, which begin with 0. Few terms are added to a
    /// register before it is added to a total, so that long sums keep their precision.
    void sum_over_steps(const std::vector<const vecs_t *> &sums, const std::function<void()> &body);

    /// variance = 1 / sqrt(variance + epsilon), with all digits, and 0 in the lanes that are not
    /// used.
    void write_reciprocals(const vecs_t &variance, float epsilon, const tile_t &tile);
    void divide_by_steps(const Xbyak::Xmm &vec);
    /// Fetches what lies beside a step of this tile: the same step of the next one.
    void prefetch_next_tile(const Xbyak::Reg64 &at, data_type_t type, const tile_t &tile);

    /// Where vector i lies from the start of a tile's step.
    Xbyak::RegExp at(const Xbyak::Reg64 &base, data_type_t type, int i) const {
        return base + i * lanes() * size_of(type);
    }
    /// address += bytes; a register or a quad word in memory.
    void advance(const Xbyak::Operand &address, dim_t bytes);
    /// To the next tile.
    void next_tile(const Xbyak::Reg64 &at, data_type_t type, const tile_t &tile);

private:
    int stack_bytes() const;

    const dim_t steps_;
    const dim_t sum_block_;
};

} // namespace kiln::x64
