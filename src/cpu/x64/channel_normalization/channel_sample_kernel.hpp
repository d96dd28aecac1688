// SPDX-License-Identifier: Apache-2.0
// Picks a pivot for each channel: an approximate median of 16 of its elements.
#pragma once

#include <string>

#include "cpu/x64/channels/channel_rows.hpp"
#include "cpu/x64/rows/tiled_kernel.hpp"

namespace kiln::x64::channel_normalization {

constexpr size_t channel_samples = 16;

struct channel_sample_args_t {
    const void *samples[channel_samples]; // columns: the row's first element; planes: the element
    float *pivots;
    int64_t length;     // columns: elements of the rows
    int64_t units;      // planes
    int64_t unit_pitch; // planes: elements from a unit to the next
};

struct channel_sample_spec_t {
    isa_t isa;
    channel_rows_t rows;
    dim_t line; // elements of a row
    data_type_t src_type;

    /// E.g. channel_sample_columns_bf16_avx512_core.
    std::string name() const;
};

/// K = max(min(max(min(x0, x1), min(x2, x3)), ...), ...), a tournament over the 16 samples of a
/// channel: the lesser of two, the greater of two such, the lesser, the greater.
///
/// Columns: a vector of channels at a time. Planes: a channel at a time, broadcast. Registers: a
/// vector for each of the five rounds, the addresses in memory.
class channel_sample_kernel_t : public tiled_kernel_t {
public:
    explicit channel_sample_kernel_t(const channel_sample_spec_t &spec);

private:
    void generate() override;
    /// The winner among samples [first, first + count), of the channels from `column` on.
    vec_t winner(int first, int count, const gpr_t &column, int lanes_used);
    vec_t load(int sample, const gpr_t &column, int lanes_used);

    const channel_sample_spec_t spec_;
};

} // namespace kiln::x64::channel_normalization
