// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization backward on columns: a tile gives diff_src and its share of
// diff_scale and diff_shift.
#pragma once

#include <string>

#include "cpu/x64/columns/column_kernel.hpp"

namespace kiln::x64::layer_normalization {

/// What distinguishes one kernel from another.
struct column_backward_spec_t {
    isa_t isa;
    dim_t steps; // elements of a column
    dim_t line;  // columns that are adjacent in every operand
    data_type_t src_type;
    data_type_t diff_dst_type;
    data_type_t diff_src_type;
    data_type_t scale_type; // undef: no scale
    bool is_rms;
    bool has_constant_statistics; // given from outside: no reduction terms
    bool has_weight_gradients;
    float epsilon;

    /// E.g. layer_norm_bwd_column_bf16_bf16_avx512_core.
    std::string name() const;
    /// What every step of diff_src is aligned to where stores pass the caches.
    size_t non_temporal_alignment() const;
};

/// Steps and spans are in bytes, as in column_forward_args_t.
struct column_backward_args_t {
    const void *src;
    const void *diff_dst;
    void *diff_src; // null: not wanted
    const void *mean;
    const void *variance;
    const void *scale;
    float *weight_sums; // for each step a vector of diff_scale and one of diff_shift, to be added
                        // to
    int64_t columns;    // as column_kernel_t wants them
    int64_t src_step;
    int64_t src_span;
    int64_t diff_dst_step;
    int64_t diff_dst_span;
    int64_t diff_src_step;
    int64_t diff_src_span;
    int64_t non_temporal;
};

/// With xhat = (x - mean) * r and g = scale * dy, for each tile of columns
///     first walk:   s1 = sum(g), s2 = sum(g * xhat), diff_scale += dy * xhat, diff_shift += dy
///     second walk:  diff_src = r * (g - s1 / C - xhat * s2 / C)
///                            = r * g - (r * s2 / C) * xhat - (r * s1 / C),
///                   fetching the next tile
/// RMS normalization has neither mean nor s1. The vectors of a tile are added up before they are
/// added to the sums of diff_scale and diff_shift in memory, whose lanes the caller adds up.
class column_backward_kernel_t : public column_kernel_t {
public:
    explicit column_backward_kernel_t(const column_backward_spec_t &spec);

private:
    struct registers_t;
    struct tile_vecs_t;

    void generate() override;
    void write_tile(registers_t &r, const tile_t &tile);
    void write_sums(registers_t &r, const tile_vecs_t &v);
    void add_to_weight_sums(
            registers_t &r, const Xbyak::Xmm &scale_sum, const Xbyak::Xmm &shift_sum);
    /// Turns s1 / C and s2 / C into what the second walk adds.
    void write_coefficients(const tile_vecs_t &v);
    void write_diff_src(registers_t &r, const tile_vecs_t &v, jit::store_t how);
    void load_xhat(const Xbyak::Xmm &x, registers_t &r, const tile_vecs_t &v, int i);
    void load_diff_dst(const Xbyak::Xmm &dy, registers_t &r, const tile_vecs_t &v, int i);
    void next_step(registers_t &r);
    void rewind(registers_t &r);

    bool has_sums() const { return !spec_.has_constant_statistics; }

    const column_backward_spec_t spec_;
};

} // namespace kiln::x64::layer_normalization
