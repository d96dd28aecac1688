// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization backward on rows that lie at a fixed pitch: one visit to memory a row
// gives diff_src and the row's share of diff_scale and diff_shift.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/types.hpp"
#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/lanes_io.hpp"
#include "cpu/x64/post_op_operands.hpp"
#include "cpu/x64/rows/row_post_ops.hpp"
#include "cpu/x64/rows/row_sums.hpp"

namespace kiln::x64::layer_normalization {

/// What distinguishes one kernel from another.
struct row_backward_spec_t {
    isa_t isa;
    dim_t cols;
    data_type_t src_type;
    data_type_t diff_dst_type;
    data_type_t diff_src_type;
    data_type_t scale_type; // undef: no scale
    data_type_t stat_type;  // undef: statistics are not given but computed from src
    bool is_rms;
    bool has_constant_statistics; // given from outside: no reduction terms
    bool has_diff_src;
    bool has_diff_scale;
    bool has_diff_shift;
    float epsilon;
    // From a row to the next, in bytes.
    dim_t src_pitch;
    dim_t diff_dst_pitch;
    dim_t diff_src_pitch;
    dim_t stat_pitch;
    dim_t rows;
    bool is_streamed;     // the tensors are too large for the caches
    bool is_non_temporal; // diff_src is stored past them; it and its pitch are aligned as below
    // What becomes of diff_src, and from a row to the next of each operand.
    std::vector<jit::post_op_link_t> post_ops = {};
    std::vector<dim_t> operand_pitches = {};

    /// E.g. layer_norm_bwd_row_bf16_bf16_avx512_core.
    std::string name() const;
    /// What non-temporal stores want diff_src and its pitch aligned to.
    size_t non_temporal_alignment() const;
};

/// The kernel moves the operands' addresses along.
struct row_backward_args_t {
    const void *src;
    const void *diff_dst;
    void *diff_src;
    const void *mean;
    const void *variance;
    const void *scale;
    float *diff_scale; // cols floats that the rows are added to
    float *diff_shift;
    int64_t rows;
    const void *operands[max_post_op_operands];
};

/// With d = x - mean, r = 1 / sqrt(variance + epsilon), xhat = d * r and g = scale * dy, for each
/// row
///     first sweep:   S = sum(g), Q = sum(g * d), diff_scale += dy * xhat, diff_shift += dy
///     second sweep:  diff_src = r * (g - sum(g) / C - xhat * sum(g * xhat) / C)
///                             = r * (g + (a + b * d)),   a = -S / C,   b = -r * (r * Q / C)
/// Statistics that are not given take a sweep of their own before. RMS normalization has neither
/// mean nor S. Rows go together where registers allow, so that scale is loaded, and diff_scale and
/// diff_shift are loaded and stored, once for all of them.
class row_backward_kernel_t : public jit::generator_t {
public:
    explicit row_backward_kernel_t(const row_backward_spec_t &spec);

private:
    struct rows_t;
    struct registers_t;
    struct block_t;

    void generate() override;
    void write_rows(registers_t &r, int rows);
    void find_statistics(registers_t &r, block_t &block);
    void write_sums(registers_t &r, block_t &block);
    void find_terms(block_t &block, row_sums_t &sums_g, row_sums_t &sums_gd);
    void write_diff_src(registers_t &r, block_t &block);
    void next_rows(registers_t &r, int rows);

    bool has_sums() const { return !spec_.has_constant_statistics; }
    bool has_weight_gradients() const { return spec_.has_diff_scale || spec_.has_diff_shift; }
    void load_deviation(
            registers_t &r, block_t &block, const Xbyak::Xmm &d, int row, int copy, int count);
    void load_diff_dst(registers_t &r, const Xbyak::Xmm &dy, int row, int copy, int count);
    void load_scale(registers_t &r, const std::optional<jit::vec_t> &scale, int copy, int count);

    const row_backward_spec_t spec_;
    const int rows_at_once_;
    const int accumulators_;
    jit::lanes_io_t io_;
    const row_post_ops_t post_ops_;
};

} // namespace kiln::x64::layer_normalization
