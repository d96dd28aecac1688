// SPDX-License-Identifier: Apache-2.0
// Scale and shift as floats, converted once a call instead of once a row. It must not know what
// they are applied to.
#pragma once

#include "common/types.hpp"
#include "cpu/x64/isa.hpp"
#include "cpu/x64/jit/executable_code.hpp"

namespace kiln::x64::normalization {

/// Whether a call on so many rows had better convert weights of this type first.
bool converts_weights(data_type_t type, dim_t rows);

/// Floats that a vector of weights, or of sums for their gradients, takes with the gap to the next.
dim_t weight_floats_pitch(dim_t cols);

/// A generated function for vectors of `cols` weights of `type`.
class weight_floats_t {
public:
    weight_floats_t(isa_t isa, dim_t cols, data_type_t type);

    /// Converts the weights at `from`, if there are any; gives `to`, or null.
    const float *convert(const void *from, float *to) const;

private:
    const jit::executable_code_t code_;
};

} // namespace kiln::x64::normalization
