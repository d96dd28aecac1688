// SPDX-License-Identifier: Apache-2.0
// Vectors of weights (scale, shift) of a narrow type as floats: converted once for a call instead
// of once for a row.
#pragma once

#include "common/types.hpp"
#include "cpu/x64/isa.hpp"
#include "cpu/x64/jit/code/executable_code.hpp"

namespace kiln::x64 {

/// Whether a call on so many rows converts weights of this type first.
bool converts_weights(data_type_t type, dim_t rows);

/// Floats from the start of a vector of `cols` weights, or of partial sums of their gradients, to
/// the start of the next: whole cache lines.
dim_t weight_floats_pitch(dim_t cols);

/// A generated function that converts a vector of `cols` weights of `type`.
class weight_floats_t {
public:
    weight_floats_t(isa_t isa, dim_t cols, data_type_t type);

    /// Converts the weights at `from` to floats at `to` and returns `to`. Null `from` (the weights
    /// are absent) gives null.
    float *convert(const void *from, float *to) const;

private:
    const jit::executable_code_t code_;
};

} // namespace kiln::x64
