// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization on columns.
#pragma once

#include "cpu/x64/columns/column_kernel.hpp"
#include "cpu/x64/layer_normalization/specs.hpp"

namespace kiln::x64::layer_normalization {

/// For each tile of columns x of C elements:
///     find_statistics(), unless they are given
///     a walk:   y = xhat * scale + shift,   dst = post-ops(y);   xhat as load_normalized() has it;
///               prefetches the next tile
/// RMS normalization has mean = 0.
///
/// Registers: for each vector of the tile tile_statistics_t. In the walk also y, scale, shift, the
/// scales of quantization, and what post-ops take.
class column_forward_kernel_t : public column_kernel_t {
public:
    explicit column_forward_kernel_t(const forward_spec_t &spec);

private:
    using enum forward_spec_t::operand;

    void write_tile(const tile_t &tile) override;
    void write_result(const tile_statistics_t &v, store_t how);

    const forward_spec_t spec_;
};

/// With xhat as load_normalized() has it, r = 1 / sqrt(variance + epsilon) and g = scale * dy, for
/// each tile of columns of C elements:
///     walk 1:   s1 = sum(g), s2 = sum(g * xhat), diff_scale += dy * xhat, diff_shift += dy
///     walk 2:   diff_src = r * (g - s1 / C - xhat * s2 / C)
///                        = r * g - (r * s2 / C) * xhat - (r * s1 / C);   prefetches the next tile
/// RMS normalization has mean = 0 and s1 = 0; with constant statistics, s1 = s2 = 0. Statistics
/// that are not given are found first.
///
/// column_args_t::memory has for each step a vector of diff_scale and one of diff_shift, to
/// which the kernel adds; the caller adds up their lanes. The vectors of a tile are added up first.
///
/// Registers: for each vector of the tile tile_statistics_t and the sums s1 and s2, which become
/// the factors of walk 2. In walk 1 also xhat, dy, scale and a vector each of diff_scale and
/// diff_shift. In walk 2 also xhat, diff_src and scale.
class column_backward_kernel_t : public column_kernel_t {
public:
    explicit column_backward_kernel_t(const backward_spec_t &spec);

private:
    using enum backward_spec_t::operand;
    struct tile_vecs_t;

    void write_tile(const tile_t &tile) override;
    void write_sums(const tile_vecs_t &v);
    void add_to_weight_sums(const Reg64 &at, const Xmm &scale_sum, const Xmm &shift_sum);
    /// Turns s1 / C and s2 / C into what the second walk adds.
    void write_coefficients(const tile_vecs_t &v);
    void write_diff_src(const tile_vecs_t &v, store_t how);

    const backward_spec_t spec_;
};

} // namespace kiln::x64::layer_normalization
