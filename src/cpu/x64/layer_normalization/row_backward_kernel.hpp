// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization backward on rows.
#pragma once

#include "common/function_ref.hpp"
#include "cpu/x64/layer_normalization/row_statistics.hpp"
#include "cpu/x64/layer_normalization/specs.hpp"
#include "cpu/x64/rows/row_kernel.hpp"

namespace kiln::x64::layer_normalization {

/// With d = x - center, r = 1 / sqrt(variance + epsilon), xhat = d * r - t as block_statistics_t
/// has it, and g = scale * dy:
///     diff_scale += dy * xhat,   diff_shift += dy
///     diff_src = r * (g - sum(g) / C - xhat * sum(g * xhat) / C)
///              = r * (g + (a + b * d)),   a = q * t - S / C,   b = -q * r
/// where S = sum(g) and q = sum(g * xhat) / C = (r * sum(g * d) - t * S) / C. RMS normalization has
/// center = 0 and a = 0; with constant statistics, a = b = 0. Where statistics are given, or for
/// RMS normalization, t = 0.
///
/// Sweeps over a row block, which stays in the first-level cache between them:
///     1. statistics       unless they are given
///     2. S, sum(g * d), diff_scale, diff_shift; or the two sums are loaded
///     3. diff_src         if present
/// Rows are processed together if registers allow, so that scale is loaded, and diff_scale and
/// diff_shift are loaded and stored, once for a block.
///
/// Registers for the whole call: addresses of the operands that are present (two each of src,
/// diff_dst and diff_src for blocks of several rows), rows left, current column. For a block:
/// block_statistics_t, then a and b for each row. In sweep 2: accumulators of two sums, five
/// temporaries. In sweep 3: three temporaries and what post-ops take.
class row_backward_kernel_t : public row_kernel_t {
public:
    explicit row_backward_kernel_t(const backward_spec_t &spec);

private:
    using enum backward_spec_t::operand;
    struct block_t;

    void write_blocks(int rows) override;
    void find_statistics(block_t &block);
    void write_sums(block_t &block);
    void load_sums(block_t &block);
    /// `sum`: sum_g or sum_gd of each row, a lane each.
    void find_terms(block_t &block, const function_ref_t<vec_t(size_t which)> &sum);
    void write_diff_src(const block_t &block);
    /// Writes vector `copy` of a row of diff_src. `dy` is overwritten.
    void write_vector(const block_t &block, const Xmm &dy, const std::optional<vec_t> &scale_vec,
            int row, int copy, int count);
    /// d = x - center
    void load_deviation(const block_t &block, const Xmm &d, int row, int copy, int count);

    const backward_spec_t spec_;
    // The order of sums follows the blocks of rows that are in a cache: it does not depend on the
    // size of the cache.
    const int cached_block_rows_;
};

} // namespace kiln::x64::layer_normalization
