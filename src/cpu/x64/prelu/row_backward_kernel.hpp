// SPDX-License-Identifier: Apache-2.0
// The kernel of both gradients of PReLU.
#pragma once

#include <string>

#include "cpu/x64/rows/tiled_row_kernel.hpp"

namespace kiln::x64 {

enum prelu_backward_operand_t : size_t {
    prelu_diff_src,
    prelu_src,
    prelu_diff_dst,
    prelu_weights,
    prelu_diff_weights,
    prelu_backward_operands
};

/// What becomes of the terms of diff_weights along a row.
enum class prelu_terms_t {
    stored,   // each is an element of diff_weights
    added,    // to floats, one for each element of the row
    summed_up // and their sum is added to a float
};

/// What distinguishes one kernel from another.
struct prelu_backward_spec_t {
    isa_t isa;
    dim_t line = 1; // elements of a row
    data_type_t type = dnnl_data_type_undef, weights_type = dnnl_data_type_undef;
    bool weight_per_lane = true; // or one for the row
    prelu_terms_t terms = prelu_terms_t::stored;
    // All rows of a call have the same weights: the sums of their terms stay in registers over the
    // rows. It requires `added` terms and a row of one tile.
    bool keeps_sums = false;
    // Rows of floats begin anywhere within cache lines, if the first one of the tensor begins a
    // line. Vectors after the elements in front of a row's first line are aligned then. The order
    // of additions follows these places, whatever the address of the tensor. It requires AVX-512,
    // rows of more than a tile, and terms that are `summed_up`.
    bool is_shifted = false;
    bool are_adjacent = false;      // the rows of src, diff_dst and diff_src
    bool is_non_temporal = false;   // diff_src, where rows are aligned
    bool fetches_next_page = false; // whether src and diff_dst are prefetched a page ahead

    /// A call on a part of a row begins at a multiple of so many elements.
    dim_t tile_width() const;
    /// Pairs where sums stay in registers, of rows of whole pairs, or of half a one that are
    /// adjacent: two such rows are a pair.
    vectors_t vectors() const;
    /// E.g. prelu_bwd_row_bf16_f32_avx512_core.
    std::string name() const;
};

/// Arguments of a call.
struct prelu_backward_args_t {
    tiled_row_args_t of_rows;
    const void *first_row; // of diff_src, for rows that are shifted
};

/// diff_src = src > 0 ? diff_dst : weight * diff_dst, and the terms src > 0 ? 0 : src * diff_dst,
/// in one pass. Registers: a weight, 4 sums, src, diff_dst, a condition, a product; what a store
/// needs. With pairs: 4 weights, 4 sums, a pair of src and of diff_dst, a condition, a product.
class prelu_backward_kernel_t : public tiled_row_kernel_t {
public:
    explicit prelu_backward_kernel_t(const prelu_backward_spec_t &spec);

private:
    void write_rows() override;
    void write_row() override;
    /// Writes a tile of a row, whose weights are one for the row, or per lane: null.
    void write_tile(const tile_t &tile, const Xmm *weight);
    /// Writes the tiles of a row that is shifted.
    void write_shifted_tiles(const Xmm &weight);
    /// Writes the next `count` elements of a row, fewer than a vector.
    void write_part(const Xmm &weight, const Reg64 &count);
    /// Adds the sums of a row, which become one, to the float.
    void add_to_sum();
    /// Writes diff_src of a vector. Its terms are added to its sum if sums are in registers; else
    /// `term` becomes the terms.
    void write_vector(const Xmm &term, const Xmm *weight, int vector, int count);
    /// The arithmetic of that: term = src becomes the terms, gradient = diff_dst becomes diff_src.
    void find_gradients(
            const Xmm &term, const Xmm &gradient, const Xmm *weight, int vector, int count);
    /// All rows of a call, by pairs.
    void write_rows_by_pairs();
    void load_pairs_of_weights();
    /// Writes diff_src of pair `index` and adds its terms to the sums.
    void write_pair(int index, int count);
    void add_pairs_to_sums();
    /// to = lanes of a and b, alternating, from lane `first` on.
    void alternate(const Xmm &to, const Xmm &a, const Xmm &b, int first);

    const prelu_backward_spec_t spec_;
    vecs_t sums_;                     // while rows are written: those of a tile, or of a row
    vecs_t pair_weights_, pair_sums_; // even and odd ones of each pair
};

} // namespace kiln::x64
