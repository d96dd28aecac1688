// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization backward on columns.
#pragma once

#include <string>

#include "cpu/x64/columns/column_kernel.hpp"

namespace kiln::x64::layer_normalization {

/// What distinguishes one kernel from another.
struct column_backward_spec_t : column_spec_t {
    enum operand : size_t {
        src,
        diff_dst,
        diff_src, // a call may pass null: diff_src is not wanted
        stepped_count,
        mean = stepped_count, // f32, adjacent as the columns are
        variance,             // likewise
        held_count,
        scale = held_count,
        operand_count,
    };

    bool is_rms = false;
    bool has_constant_statistics = false; // no gradient flows through mean and variance
    bool has_weight_gradients = false;
    float epsilon = 0;

    /// E.g. layer_norm_bwd_column_bf16_bf16_avx512_core.
    std::string name() const;
};

/// With xhat = (x - mean) * r, r = 1 / sqrt(variance + epsilon) and g = scale * dy, for each tile of
/// columns of C elements:
///     walk 1:   s1 = sum(g), s2 = sum(g * xhat), diff_scale += dy * xhat, diff_shift += dy
///     walk 2:   diff_src = r * (g - s1 / C - xhat * s2 / C)
///                        = r * g - (r * s2 / C) * xhat - (r * s1 / C);   prefetches the next tile
/// RMS normalization has mean = 0 and s1 = 0; with constant statistics, s1 = s2 = 0.
///
/// column_args_t::weight_sums has for each step a vector of diff_scale and one of diff_shift, to
/// which the kernel adds; the caller adds up their lanes. The vectors of a tile are added up first.
///
/// Registers: for each vector of the tile mean, r and the sums s1 and s2, which become the factors
/// of walk 2. In walk 1 also xhat, dy, scale and a vector each of diff_scale and diff_shift. In
/// walk 2 also xhat, diff_src and scale.
class column_backward_kernel_t : public column_kernel_t {
public:
    explicit column_backward_kernel_t(const column_backward_spec_t &spec);

private:
    using enum column_backward_spec_t::operand;
    struct tile_vecs_t;

    void generate() override;
    void write_tile(const tile_t &tile);
    void write_sums(const tile_vecs_t &v);
    void add_to_weight_sums(const Xbyak::Reg64 &at, const Xbyak::Xmm &scale_sum,
            const Xbyak::Xmm &shift_sum);
    /// Turns s1 / C and s2 / C into what the second walk adds.
    void write_coefficients(const tile_vecs_t &v);
    void write_diff_src(const tile_vecs_t &v, jit::store_t how);
    void load_xhat(const Xbyak::Xmm &x, const tile_vecs_t &v, int i);

    bool has_sums() const { return !spec_.has_constant_statistics; }

    const column_backward_spec_t spec_;
};

} // namespace kiln::x64::layer_normalization
