// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization backward on rows that lie at a fixed pitch: one visit to memory a row
// gives diff_src and the row's share of diff_scale and diff_shift.
#pragma once

#include <string>
#include <vector>

#include "common/types.hpp"
#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/lanes_io.hpp"

namespace kiln::x64::normalization {

/// What distinguishes one kernel from another.
struct row_backward_spec_t {
    isa_t isa;
    dim_t cols;
    data_type_t src_type;
    data_type_t diff_dst_type;
    data_type_t diff_src_type;
    data_type_t scale_type; // undef: no scale
    bool is_rms;
    bool has_constant_statistics; // given from outside: no reduction terms
    bool has_weight_gradients;
    float epsilon;

    /// E.g. layer_norm_bwd_row_bf16_bf16_avx512_core.
    std::string name() const;
    /// What diff_src and its pitch are aligned to where stores pass the caches.
    size_t non_temporal_alignment() const;
};

/// Pitches are in bytes.
struct row_backward_args_t {
    const void *src;
    const void *diff_dst;
    void *diff_src; // null: not wanted
    const void *mean;
    const void *variance;
    const void *scale;
    float *diff_scale; // cols floats that the rows are added to, in vectors of whole lanes
    float *diff_shift;
    int64_t rows;
    int64_t src_pitch;
    int64_t diff_dst_pitch;
    int64_t diff_src_pitch;
    int64_t stat_pitch;
    int64_t src_prefetch_distance;
    int64_t diff_dst_prefetch_distance;
    int64_t non_temporal;
};

/// With xhat = (x - mean) * r and g = scale * dy, for each row
///     first sweep:   s1 = sum(g), s2 = sum(g * xhat), diff_scale += dy * xhat, diff_shift += dy
///     second sweep:  diff_src = r * (g - s1 / C - xhat * s2 / C), fetching a later row
/// RMS normalization has neither mean nor s1. Rows go two at a time where registers allow, so that
/// diff_scale and diff_shift are loaded and stored once for both.
class row_backward_kernel_t : public jit::generator_t {
public:
    explicit row_backward_kernel_t(const row_backward_spec_t &spec);

private:
    struct row_t;
    struct registers_t;
    using body_t = std::function<void(int copy, int count)>;

    void generate() override;
    void write_rows(registers_t &r, int count);
    void begin_rows(registers_t &r, int count);
    void write_sums(registers_t &r, int count);
    void write_weight_gradients(registers_t &r, int count, int copy);
    void write_diff_src(registers_t &r, int count, jit::store_t how);
    void write_diff_src_vector(registers_t &r, row_t &row, int copy, int count, jit::store_t how);
    void next_rows(registers_t &r, int count);

    bool has_sums() const { return !spec_.has_constant_statistics; }
    void for_each_vector(registers_t &r, const body_t &body);
    Xbyak::RegExp at(registers_t &r, const Xbyak::Reg64 &base, data_type_t type, int copy) const;
    void load_xhat(registers_t &r, row_t &row, int copy, int count);
    Xbyak::Address argument(size_t offset) { return ptr[arguments() + offset]; }

    const row_backward_spec_t spec_;
    const int rows_at_once_;
    jit::lanes_io_t io_;
};

} // namespace kiln::x64::normalization
