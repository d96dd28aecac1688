// SPDX-License-Identifier: Apache-2.0
// Sets of data types.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "common/types.hpp"

namespace kiln {

/// A set of data types, one bit for each.
using type_set_t = uint32_t;

constexpr type_set_t type_set(std::initializer_list<data_type_t> types) {
    type_set_t set = 0;
    for (data_type_t type : types) set |= 1u << type;
    return set;
}

/// Any value may be asked about: one that is no data type is in no set.
constexpr bool contains(type_set_t set, data_type_t type) {
    return static_cast<unsigned>(type) < 32 && (set >> type & 1) != 0;
}

/// "f32, bf16".
std::string names_of(type_set_t set);

constexpr type_set_t float_types = type_set({dnnl_f32, dnnl_bf16, dnnl_f16});
constexpr type_set_t f8_types = type_set({dnnl_f8_e5m2, dnnl_f8_e4m3});
constexpr type_set_t f4_types = type_set({dnnl_f4_e2m1, dnnl_f4_e3m0});
constexpr type_set_t int8_types = type_set({dnnl_s8, dnnl_u8});
constexpr type_set_t int4_types = type_set({dnnl_s4, dnnl_u4});
constexpr type_set_t integer_types = type_set({dnnl_s32}) | int8_types | int4_types;
/// The types whose elements the library can load and store.
constexpr type_set_t element_types =
        float_types | f8_types | int8_types | type_set({dnnl_f64, dnnl_s32});

} // namespace kiln
