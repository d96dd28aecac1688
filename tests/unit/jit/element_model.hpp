// SPDX-License-Identifier: Apache-2.0
// Elements as bits and as floats, as kernels load and store them: what data_type.hpp says of
// numbers, and which NaN comes of which.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "oneapi/dnnl/dnnl_types.h"

namespace kiln::test {

/// What an element with these bits reads as: f32 bf16 f16 f8_e5m2 f8_e4m3 e8m0 s32
/// s8 u8.
float model_load(dnnl_data_type_t type, uint32_t code);

/// The bits of an element that was made from a float; not of e8m0.
uint32_t model_store(dnnl_data_type_t type, float value);

/// Bytes of an element.
int model_size(dnnl_data_type_t type);

/// Element `index` of an array of elements of `size` bytes, as bits.
uint32_t read_code(const void *base, size_t index, int size);
void write_code(void *base, size_t index, int size, uint32_t code);

inline uint32_t bits_of(float value) { return std::bit_cast<uint32_t>(value); }
inline float float_of(uint32_t bits) { return std::bit_cast<float>(bits); }

} // namespace kiln::test
