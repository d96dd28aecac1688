// SPDX-License-Identifier: Apache-2.0
// Element types: names, sizes and exact conversions to and from double. The conversions are
// independent of the library's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "oneapi/dnnl/dnnl_types.h"

namespace benchdnn {

dnnl_data_type_t parse_data_type(const std::string &name);
std::string data_type_text(dnnl_data_type_t type);

// Bytes of an element; 0 for types whose elements share a byte.
size_t data_type_size(dnnl_data_type_t type);
// Bits of an element.
size_t data_type_bits(dnnl_data_type_t type);
// Bytes that so many elements take.
size_t bytes_of(dnnl_data_type_t type, int64_t elements);
// Elements of four bits. Of the two in a byte, the first one has the lower bits.
bool is_half_byte(dnnl_data_type_t type);
// f4_e2m1, f4_e3m0: only factors of matrix products may have these types.
bool is_half_byte_float(dnnl_data_type_t type);
// Whether every driver can check tensors of the type.
bool is_testable_type(dnnl_data_type_t type);
// The same for tensors and values that are weights: these may be integers of half a byte.
bool is_testable_weights_type(dnnl_data_type_t type);
bool is_integer_type(dnnl_data_type_t type);
// Significant binary digits of a value, the hidden one included.
int significand_digits(dnnl_data_type_t type);

// The least number of values of the type between two of them.
double values_between(dnnl_data_type_t type, double low, double high);

// The nearest value of the type (ties to even): integers saturate, floating-point values overflow
// to infinity, or to NaN in a type without infinities. NaN becomes 0 in integers.
double rounded_to(dnnl_data_type_t type, double value);

double load_element(dnnl_data_type_t type, const void *base, int64_t index);
void store_element(dnnl_data_type_t type, void *base, int64_t index, double value);

// Elements begin, begin + stride, ... as doubles. Threads must not store halves of one byte at
// once.
void load_strided(dnnl_data_type_t type, const void *base, int64_t begin, int64_t stride,
        int64_t count, double *values);
void store_strided(dnnl_data_type_t type, void *base, int64_t begin, int64_t stride, int64_t count,
        const double *values);

} // namespace benchdnn
