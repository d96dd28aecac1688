// SPDX-License-Identifier: Apache-2.0
// Rows of f32, bf16 and f16 to and from floats. f16 is converted eight elements at a time by SSE2,
// with the same bits as by float_conversion.hpp.
#pragma once

#include "common/types.hpp"

namespace kiln::cpu::reference::rows {

/// Elements [first, first + count) of an array of f32, bf16 or f16, which may lie at any address.
void load_floats(data_type_t type, const void *from, dim_t first, float *to, dim_t count);
void store_floats(data_type_t type, const float *from, void *to, dim_t first, dim_t count);

} // namespace kiln::cpu::reference::rows
