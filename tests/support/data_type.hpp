// SPDX-License-Identifier: Apache-2.0
// The data types of tensors, as the standards define them: size, encoding, rounding. Written for
// the tests from the formats' definitions; it must not use the library's conversions.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "oneapi/dnnl/dnnl_types.h"

namespace kiln::test {

/// Bytes of an element; of elements of 4 bits, of the byte that two share.
size_t size_of(dnnl_data_type_t type);
/// s4, u4 and f4: the first element is in the lower half of the byte.
bool is_half_byte(dnnl_data_type_t type);
bool is_integer(dnnl_data_type_t type);

/// Half the distance from 1 to the next greater value: the relative error of one rounding.
/// 0 for integers, which do not round relatively.
double unit_roundoff(dnnl_data_type_t type);

/// The relative error of one rounding in an operation on tensors of these types: it computes in
/// double where one of them is f64, else in f32.
double arithmetic_roundoff(std::initializer_list<dnnl_data_type_t> types);

/// A NaN with all bits set, in f32 too. The upper half of it, rounded like that of a number, is -0.
inline constexpr double full_nan = std::bit_cast<double>(uint64_t{0x7fffffffffffffff});

/// Rounds to nearest, ties to even; integers saturate. NaN has no place among integers: 0.
void encode(dnnl_data_type_t type, double value, std::byte *place);
double decode(dnnl_data_type_t type, const std::byte *place);

/// The same for a half of a byte, of integers within their range; ties of floats go to the lower
/// magnitude. The other half stays.
void encode_half(dnnl_data_type_t type, double value, std::byte *place, bool is_upper);
double decode_half(dnnl_data_type_t type, const std::byte *place, bool is_upper);

/// The value of `type` nearest to `value`.
double rounded(dnnl_data_type_t type, double value);

} // namespace kiln::test
