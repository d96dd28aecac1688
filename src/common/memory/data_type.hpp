// SPDX-License-Identifier: Apache-2.0
// The data types of the interface in memory: size of an element, load, store, and dispatch from a
// run-time type to a C++ type.
#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "common/memory/float_conversion.hpp"
#include "oneapi/dnnl/dnnl_types.h"

namespace kiln {

// Bytes an element takes in memory; 0 for undef and unknown values. The 4-bit types lie two to a
// byte, but their size is given as 1, as the interface does.
size_t data_type_size(dnnl_data_type_t data_type);

// Whether two elements share a byte: s4 u4 f4_e2m1 f4_e3m0.
bool is_half_byte(dnnl_data_type_t data_type);

// Whether elements of the type can be loaded and stored: f32 bf16 f16 f64 s32 s8 u8 f8_e5m2
// f8_e4m3.
bool has_element_type(dnnl_data_type_t data_type);

// Nearest integer, ties to even, in any rounding mode; for magnitudes below 2^62.
inline std::int64_t round_half_even(double value) {
    const auto truncated = static_cast<std::int64_t>(value);
    const double rest = value - static_cast<double>(truncated);
    const std::int64_t odd = truncated & 1;
    const std::int64_t up = (rest > 0.5) | ((rest == 0.5) & odd);
    const std::int64_t down = (rest < -0.5) | ((rest == -0.5) & odd);
    return truncated + up - down;
}

// An arithmetic value as an element of type T.
//   - Integers: nearest, ties to even, in any rounding mode; beyond the range, infinities too, the
//     end of the range on that side; NaN becomes 0.
//   - Floating-point types: rounded once; they have values for overflow and NaN of their own.
template <class T> T saturate_cast(double value) {
    if constexpr (std::integral<T>) {
        static_assert(sizeof(T) <= sizeof(std::int32_t), "the limits must be exact in double");
        constexpr double lowest = std::numeric_limits<T>::min();
        constexpr double highest = std::numeric_limits<T>::max();
        // Clamped first, since converting what does not fit is undefined; NaN goes to `lowest`
        // here.
        const double raised = value > lowest ? value : lowest;
        const double clamped = raised < highest ? raised : highest;
        const auto rounded = static_cast<T>(round_half_even(clamped));
        return value == value ? rounded : T(0);
    } else {
        return static_cast<T>(value);
    }
}

template <class T> T saturate_cast(float value) {
    if constexpr (std::integral<T>) {
        return saturate_cast<T>(static_cast<double>(value));
    } else {
        return static_cast<T>(value);
    }
}

// Element `index` of an array of T. The array may lie at any address.
template <class T> T load_element(const void *base, std::int64_t index) {
    T element;
    std::memcpy(&element,
            static_cast<const std::byte *>(base) + index * static_cast<std::int64_t>(sizeof(T)),
            sizeof(T));
    return element;
}

template <class T> void store_element(T element, void *base, std::int64_t index) {
    std::memcpy(static_cast<std::byte *>(base) + index * static_cast<std::int64_t>(sizeof(T)),
            &element, sizeof(T));
}

// Calls `f(std::type_identity<T>{})` with the C++ type of a data type, so that a loop is chosen
// once and not a conversion for each element. Returns what `f` returns.
// Only for types that has_element_type(); with another, `f` is not called and the result is
// value-initialized.
template <class F> auto with_type(dnnl_data_type_t data_type, F &&f) {
    using result_t = std::invoke_result_t<F &, std::type_identity<float>>;
    switch (data_type) {
    case dnnl_f32: return f(std::type_identity<float>{});
    case dnnl_bf16: return f(std::type_identity<bfloat16_t>{});
    case dnnl_f16: return f(std::type_identity<float16_t>{});
    case dnnl_f64: return f(std::type_identity<double>{});
    case dnnl_s32: return f(std::type_identity<std::int32_t>{});
    case dnnl_s8: return f(std::type_identity<std::int8_t>{});
    case dnnl_u8: return f(std::type_identity<std::uint8_t>{});
    case dnnl_f8_e5m2: return f(std::type_identity<float8_e5m2_t>{});
    case dnnl_f8_e4m3: return f(std::type_identity<float8_e4m3_t>{});
    default: assert(has_element_type(data_type)); return result_t();
    }
}

// Element `index` of an array of a run-time type. These choose the type anew for each element; a
// loop over a tensor stands inside with_type instead. They lose nothing: s32 is exact in
// double, and double goes to each type with one rounding. Loads take e8m0, too.
double load_f64(dnnl_data_type_t data_type, const void *base, std::int64_t index);
void store_f64(dnnl_data_type_t data_type, double value, void *base, std::int64_t index);

} // namespace kiln
