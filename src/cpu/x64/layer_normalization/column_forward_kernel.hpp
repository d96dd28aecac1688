// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization forward on columns: the kept axis lies innermost, so a vector holds
// one element each of as many columns.
#pragma once

#include <string>
#include <vector>

#include "cpu/x64/columns/column_kernel.hpp"
#include "cpu/x64/jit/post_op_chain.hpp"
#include "cpu/x64/layer_normalization/statistics.hpp"
#include "cpu/x64/post_op_operands.hpp"

namespace kiln::x64::layer_normalization {

/// What distinguishes one kernel from another.
struct column_forward_spec_t {
    isa_t isa;
    dim_t steps; // elements of a column
    dim_t line;  // columns that are adjacent in every operand
    data_type_t src_type;
    data_type_t dst_type;
    data_type_t scale_type;  // undef: no scale
    data_type_t shift_type;  // undef: no shift
    statistics_t statistics; // in f32, adjacent as the columns are
    bool is_rms;
    float epsilon;
    data_type_t src_scale_type; // of quantization; undef: none
    data_type_t dst_scale_type;
    // What becomes of y, and from a step to the next of each operand, in bytes.
    std::vector<jit::post_op_link_t> post_ops = {};
    std::vector<dim_t> operand_steps = {};

    /// E.g. layer_norm_fwd_column_bf16_f32_avx512_core.
    std::string name() const;
    /// Whether the kernel has a path of non-temporal stores, which wants every step of dst aligned
    /// to `non_temporal_alignment()` bytes.
    bool has_non_temporal_path() const;
    size_t non_temporal_alignment() const;
};

/// A step and what it makes together, from a column's first element past its last, are in bytes.
/// The kernel moves the operands' addresses along.
struct column_forward_args_t {
    const void *src;
    void *dst;
    void *mean;
    void *variance;
    const void *scale;
    const void *shift;
    const void *src_scale;
    const void *dst_scale;
    int64_t columns; // as column_kernel_t wants them
    int64_t src_step;
    int64_t src_span;
    int64_t dst_step;
    int64_t dst_span;
    int64_t non_temporal;
    const void *operands[max_post_op_operands];
};

/// For each tile of columns x:
///     mean = sum(x) / C                                            (first walk)
///     variance = (sum((x - mean)^2) - sum(x - mean)^2 / C) / C     (second)
///     y = (x - mean) / sqrt(variance + epsilon) * scale + shift    (third; fetches the next tile)
/// The mean was rounded, so deviations from it sum to D instead of 0, and the squares are D^2 / C
/// too large.
/// Registers: for each vector of the tile mean and r, and two sums in the second walk.
class column_forward_kernel_t : public column_kernel_t {
public:
    explicit column_forward_kernel_t(const column_forward_spec_t &spec);

private:
    struct registers_t;

    void generate() override;
    void write_tile(registers_t &r, const tile_t &tile);
    void write_mean(registers_t &r, const vecs_t &mean, const tile_t &tile);
    void write_variance(
            registers_t &r, const vecs_t &mean, const vecs_t &variance, const tile_t &tile);
    void write_result(registers_t &r, const vecs_t &mean, const vecs_t &reciprocal,
            const tile_t &tile, jit::store_t how);
    void load_src(const Xbyak::Xmm &x, registers_t &r, int i, const tile_t &tile);
    void rewind_src(registers_t &r);
    void apply_post_ops(const Xbyak::Xmm &y, int i, const tile_t &tile);
    /// Moves the operands by `steps`, and to the next tile.
    void advance_operands(dim_t steps);
    void next_tile_of_operands(const tile_t &tile);
    Xbyak::Address operand_argument(int index);

    const column_forward_spec_t spec_;
    const jit::post_op_chain_t post_ops_;
    const std::vector<jit::post_op_operand_t> operands_;
};

} // namespace kiln::x64::layer_normalization
