// SPDX-License-Identifier: Apache-2.0
// What kernels have in common that walk a line of elements tile by tile.
#pragma once

#include <optional>
#include <string>

#include "common/function_ref.hpp"
#include "common/types.hpp"
#include "cpu/x64/jit/bf16_pairs.hpp"
#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/lanes_io.hpp"

namespace kiln::x64 {

/// Adjacent vectors, of which the last one may be partial.
struct tile_t {
    int vectors;
    int last_lanes;
};

/// How elements are in registers: a vector of elements is one register, or in two (bf16_pairs_t).
enum class vectors_t { single, paired };

/// How many vectors wide a tile is on lines of `line` elements: 4 if registers allow (and 256 bytes
/// of a step are worth a visit), one more where that leaves no narrow tile at the end of the line.
/// `needs_many`: what the kernel does to a vector takes many registers besides.
int tile_vectors(isa_t isa, bool needs_many, dim_t line);

/// Elements of a full tile.
dim_t tile_width(isa_t isa, bool needs_many, dim_t line);

class tiled_kernel_t : public jit::generator_t {
protected:
    using store_t = jit::store_t;

    /// `line`: adjacent elements, after which there is a jump in memory. A call works on a part of
    /// a line that begins at a multiple of the tile's width and ends there or with the line.
    tiled_kernel_t(isa_t isa, const std::string &name, dim_t line, int tile_vectors,
            vectors_t vectors = vectors_t::single);

    void prepare_tail();
    void release_tail();

    /// Elements of a vector.
    int elements() const { return are_paired() ? 2 * lanes() : lanes(); }
    bool are_paired() const { return vectors_ == vectors_t::paired; }
    /// Loads and stores of paired vectors, from prepare_tail() to release_tail().
    const jit::bf16_pairs_t &pairs() const { return *pairs_; }

    bool is_one_tile() const { return line_ <= tile_vectors_ * elements(); }
    /// A line of a few vectors as one tile.
    tile_t whole_line() const { return tile_of(static_cast<int>(line_)); }
    vecs_t vecs(const char *name, const tile_t &tile);
    /// Elements used of vector i of a tile.
    int lanes_of(const tile_t &tile, int i) const {
        return i + 1 == tile.vectors ? tile.last_lanes : elements();
    }

    /// How a vector is stored: only whole vectors may be non-temporal, or in halves.
    store_t store_of(int count, bool is_non_temporal) const {
        if (count != elements()) return store_t::ordinary;
        return is_non_temporal ? store_t::non_temporal : ordinary_;
    }
    /// From here on, whole vectors with ordinary stores are stored in halves.
    void split_stores() { ordinary_ = store_t::halves; }
    /// Runs `body` on all tiles of `left` elements; it must move its addresses to the next tile.
    void for_each_tile(const gpr_t &left, const function_ref_t<void(const tile_t &)> &body);

    /// One vector of floats for each of the tile, or none at all.
    void load_lanes(const vecs_t &to, const RegExp &from, const tile_t &tile);

    dim_t line() const { return line_; }
    int tile_vectors() const { return tile_vectors_; }

    jit::lanes_io_t io_;

private:
    tile_t tile_of(int columns) const;

    const dim_t line_;
    const int tile_vectors_;
    const vectors_t vectors_;
    store_t ordinary_ = store_t::ordinary;
    std::optional<jit::bf16_pairs_t> pairs_;
};

} // namespace kiln::x64
