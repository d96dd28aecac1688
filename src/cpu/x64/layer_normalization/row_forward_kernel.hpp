// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization forward on rows that lie at a fixed pitch: one visit to memory a row.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/types.hpp"
#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/lanes_io.hpp"
#include "cpu/x64/layer_normalization/row_statistics.hpp"
#include "cpu/x64/layer_normalization/statistics.hpp"
#include "cpu/x64/post_op_operands.hpp"
#include "cpu/x64/rows/row_post_ops.hpp"
#include "cpu/x64/rows/row_scales.hpp"

namespace kiln::x64::layer_normalization {

/// What distinguishes one kernel from another.
struct row_forward_spec_t {
    isa_t isa;
    dim_t cols;
    data_type_t src_type;
    data_type_t dst_type;
    data_type_t scale_type; // undef: no scale
    data_type_t shift_type; // undef: no shift
    statistics_t statistics;
    bool is_rms;
    float epsilon;
    data_type_t src_scale_type; // of quantization; undef: none
    data_type_t dst_scale_type;
    // From a row to the next, in bytes.
    dim_t src_pitch;
    dim_t dst_pitch;
    dim_t stat_pitch;
    dim_t rows;
    bool is_streamed;     // the tensors are too large for the caches
    bool is_non_temporal; // dst is stored past them; it and its pitch are aligned as asked for
                          // below
    data_type_t stat_type = dnnl_f32;
    // An operand that is added to src, and where the sum is stored, which x has the type of then.
    data_type_t src_1_type = dnnl_data_type_undef; // undef: none
    dim_t src_1_pitch = 0;
    data_type_t sum_type = dnnl_data_type_undef; // undef: it is not stored
    dim_t sum_pitch = 0;
    bool is_sum_non_temporal = false; // like is_non_temporal
    // The scale that a row of dst gets, stored in this type.
    data_type_t row_scale_type = dnnl_data_type_undef; // undef: it gets none
    dim_t row_scale_pitch = 0;
    bool keeps_results = false; // y between the sweeps for the scale and for dst
    // What becomes of y, and from a row to the next of each operand.
    std::vector<jit::post_op_link_t> post_ops = {};
    std::vector<dim_t> operand_pitches = {};

    /// E.g. layer_norm_fwd_row_bf16_f32_avx512_core.
    std::string name() const;
    /// Whether elements of a type can be stored past the caches, and what they are aligned to then.
    static bool has_non_temporal_stores(data_type_t type);
    size_t non_temporal_alignment(data_type_t type) const;
    /// Bytes that a call needs for what it keeps between sweeps.
    dim_t scratch_size() const;
};

/// The kernel moves the operands' addresses along.
struct row_forward_args_t {
    const void *src;
    void *dst;
    void *mean;
    void *variance;
    const void *scale;
    const void *shift;
    const void *src_scale;
    const void *dst_scale;
    int64_t rows;
    const void *operands[max_post_op_operands];
    const void *src_1;
    void *sum;
    void *row_scale;
    const float *row_factor;
    std::byte *scratch; // aligned to a cache line
};

/// For each row x = src, or src + src_1, or that as it is stored:
///     mean = sum(x) / C,   variance = sum((x - mean)^2) / C,
///     y = (x - mean) / sqrt(variance + epsilon) * scale + shift
/// one sweep for the statistics and one for y. Short rows go together in blocks: their sums are
/// reduced and turned into statistics side by side, in the lanes of one vector, scale and shift are
/// loaded once for all of them, and the sweep for y takes the next block's statistics along, so
/// that no sweep waits for the other. Between the sweeps rows stay in the first-level cache.
/// The first sweep makes the sum of two operands and stores it, where an operand was if need be;
/// others load it from there. Past the caches, which would not give it back, the last one stores
/// it: in f32 it makes the sum once more, a narrow one is in the scratch. A row's scale, max|y| *
/// factor, takes a sweep for y of its own, NaN being greater than any number; y stays in the
/// scratch, if it fits, until dst = y / scale.
class row_forward_kernel_t : public jit::generator_t {
public:
    explicit row_forward_kernel_t(const row_forward_spec_t &spec);

private:
    struct registers_t;
    struct block_t;

    void generate() override;
    void write_rows(registers_t &r, int rows);
    source_rows_t source_of(registers_t &r, int rows, int first_row) const;
    row_statistics_t statistics_of(registers_t &r, int rows, int first_row);
    void find_statistics(registers_t &r, block_t &block);
    void take_statistics(
            registers_t &r, block_t &block, const row_moments_t &moments, int first_row);
    /// The block's result and, on the way, the sweep for the statistics of the next one.
    void write_result(registers_t &r, block_t &block, row_statistics_t *next = nullptr);
    void find_row_scales(registers_t &r, block_t &block, row_scales_t &scales);
    /// What a sweep that makes y does on the way.
    struct sweep_t {
        bool is_first;          // there is none for statistics
        bool is_last;           // that needs x
        row_statistics_t *next; // what the next block's statistics are added to, if anything
    };
    /// Writes a sweep that makes y, vector by vector and row by row.
    using use_t = std::function<void(const Xbyak::Xmm &y, int row, int copy, int count)>;
    void for_each_result(registers_t &r, block_t &block, const sweep_t &sweep, const use_t &use);
    /// The same where y is in the scratch.
    void for_each_kept_result(
            registers_t &r, block_t &block, row_statistics_t *next, const use_t &use);
    Xbyak::RegExp place_of_result(registers_t &r, int row, int copy) const;
    /// Stores the sum, which is x, past the caches.
    void move_sum(registers_t &r, const row_source_t &source, const Xbyak::Xmm &x, int row,
            int copy, int count);
    /// Asks for what the next block reads, while this one is written.
    void prefetch(registers_t &r, const block_t &block, int copy, int count);
    void normalize(registers_t &r, const block_t &block, int row, const Xbyak::Xmm &y,
            const std::optional<jit::vec_t> &scale, const std::optional<jit::vec_t> &shift);
    void next_rows(registers_t &r, int rows);

    const row_forward_spec_t spec_;
    const int rows_at_once_;
    const int accumulators_;
    const bool is_overlapped_; // the sweep for statistics goes along with the one for results
    jit::lanes_io_t io_;
    const row_post_ops_t post_ops_;
};

} // namespace kiln::x64::layer_normalization
