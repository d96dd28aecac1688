// SPDX-License-Identifier: Apache-2.0
// The values of src.
#include "reorder/values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/tensor/data_type.hpp"
#include "common/tensor/fill.hpp"

namespace benchdnn::reorder {

namespace {

constexpr int carrier_count = 251;

// Large tensors are measured. They have few special values, and none that are unusual in models:
// some instructions take a hundred cycles for a subnormal. Small tensors check the other special
// values.
constexpr dim_t many_elements = dim_t(1) << 17;
constexpr dim_t distance_in_small = 7, distance_in_large = 4093;

struct type_facts_t {
    dnnl_data_type_t type;
    double least, most;    // finite values
    int low_exp, high_exp; // of normal values
};
constexpr type_facts_t facts[] = {
        {dnnl_f32, -3.4028234663852886e38, 3.4028234663852886e38, -126, 127},
        {dnnl_f64, -1.7976931348623157e308, 1.7976931348623157e308, -1022, 1023},
        {dnnl_bf16, -3.3895313892515355e38, 3.3895313892515355e38, -126, 127},
        {dnnl_f16, -65504, 65504, -14, 15},
        {dnnl_f8_e5m2, -57344, 57344, -14, 15},
        {dnnl_f8_e4m3, -448, 448, -6, 8},
        {dnnl_s32, -2147483648., 2147483647, 0, 30},
        {dnnl_s8, -128, 127, 0, 6},
        {dnnl_u8, 0, 255, 0, 7},
};

const type_facts_t &facts_of(dnnl_data_type_t type) {
    for (const type_facts_t &row : facts)
        if (row.type == type) return row;
    return facts[0];
}

bool is_byte_integer(dnnl_data_type_t type) { return type == dnnl_s8 || type == dnnl_u8; }

double least_subnormal(dnnl_data_type_t type) {
    return std::ldexp(1, facts_of(type).low_exp - significand_digits(type) + 1);
}

// Evenly over the range of both types, in quarters if there are fractions: every fourth is a tie.
std::vector<double> even_carriers(
        dnnl_data_type_t src, dnnl_data_type_t dst, const mapping_t &mapping) {
    const auto back = [&](double value) {
        return (value - mapping.dst_zero_point) / mapping.factor + mapping.src_zero_point;
    };
    const double one = back(facts_of(dst).least), other = back(facts_of(dst).most);
    double begin = std::max(std::min(one, other), facts_of(src).least);
    double end = std::min(std::max(one, other), facts_of(src).most);
    // A negative scale reverses the range: u8 then needs negative values of src.
    if (mapping.has_tensor_scales) begin = std::max(std::min(begin, -end), facts_of(src).least);
    // With extreme scales, hardly any value of src is in the range of dst; src must vary
    // nevertheless.
    if (is_integer_type(src) && end - begin < 16) {
        begin = std::max(facts_of(src).least, -128.);
        end = std::min(facts_of(src).most, 127.);
    }
    const double quantum = is_integer_type(dst) ? std::ldexp(1, -2) / std::fabs(mapping.factor) : 0;
    std::vector<double> values;
    for (int k = 0; k < carrier_count; ++k) {
        // 97: neighbours differ much. The first value is not zero.
        const double at = static_cast<double>((k * 97 + 200) % carrier_count) / (carrier_count - 1);
        const double value = begin + (end - begin) * at;
        values.push_back(quantum > 0 ? std::nearbyint(value / quantum) * quantum : value);
    }
    return values;
}

struct exponents_t {
    int low, high;
};

// Exponents that both types have, including subnormals of dst, between -20 and 20.
exponents_t common_exponents(dnnl_data_type_t src, dnnl_data_type_t dst, const mapping_t &mapping) {
    const auto reach = [](dnnl_data_type_t type) {
        const type_facts_t &row = facts_of(type);
        if (is_integer_type(type)) return exponents_t{-1, row.high_exp};
        return exponents_t{std::max(row.low_exp - 2, -20), std::min(row.high_exp, 20)};
    };
    const int shift = std::ilogb(mapping.factor);
    const exponents_t of_src = reach(src), of_dst = reach(dst);
    exponents_t both{
            std::max(of_src.low, of_dst.low - shift), std::min(of_src.high, of_dst.high - shift)};
    // Exponentials and powers of large values are all infinite, zero or equal.
    if (mapping.has_post_ops) both = {std::max(both.low, -6), std::min(both.high, 3)};
    if (both.high < both.low + 3)
        both.high = both.low + 3; // no common exponents: src must vary nevertheless
    return both;
}

// Both signs, all exponents, all bits of the significand of src; every third value is half way
// between two values of dst.
std::vector<double> scattered_carriers(
        dnnl_data_type_t src, dnnl_data_type_t dst, const mapping_t &mapping) {
    const noise_t noise(1);
    const exponents_t exponents = common_exponents(src, dst, mapping);
    const double step = std::ldexp(1, 1 - std::min(significand_digits(dst), 24));
    std::vector<double> values;
    for (int k = 0; k < carrier_count; ++k) {
        double significand = 1 + (noise(k) + 1) / 2;
        if (k % 3 == 0) significand = 1 + (std::floor((significand - 1) / step) + 0.5) * step;
        const int exponent = exponents.low + k % (exponents.high - exponents.low + 1);
        const double value = std::ldexp(significand, exponent) * (noise(k + 1000) < 0 ? -1 : 1);
        // Quarters, as above.
        values.push_back(is_integer_type(dst) ? std::nearbyint(value * 4) / 4 : value);
    }
    return values;
}

void add_limits(std::vector<double> &values, dnnl_data_type_t type) {
    const type_facts_t &row = facts_of(type);
    for (const double limit : {row.least, row.most}) {
        values.push_back(limit);
        if (is_integer_type(type)) {
            for (const double off : {0.5, 1., 1.5}) values.push_back(limit + off);
            for (const double off : {0.5, 1.}) values.push_back(limit - off);
            continue;
        }
        // Half way to the next value, and slightly below and above it.
        const double half_step = std::ldexp(1, row.high_exp - significand_digits(type));
        const double tie = limit + std::copysign(half_step, limit);
        if (std::isfinite(tie))
            values.insert(values.end(), {tie, tie * (1 - 0x1p-20), tie * (1 + 0x1p-20)});
    }
}

void add_small_values(std::vector<double> &values, dnnl_data_type_t type) {
    if (is_integer_type(type)) return;
    const double quantum = least_subnormal(type);
    const double normal = std::ldexp(1, facts_of(type).low_exp);
    for (const double value : {quantum / 2, quantum, quantum * 1.5, quantum * 3, normal - quantum,
                 normal - quantum / 2, normal})
        values.insert(values.end(), {value, -value});
}

bool is_tame(double value, const mapping_t &mapping, bool is_large) {
    if (value == 0) return true;
    const double size = std::fabs(value);
    // Post-ops of huge values prove nothing.
    if (mapping.has_post_ops) return size >= 0x1p-6 && size <= 16;
    // With arithmetic, intermediate results stay within the normal range of f32.
    return !(mapping.computes || is_large) || (size >= 0x1p-20 && size <= 0x1p31);
}

std::vector<double> special_values(
        dnnl_data_type_t src, dnnl_data_type_t dst, const mapping_t &mapping, bool is_large) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::vector<double> all{0, -0., 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 3.5, infinity, -infinity,
            std::numeric_limits<double>::quiet_NaN(),
            // More than 24 bits: ties of f32, and a neighbour.
            16777217, -16777219, 2147483584, 2147483583, 0x1p53 - 1};
    for (const dnnl_data_type_t type : {src, dst}) {
        add_limits(all, type);
        add_small_values(all, type);
    }
    std::vector<double> kept;
    for (const double value : all) {
        if (!is_tame(value, mapping, is_large)) continue;
        const bool is_special =
                std::isnan(value) || std::isinf(value) || (value == 0 && std::signbit(value));
        if (is_integer_type(src) && is_special) continue;
        if (std::isfinite(value) && rounded_to(src, value) != value) continue;
        if (std::isinf(value) && std::isnan(rounded_to(src, value))) continue;
        kept.push_back(value);
    }
    return kept;
}

} // namespace

src_values_t::src_values_t(
        dnnl_data_type_t src, dnnl_data_type_t dst, const mapping_t &mapping, dim_t elements)
    : carriers_(is_byte_integer(src) || is_byte_integer(dst)
                        ? even_carriers(src, dst, mapping)
                        : scattered_carriers(src, dst, mapping))
    , specials_(special_values(src, dst, mapping, elements >= many_elements))
    , distance_(elements < many_elements ? distance_in_small : distance_in_large) {}

double src_values_t::operator()(dim_t index) const {
    if (index % distance_ == distance_ - 1)
        return specials_[static_cast<size_t>(index / distance_) % specials_.size()];
    return carriers_[static_cast<size_t>(index + index / carrier_count * 17) % carrier_count];
}

} // namespace benchdnn::reorder
