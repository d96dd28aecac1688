// SPDX-License-Identifier: Apache-2.0
// Generated functions on vectors of weights (scale, shift) and of their gradients.
#pragma once

#include "common/types.hpp"
#include "cpu/x64/isa.hpp"
#include "cpu/x64/jit/code/executable_code.hpp"

namespace kiln::x64 {

/// Whether a call on `rows` rows converts weights of this type to floats first, instead of once for
/// each row block.
bool converts_weights(data_type_t type, dim_t rows);

/// Floats from the start of a vector of `cols` weights, or of partial sums of their gradients, to
/// the start of the next: whole cache lines.
dim_t weight_floats_pitch(dim_t cols);

/// Converts a vector of `cols` weights of a narrow type to floats.
class weight_floats_t {
public:
    weight_floats_t(isa_t isa, dim_t cols, data_type_t type);

    /// Converts the weights at `from` to floats at `to` and returns `to`. Null `from` (the weights
    /// are absent) gives null.
    float *convert(const void *from, float *to) const;

private:
    const jit::executable_code_t code_;
};

/// Adds up the partial sums of chunks: totals[col] = sum over i of first[i * pitch + col]. The sums
/// are added in the order of the chunks, in double: the result depends on the chunks alone.
class chunk_totals_t {
public:
    /// `cols` totals of `type`; `pitch`: floats from a chunk's sums to those of the next.
    chunk_totals_t(isa_t isa, dim_t cols, data_type_t type, dim_t chunks, dim_t pitch);

    /// Null `totals`: they are not wanted.
    void store(const float *first, void *totals) const;

private:
    const dim_t chunks_, pitch_;
    const jit::executable_code_t code_;
};

} // namespace kiln::x64
