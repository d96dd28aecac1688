// SPDX-License-Identifier: Apache-2.0
// What distinguishes one kernel of layer or RMS normalization from another. A direction has one
// table of operands for kernels on rows and on columns.
#pragma once

#include <string>
#include <vector>

#include "common/operations/normalization/layer_normalization_pd.hpp"
#include "cpu/x64/rows/kernel_spec.hpp"

namespace kiln::x64::layer_normalization {

/// Where a forward kernel gets mean and variance from, and whether it stores them.
enum class statistics_t { computed, computed_and_stored, given };

struct normalization_spec_t : kernel_spec_t {
    bool is_rms = false;
    float epsilon = 0;
    statistics_t statistics = statistics_t::computed; // forward
    bool has_constant_statistics = false; // backward: no gradient flows through mean and variance

    /// Sets what the descriptor of a normalization says; `elements` are normalized together.
    template <typename pd_t> void describe(const pd_t &pd, dim_t elements, isa_t isa_level) {
        isa = isa_level;
        length = elements;
        is_rms = pd.is_rms();
        epsilon = pd.desc().epsilon;
        statistics = pd.reads_stats()    ? statistics_t::given
                     : pd.writes_stats() ? statistics_t::computed_and_stored
                                         : statistics_t::computed;
        has_constant_statistics = pd.has_global_stats();
    }

protected:
    /// E.g. layer_norm_fwd_row_bf16_f32_avx512_core of "fwd_row" and the types of two operands.
    std::string name_of(const std::string &kernel, size_t input, size_t output) const;
};

struct forward_spec_t : normalization_spec_t {
    enum operand : size_t {
        src,
        dst,
        stepped,        // columns: the operands before have elements for each step
        mean = stepped, // columns: adjacent as the columns are
        variance,       // likewise
        held,           // columns: the operands before have their addresses in registers
        scale = held,
        shift,
        src_1,     // added to src; rows only, as are the next two
        sum,       // src + src_1 is stored here; x is rounded to this type
        row_scale, // an output: the scale of each row of dst
        rest,      // rows, of ranks: mean is what kernels call the center, rest what it lacks
        held_of_rows,
        src_scale = held_of_rows, // of quantization: one element
        dst_scale,
        row_factor, // rows only; one float: row_scale = max|y| * row_factor
        first_post_op,
    };

    // Of kernels on rows. Stored with non-temporal stores: the output's rows are aligned for them.
    bool is_dst_non_temporal = false;
    bool is_sum_non_temporal = false;
    bool keeps_results = false; // y is in the scratch between the sweeps for row_scale and for dst

    /// `shape`: "row" or "column".
    std::string name(const std::string &shape) const { return name_of("fwd_" + shape, src, dst); }
    /// Columns: what is done to a vector takes many registers.
    bool needs_many_registers() const { return !post_ops.empty(); }
};

struct backward_spec_t : normalization_spec_t {
    enum operand : size_t {
        src,
        diff_dst,
        diff_src, // columns: a call may pass null, diff_src is not wanted then
        stepped,  // the operands before have elements for each step (columns) or column (rows)
        mean = stepped, // columns: adjacent as the columns are
        variance,       // likewise; absent: statistics are computed from src
        held,           // columns: the operands before have their addresses in registers
        scale = held,
        diff_scale, // rows: floats to which each row adds
        diff_shift, // likewise
        sum_g,      // rows, of ranks: the sums are outputs without diff_src, inputs with it
        sum_gd,
        first_post_op,
    };

    bool is_non_temporal = false; // rows: diff_src is stored so; its rows are aligned for it

    bool needs_many_registers() const { return true; }
    bool has_sums() const { return !has_constant_statistics; }
    /// Whether the sums of a row are combined with those of other ranks, outside of the kernel.
    bool has_sums_of_ranks() const { return has(sum_gd); }
    bool has_weight_gradients() const { return has(diff_scale) || has(diff_shift); }
    void leave_out_weight_gradients() { operands[diff_scale] = operands[diff_shift] = {}; }
    /// `shape`: "row" or "column".
    std::string name(const std::string &shape) const {
        return name_of("bwd_" + shape, src, diff_dst);
    }
};

/// src and what has its shape; the zero descriptor for an absent one.
std::vector<const memory_desc_t *> tensors_of(const layer_normalization_pd_t &pd);

/// Refuses what no kernel takes, whatever the layouts.
refusal_t check_operands(const layer_normalization_pd_t &pd);

/// Adds the operands of a direction in the order of its enum, those of post-ops included, for rows
/// or columns whose vectors are along logical axis `axis`, and sets the spec's post-ops.
/// `has_rank_arrays`: kernels leave in arrays, and find there, what ranks combine for each row.
refusal_t add_operands(operand_layouts_t &layouts, const layer_normalization_pd_t &pd, int axis,
        normalization_spec_t &spec, bool has_rank_arrays = false);

} // namespace kiln::x64::layer_normalization
