// SPDX-License-Identifier: Apache-2.0
// What kernels on columns have in common: tiles of columns side by side, steps along the reduced
// axis, sums over them. It must not know what is summed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/types.hpp"
#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/lanes_io.hpp"

namespace kiln::x64::normalization {

/// How many vectors wide a tile is on lines of `line` columns: 4 if registers allow (and 256 bytes
/// of a step are worth a visit), one more where that leaves no narrow tile at the end of the line.
/// `needs_many`: what the kernel does to a vector takes many registers besides.
int column_tile_vectors(isa_t isa, bool needs_many, dim_t line);

/// Columns of a full tile.
dim_t column_tile_width(isa_t isa, bool needs_many, dim_t line);

/// Some vectors of columns; the last one may be partial.
struct column_tile_t {
    int vectors;
    int last_lanes;
};

/// A column is what is reduced to one value; its elements lie one step apart, and columns are
/// neighbours in memory. They are walked in tiles of a few vectors: full ones, then what is left at
/// the end of a line of columns.
class column_kernel_t : public jit::generator_t {
protected:
    using vecs_t = std::vector<jit::vec_t>;

    /// `line`: adjacent columns, after which there is a jump in memory. A call works on a part of a
    /// line that begins at a multiple of the tile's width and ends there or with the line.
    column_kernel_t(isa_t isa, const std::string &name, dim_t steps, dim_t line, int tile_vectors);

    void prepare();
    void release();

    vecs_t vecs(const char *name, const column_tile_t &tile);
    /// Lanes used of vector i of a tile.
    int lanes_of(const column_tile_t &tile, int i) const {
        return i + 1 == tile.vectors ? tile.last_lanes : lanes();
    }

    /// Runs `body` on all tiles of `left` columns; it must move its addresses to the next tile.
    void for_each_tile(
            const jit::gpr_t &left, const std::function<void(const column_tile_t &)> &body);
    /// Runs `body`, which must move its addresses by a step, along the reduced axis.
    void for_each_step(const std::function<void()> &body);
    /// The same, where the body adds to `sums`, which begin with 0. Few terms are added to a
    /// register before it is added to a total, so that long sums keep their precision.
    void sum_over_steps(const std::vector<const vecs_t *> &sums, const std::function<void()> &body);

    /// One vector of `to` for each of the tile, or none at all.
    void load_lanes(const vecs_t &to, const Xbyak::Reg64 &from, const column_tile_t &tile);
    void store_lanes(const vecs_t &from, const Xbyak::Reg64 &to, const column_tile_t &tile);
    /// variance = 1 / sqrt(variance + epsilon), with all digits, and 0 in the lanes that are not
    /// used.
    void write_reciprocals(const vecs_t &variance, float epsilon, const column_tile_t &tile);
    void divide_by_steps(const Xbyak::Xmm &vec);
    /// Fetches what lies beside a step of this tile: the same step of the next one.
    void prefetch_next_tile(const Xbyak::Reg64 &at, data_type_t type, const column_tile_t &tile);

    int size_of(data_type_t type) const;
    /// Where vector i lies from the start of a tile's step.
    Xbyak::RegExp at(const Xbyak::Reg64 &base, data_type_t type, int i) const {
        return base + i * lanes() * size_of(type);
    }
    /// address += bytes; a register or a quad word in memory.
    void advance(const Xbyak::Operand &address, dim_t bytes);
    /// To the next tile.
    void next_tile(const Xbyak::Reg64 &at, data_type_t type, const column_tile_t &tile);

    jit::lanes_io_t io_;

private:
    int stack_bytes() const;

    const dim_t steps_;
    const dim_t sum_block_;
    const dim_t line_;
    const int tile_vectors_;
};

} // namespace kiln::x64::normalization
