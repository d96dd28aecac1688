// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization forward on rows.
#pragma once

#include <optional>

#include "common/function_ref.hpp"
#include "cpu/x64/jit/divisor.hpp"
#include "cpu/x64/layer_normalization/row_statistics.hpp"
#include "cpu/x64/layer_normalization/specs.hpp"
#include "cpu/x64/rows/row_kernel.hpp"
#include "cpu/x64/rows/row_scales.hpp"

namespace kiln::x64::layer_normalization {

/// Bytes of scratch that a call takes.
dim_t scratch_size(const forward_spec_t &spec);

/// For each row x = src, or x = src + src_1 rounded to the type of sum:
///     mean = sum(x) / C,   variance = sum((x - mean)^2) / C,
///     y = (x - mean) / sqrt(variance + epsilon) * scale + shift,   dst = post-ops(y)
///
/// Sweeps over a row block, which stays in the first-level cache between them:
///     1. statistics       unless they are given; stores sum
///     2. row_scale        if present: max|y| of each row; keeps y in the scratch if it fits
///     3. dst              if present, from x, or from the y that is kept; divided by row_scale if
///                         present
/// The sweep for dst can include the statistics of the next row block, so that neither waits for
/// the other. The statistics of a block are found side by side, in the lanes of one vector.
/// sum with non-temporal stores: sweep 1 does not store it there, since it is loaded again. A sum
/// in f32 is computed in each sweep; a narrow one is in the scratch. The last sweep that needs x
/// stores it.
///
/// Registers for the whole call: addresses of the operands that are present, rows left, current
/// column; vectors of src_scale and of the reciprocal of dst_scale. For a block:
/// block_statistics_t. In a sweep: x or y, scale, shift, and what statistics, post-ops and
/// row_scale take.
class row_forward_kernel_t : public row_kernel_t {
public:
    explicit row_forward_kernel_t(const forward_spec_t &spec);

private:
    using enum forward_spec_t::operand;

    void write_rows() override;
    void load_scalar(std::optional<vec_t> &to, size_t operand);
    void write_blocks(int rows) override;
    source_rows_t source_of(int rows) const;
    row_statistics_t statistics_of(int rows);
    void find_statistics(block_statistics_t &block);
    /// The statistics of a block, and the result of the block before it, whose statistics are
    /// overwritten. The first block has none before it.
    void find_overlapped(block_statistics_t &block);
    /// Stores the moments if asked for, and makes them those of the block.
    void take_statistics(block_statistics_t &block, const row_moments_t &moments);
    /// The sweeps for row_scale and dst; the last one includes the statistics `next`.
    void write_result(const block_statistics_t &block, row_statistics_t *next = nullptr);
    /// The same for the block before the current rows.
    void write_previous(const block_statistics_t &block, row_statistics_t *next = nullptr);
    void find_row_scales(const block_statistics_t &block, row_scales_t &scales);

    /// What a sweep that computes y does besides.
    struct sweep_t {
        bool is_first;          // no sweep for statistics was before
        bool is_last;           // that needs x
        row_statistics_t *next; // of the next block, or null
    };
    /// Writes a sweep that computes y, vector by vector and row by row.
    using use_t = function_ref_t<void(const Xmm &y, int row, int copy, int count)>;
    void for_each_result(const block_statistics_t &block, const sweep_t &sweep, const use_t &use);
    /// The same if y is in the scratch.
    void for_each_kept_result(int rows, row_statistics_t *next, const use_t &use);
    /// Where y of the block's rows is kept.
    jit::pitched_rows_t kept_results() const;
    /// Stores x, or the sum that the scratch keeps, to sum with non-temporal stores.
    void store_sum(const row_source_t &source, const Xmm &x, int row, int copy, int count);
    /// Prefetches what a later block reads: of fused rows in memory the next one, of narrow
    /// elements rows behind the next block.
    void prefetch(int rows, int copy, int count);
    /// y = y * scale + shift, as far as they are present.
    void apply_weights(const Xmm &y, const std::optional<vec_t> &scale_vec,
            const std::optional<vec_t> &shift_vec);

    const forward_spec_t spec_;
    const int accumulators_;
    const bool is_overlapped_; // the sweep for dst includes the next block's statistics
    // While the kernel is written.
    std::optional<gpr_t> scratch_;
    std::optional<vec_t> src_scale_vec_, dst_scale_vec_; // dst_scale: unless it is the divisor
    std::optional<jit::divisor_t> divisor_;              // dst_scale, where vectors suffice
};

} // namespace kiln::x64::layer_normalization
