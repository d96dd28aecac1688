// SPDX-License-Identifier: Apache-2.0
// Picks for each channel an element that is neither a great nor a small one.
#pragma once

#include <string>

#include "cpu/x64/channels/channel_kernel.hpp"

namespace kiln::x64::channel_normalization {

constexpr size_t channel_samples = 16;

struct channel_sample_args_t {
    const void *samples[channel_samples]; // where a row (columns) or an element (planes) lies
    float *picked;
    int64_t length; // of the rows (columns)
    // Planes: how many go one after the other, and elements from one to the next.
    int64_t units;
    int64_t unit_pitch;
};

struct channel_sample_spec_t {
    channel_walk_t walk;
    data_type_t src_type;

    /// E.g. channel_sample_columns_bf16_avx512_core.
    std::string name() const;
};

/// A tournament: of two samples the lesser one, of two of those the greater one, and so on in
/// turns.
class channel_sample_kernel_t : public tiled_kernel_t {
public:
    explicit channel_sample_kernel_t(const channel_sample_spec_t &spec);

private:
    void generate() override;
    /// The winner among samples [first, first + count) of the vector at the column.
    jit::vec_t winner(int first, int count, const jit::gpr_t &column, int lanes_used);
    jit::vec_t load(int sample, const jit::gpr_t &column, int lanes_used);

    const channel_sample_spec_t spec_;
};

} // namespace kiln::x64::channel_normalization
