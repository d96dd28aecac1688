// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization forward on rows that lie at a fixed pitch: one visit to memory a row.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/types.hpp"
#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/lanes_io.hpp"

namespace kiln::x64::normalization {

enum class statistics_t { computed, computed_and_stored, given };

/// What distinguishes one kernel from another.
struct row_forward_spec_t {
    isa_t isa;
    dim_t cols;
    data_type_t src_type;
    data_type_t dst_type;
    data_type_t scale_type;  // undef: no scale
    data_type_t shift_type;  // undef: no shift
    statistics_t statistics; // in f32
    bool is_rms;
    float epsilon;
    bool has_src_scale;
    bool has_dst_scale;

    /// E.g. layer_norm_fwd_row_bf16_f32_avx512_core.
    std::string name() const;
    /// Whether the kernel has a path of non-temporal stores, which wants dst and its pitch aligned
    /// to `non_temporal_alignment()` bytes.
    bool has_non_temporal_path() const;
    size_t non_temporal_alignment() const;
};

/// Pitches are in bytes.
struct row_forward_args_t {
    const void *src;
    void *dst;
    void *mean;
    void *variance;
    const void *scale;
    const void *shift;
    const float *src_scale;
    const float *dst_scale;
    int64_t rows;
    int64_t src_pitch;
    int64_t dst_pitch;
    int64_t stat_pitch;
    int64_t prefetch_distance; // from a row to the one that is fetched while it is finished
    int64_t non_temporal;
};

/// For each row x:
///     mean = sum(x) / C,   variance = sum((x - mean)^2) / C        (two sweeps over the cached
///     row) y = (x - mean) / sqrt(variance + epsilon) * scale + shift    (the third; fetches a
///     later row)
/// Registers: four accumulators in the sweeps; mean, r and the quantization scales stay for the
/// row.
class row_forward_kernel_t : public jit::generator_t {
public:
    explicit row_forward_kernel_t(const row_forward_spec_t &spec);

private:
    struct registers_t;
    using body_t = std::function<void(int copy, int count)>;

    void generate() override;
    void write_row(registers_t &r, jit::store_t how);
    void write_mean(registers_t &r);
    void write_variance(registers_t &r);
    void correct_for_rounded_mean(registers_t &r, const std::vector<jit::vec_t> &deviations);
    void store_statistics(registers_t &r);
    void read_statistics(registers_t &r);
    void write_reciprocal(registers_t &r);
    void write_result(registers_t &r, jit::store_t how);
    void prefetch(registers_t &r, int copy);
    void next_row(registers_t &r);

    /// Runs `body` over the vectors of a row, `copy` of an unrolled loop's copies having `count`
    /// lanes.
    void for_each_vector(registers_t &r, const body_t &body);
    /// Where vector `copy` of the current position lies.
    Xbyak::RegExp at(registers_t &r, const Xbyak::Reg64 &base, data_type_t type, int copy) const;
    /// The sum of all lanes of the accumulators, in every lane of the first.
    void add_up(const std::vector<jit::vec_t> &sums);
    Xbyak::Address cols();

    const row_forward_spec_t spec_;
    jit::lanes_io_t io_;
};

} // namespace kiln::x64::normalization
