// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization forward on rows.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/lanes_io.hpp"
#include "cpu/x64/layer_normalization/row_statistics.hpp"
#include "cpu/x64/layer_normalization/statistics.hpp"
#include "cpu/x64/rows/row_operands.hpp"
#include "cpu/x64/rows/row_post_ops.hpp"
#include "cpu/x64/rows/row_scales.hpp"

namespace kiln::x64::layer_normalization {

/// What distinguishes one kernel from another.
struct row_forward_spec_t : row_spec_t {
    enum operand : size_t {
        src,
        dst,
        mean,
        variance,
        scale,
        shift,
        src_1,     // added to src
        sum,       // src + src_1 is stored here; x is rounded to this type
        row_scale, // an output: the scale of each row of dst
        held_count, // operands whose addresses are in registers for the whole call
        src_scale = held_count, // of quantization: one element
        dst_scale,
        row_factor, // one float: row_scale = max|y| * row_factor
        first_post_op,
    };

    statistics_t statistics = statistics_t::computed;
    bool is_rms = false;
    float epsilon = 0;
    // Stored with non-temporal stores: the output's rows are aligned for them.
    bool is_dst_non_temporal = false;
    bool is_sum_non_temporal = false;
    bool keeps_results = false; // y is in the scratch between the sweeps for row_scale and for dst

    /// E.g. layer_norm_fwd_row_bf16_f32_avx512_core.
    std::string name() const;
    /// Bytes of scratch that a call takes.
    dim_t scratch_size() const;
};

/// Whether there are non-temporal stores for elements of a type.
bool has_non_temporal_stores(data_type_t type);

/// For each row x = src, or x = src + src_1 rounded to the type of sum:
///     mean = sum(x) / C,   variance = sum((x - mean)^2) / C,
///     y = (x - mean) / sqrt(variance + epsilon) * scale + shift,   dst = post-ops(y)
///
/// Sweeps over a row block, which stays in the first-level cache between them:
///     1. statistics       unless they are given; stores sum
///     2. row_scale        if present: max|y| of each row; keeps y in the scratch if it fits
///     3. dst              from x, or from the y that is kept; divided by row_scale if present
/// The sweep for dst can include the statistics of the next row block, so that neither waits for
/// the other. The statistics of a block are found side by side, in the lanes of one vector.
/// sum with non-temporal stores: sweep 1 does not store it there, since it is loaded again. A sum
/// in f32 is computed in each sweep; a narrow one is in the scratch. The last sweep that needs x
/// stores it.
///
/// Registers for the whole call: addresses of the operands that are present, rows left, current
/// column; vectors of src_scale and dst_scale. For a block: mean and r for each row. In a sweep: x
/// or y, scale, shift, and what statistics, post-ops and row_scale take.
class row_forward_kernel_t : public jit::generator_t {
public:
    explicit row_forward_kernel_t(const row_forward_spec_t &spec);

private:
    using enum row_forward_spec_t::operand;
    struct registers_t;
    struct block_t;

    void generate() override;
    void write_rows(registers_t &r, int rows);
    source_rows_t source_of(registers_t &r, int rows, int first_row) const;
    row_statistics_t statistics_of(registers_t &r, int rows, int first_row);
    void find_statistics(registers_t &r, block_t &block);
    /// Stores the moments if asked for, and spreads them to the block's vectors.
    void take_statistics(
            registers_t &r, block_t &block, const row_moments_t &moments, int first_row);
    /// The sweeps for row_scale and dst; the last one includes the statistics `next`.
    void write_result(registers_t &r, block_t &block, row_statistics_t *next = nullptr);
    void find_row_scales(registers_t &r, block_t &block, row_scales_t &scales);
    /// What a sweep that computes y does besides.
    struct sweep_t {
        bool is_first;          // no sweep for statistics was before
        bool is_last;           // that needs x
        row_statistics_t *next; // of the next block, or null
    };
    /// Writes a sweep that computes y, vector by vector and row by row.
    using use_t = std::function<void(const Xbyak::Xmm &y, int row, int copy, int count)>;
    void for_each_result(registers_t &r, block_t &block, const sweep_t &sweep, const use_t &use);
    /// The same if y is in the scratch.
    void for_each_kept_result(
            registers_t &r, block_t &block, row_statistics_t *next, const use_t &use);
    /// Where y of the block's rows is kept.
    pitched_rows_t kept_results(registers_t &r) const;
    /// Stores x, or the sum that the scratch keeps, to sum with non-temporal stores.
    void store_sum(registers_t &r, const row_source_t &source, const Xbyak::Xmm &x, int row,
            int copy, int count);
    /// Prefetches what the next block reads.
    void prefetch(registers_t &r, const block_t &block, int copy, int count);
    void normalize(registers_t &r, const block_t &block, int row, const Xbyak::Xmm &y,
            const std::optional<jit::vec_t> &scale_vec, const std::optional<jit::vec_t> &shift_vec);
    void next_rows(registers_t &r, int rows);
    /// Full vectors with non-temporal stores if asked for, partial ones with ordinary stores.
    jit::store_t store_of(bool is_non_temporal, int count) const;

    const row_forward_spec_t spec_;
    const int block_rows_;
    const int accumulators_;
    const bool is_overlapped_; // the sweep for dst includes the next block's statistics
    jit::lanes_io_t io_;
    const row_post_ops_t post_ops_;
};

} // namespace kiln::x64::layer_normalization
