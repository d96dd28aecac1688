// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization backward on rows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/lanes_io.hpp"
#include "cpu/x64/rows/row_operands.hpp"
#include "cpu/x64/rows/row_post_ops.hpp"
#include "cpu/x64/rows/row_sums.hpp"

namespace kiln::x64::layer_normalization {

/// What distinguishes one kernel from another.
struct row_backward_spec_t : row_spec_t {
    enum operand : size_t {
        src,
        diff_dst,
        diff_src,
        element_operands, // have a row of elements for each row
        mean = element_operands,
        variance, // absent: statistics are computed from src
        scale,
        diff_scale, // floats to which each row adds
        diff_shift, // likewise
        first_post_op,
    };

    bool is_rms = false;
    bool has_constant_statistics = false; // no gradient flows through mean and variance
    float epsilon = 0;
    bool is_non_temporal = false; // diff_src is stored so; its rows are aligned for it

    /// E.g. layer_norm_bwd_row_bf16_bf16_avx512_core.
    std::string name() const;
};

/// With d = x - mean, r = 1 / sqrt(variance + epsilon), xhat = d * r and g = scale * dy:
///     diff_scale += dy * xhat,   diff_shift += dy
///     diff_src = r * (g - sum(g) / C - xhat * sum(g * xhat) / C)
///              = r * (g + (a + b * d)),   a = -S / C,   b = -r * (r * Q / C)
/// where S = sum(g) and Q = sum(g * d). RMS normalization has mean = 0 and a = 0; with constant
/// statistics, a = b = 0.
///
/// Sweeps over a row block, which stays in the first-level cache between them:
///     1. statistics       unless they are given
///     2. S, Q, diff_scale, diff_shift
///     3. diff_src         if present
/// Rows are processed together if registers allow, so that scale is loaded, and diff_scale and
/// diff_shift are loaded and stored, once for a block.
///
/// Registers for the whole call: addresses of the operands that are present (two each of src,
/// diff_dst and diff_src for blocks of several rows), rows left, current column. For a block: mean
/// and r, then a and b for each row. In sweep 2: accumulators of S and Q, five temporaries. In
/// sweep 3: three temporaries and what post-ops take.
class row_backward_kernel_t : public jit::generator_t {
public:
    explicit row_backward_kernel_t(const row_backward_spec_t &spec);

private:
    using enum row_backward_spec_t::operand;
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
    bool has_weight_gradients() const { return spec_.has(diff_scale) || spec_.has(diff_shift); }
    /// A vector for an operand that is present.
    std::optional<jit::vec_t> vec_of(size_t present, const char *name);
    /// Loads vector `copy` of a row of an operand, if there is a vector for it.
    void load(
            registers_t &r, const std::optional<jit::vec_t> &to, size_t from, int copy, int count);
    void load_deviation(
            registers_t &r, block_t &block, const Xbyak::Xmm &d, int row, int copy, int count);
    void load_diff_dst(registers_t &r, const Xbyak::Xmm &dy, int row, int copy, int count);

    const row_backward_spec_t spec_;
    const int block_rows_;
    const int accumulators_;
    jit::lanes_io_t io_;
    const row_post_ops_t post_ops_;
};

} // namespace kiln::x64::layer_normalization
