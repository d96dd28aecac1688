// SPDX-License-Identifier: Apache-2.0
// Element types: their names, sizes and exact conversion to and from double.
#include "common/tensor/data_type.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "common/command_line/text.hpp"
#include "common/command_line/usage_error.hpp"
#include "common/tensor/float_format.hpp"

namespace benchdnn {

namespace {

struct type_row_t {
    dnnl_data_type_t type;
    const char *name;
    size_t bits;
    bool integer;
    int digits;
};

constexpr type_row_t type_table[] = {
        {dnnl_f32, "f32", 32, false, 24},
        {dnnl_bf16, "bf16", 16, false, 8},
        {dnnl_f16, "f16", 16, false, 11},
        {dnnl_f64, "f64", 64, false, 53},
        {dnnl_s32, "s32", 32, true, 31},
        {dnnl_s8, "s8", 8, true, 7},
        {dnnl_u8, "u8", 8, true, 8},
        {dnnl_f8_e5m2, "f8_e5m2", 8, false, 3},
        {dnnl_f8_e4m3, "f8_e4m3", 8, false, 4},
        {dnnl_e8m0, "e8m0", 8, false, 1},
        {dnnl_s4, "s4", 4, true, 3},
        {dnnl_u4, "u4", 4, true, 4},
        {dnnl_f4_e2m1, "f4_e2m1", 4, false, 2},
        {dnnl_f4_e3m0, "f4_e3m0", 4, false, 1},
        {dnnl_boolean, "boolean", 0, true, 1},
        {dnnl_s64, "s64", 64, true, 63},
        {dnnl_data_type_undef, "undef", 0, false, 0},
};

const type_row_t &row_of(dnnl_data_type_t type) {
    for (const type_row_t &row : type_table)
        if (row.type == type) return row;
    return std::end(type_table)[-1];
}

// One struct for each element type: its storage and its value.
template <typename storage_type> struct native_float_t {
    using storage_t = storage_type;
    static double value(storage_t stored) { return stored; }
    static storage_t stored(double value) { return static_cast<storage_t>(value); }
};

template <typename storage_type, const float_format_t &format> struct narrow_float_t {
    using storage_t = storage_type;
    static double value(storage_t stored) { return decode(format, stored); }
    static storage_t stored(double value) { return static_cast<storage_t>(encode(format, value)); }
};

template <typename storage_type> struct saturated_integer_t {
    using storage_t = storage_type;
    using limits_t = std::numeric_limits<storage_t>;
    static double value(storage_t stored) { return stored; }
    static storage_t stored(double value) {
        if (std::isnan(value)) return 0;
        return static_cast<storage_t>(
                std::nearbyint(std::clamp<double>(value, limits_t::lowest(), limits_t::max())));
    }
};

// A power of two, 2^(stored - 127); 255 is NaN.
struct power_of_two_t {
    using storage_t = uint8_t;
    static double value(storage_t stored) {
        return stored == 255 ? std::numeric_limits<double>::quiet_NaN()
                             : std::ldexp(1.0, stored - 127);
    }
    static storage_t stored(double value) {
        if (!(value > 0) || std::isinf(value)) return 255;
        return static_cast<storage_t>(std::clamp(std::nearbyint(std::log2(value)) + 127, 0., 254.));
    }
};

// An integer of four bits in the low half of a byte.
template <bool is_signed> struct half_byte_t {
    using storage_t = uint8_t;
    static double value(storage_t stored) {
        return is_signed && stored >= 8 ? stored - 16. : stored;
    }
    static storage_t stored(double value) {
        if (std::isnan(value)) return 0;
        const double low = is_signed ? -8 : 0;
        const double whole = std::nearbyint(std::clamp(value, low, low + 15));
        return static_cast<storage_t>(static_cast<int>(whole) & 15);
    }
};

// A float of four bits in the low half of a byte: a sign and one of eight magnitudes. Values
// between two of them are rounded to the nearest, ties to the even code, and saturate; NaN becomes
// the largest.
template <dnnl_data_type_t type> struct half_byte_float_t {
    using storage_t = uint8_t;
    static constexpr double magnitudes[] = {0, type == dnnl_f4_e2m1 ? 0.5 : 0.25,
            type == dnnl_f4_e2m1 ? 1 : 0.5, type == dnnl_f4_e2m1 ? 1.5 : 1, 2,
            type == dnnl_f4_e2m1 ? 3 : 4, type == dnnl_f4_e2m1 ? 4 : 8,
            type == dnnl_f4_e2m1 ? 6 : 16};
    static double value(storage_t stored) {
        return stored >= 8 ? -magnitudes[stored - 8] : magnitudes[stored];
    }
    static storage_t stored(double value) {
        const double magnitude = std::isnan(value) ? magnitudes[7] : std::fabs(value);
        storage_t code = 0;
        for (storage_t next = 1; next < 8; ++next) {
            const double middle = (magnitudes[next - 1] + magnitudes[next]) / 2;
            if (magnitude > middle || (magnitude == middle && next % 2 == 0)) code = next;
        }
        return static_cast<storage_t>(std::signbit(value) ? code | 8 : code);
    }
};

template <typename element_t> constexpr bool shares_bytes = false;
template <bool is_signed> constexpr bool shares_bytes<half_byte_t<is_signed>> = true;
template <dnnl_data_type_t type> constexpr bool shares_bytes<half_byte_float_t<type>> = true;

template <typename storage_t, typename element_t>
double load_at(const storage_t *base, int64_t index, element_t element) {
    if constexpr (shares_bytes<element_t>)
        return element.value(static_cast<storage_t>(base[index / 2] >> index % 2 * 4 & 15));
    else
        return element.value(base[index]);
}

template <typename storage_t, typename element_t>
void store_at(storage_t *base, int64_t index, element_t element, double value) {
    const storage_t stored = element.stored(value);
    if constexpr (shares_bytes<element_t>) {
        storage_t &byte = base[index / 2];
        byte = static_cast<storage_t>(
                index % 2 == 0 ? (byte & 0xf0) | stored : (byte & 0x0f) | stored << 4);
    } else {
        base[index] = stored;
    }
}

template <typename visitor_t> auto with_type(dnnl_data_type_t type, visitor_t &&visitor) {
    switch (type) {
    case dnnl_bf16: return visitor(narrow_float_t<uint16_t, bf16_format>());
    case dnnl_f16: return visitor(narrow_float_t<uint16_t, f16_format>());
    case dnnl_f64: return visitor(native_float_t<double>());
    case dnnl_s32: return visitor(saturated_integer_t<int32_t>());
    case dnnl_s8: return visitor(saturated_integer_t<int8_t>());
    case dnnl_u8: return visitor(saturated_integer_t<uint8_t>());
    case dnnl_f8_e5m2: return visitor(narrow_float_t<uint8_t, f8_e5m2_format>());
    case dnnl_f8_e4m3: return visitor(narrow_float_t<uint8_t, f8_e4m3_format>());
    case dnnl_e8m0: return visitor(power_of_two_t());
    case dnnl_f32: return visitor(native_float_t<float>());
    case dnnl_s4: return visitor(half_byte_t<true>());
    case dnnl_u4: return visitor(half_byte_t<false>());
    case dnnl_f4_e2m1: return visitor(half_byte_float_t<dnnl_f4_e2m1>());
    case dnnl_f4_e3m0: return visitor(half_byte_float_t<dnnl_f4_e3m0>());
    default: throw usage_error_t("elements of type " + data_type_text(type) + " have no value");
    }
}

} // namespace

dnnl_data_type_t parse_data_type(const std::string &name) {
    std::vector<std::string> names;
    for (const type_row_t &row : type_table) {
        if (lowercase(name) == row.name) return row.type;
        names.push_back(row.name);
    }
    throw bad_value_t(name, "not a data type", names);
}

std::string data_type_text(dnnl_data_type_t type) { return row_of(type).name; }
size_t data_type_bits(dnnl_data_type_t type) { return row_of(type).bits; }
size_t data_type_size(dnnl_data_type_t type) { return data_type_bits(type) / 8; }
size_t bytes_of(dnnl_data_type_t type, int64_t elements) {
    return (static_cast<size_t>(elements) * data_type_bits(type) + 7) / 8;
}
bool is_half_byte(dnnl_data_type_t type) { return data_type_bits(type) == 4; }
bool is_half_byte_float(dnnl_data_type_t type) {
    return type == dnnl_f4_e2m1 || type == dnnl_f4_e3m0;
}
bool is_testable_type(dnnl_data_type_t type) {
    return data_type_size(type) > 0 && type != dnnl_e8m0 && type != dnnl_s64;
}
bool is_testable_weights_type(dnnl_data_type_t type) {
    return is_testable_type(type) || (is_half_byte(type) && is_integer_type(type));
}
bool is_integer_type(dnnl_data_type_t type) { return row_of(type).integer; }
int significand_digits(dnnl_data_type_t type) { return row_of(type).digits; }

double values_between(dnnl_data_type_t type, double low, double high) {
    if (is_integer_type(type)) return high - low + 1;
    const double largest = std::max(std::fabs(low), std::fabs(high));
    if (largest == 0) return 1;
    const double spacing = std::ldexp(1.0, std::ilogb(largest) + 1 - significand_digits(type));
    return (high - low) / spacing + 1;
}

double rounded_to(dnnl_data_type_t type, double value) {
    return with_type(type, [=](auto element) { return element.value(element.stored(value)); });
}

double load_element(dnnl_data_type_t type, const void *base, int64_t index) {
    double value;
    load_strided(type, base, index, 0, 1, &value);
    return value;
}

void store_element(dnnl_data_type_t type, void *base, int64_t index, double value) {
    store_strided(type, base, index, 0, 1, &value);
}

void load_strided(dnnl_data_type_t type, const void *base, int64_t begin, int64_t stride,
        int64_t count, double *values) {
    with_type(type, [=](auto element) {
        using storage_t = typename decltype(element)::storage_t;
        const auto *from = static_cast<const storage_t *>(base);
        for (int64_t i = 0; i < count; ++i) values[i] = load_at(from, begin + i * stride, element);
    });
}

void store_strided(dnnl_data_type_t type, void *base, int64_t begin, int64_t stride, int64_t count,
        const double *values) {
    with_type(type, [=](auto element) {
        using storage_t = typename decltype(element)::storage_t;
        auto *to = static_cast<storage_t *>(base);
        for (int64_t i = 0; i < count; ++i) store_at(to, begin + i * stride, element, values[i]);
    });
}

} // namespace benchdnn
