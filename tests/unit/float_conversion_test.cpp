// SPDX-License-Identifier: Apache-2.0
// Narrow floating-point formats against a model that knows only their definition: a list of all
// values, searched for the nearest. It shares no arithmetic with the conversions.
#include "common/memory/float_conversion.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace kiln::test {

namespace {

struct definition_t {
    int exponent_bits;
    int mantissa_bits;
    bool has_infinity;
};

template <class T> constexpr definition_t definition_of{};
template <> constexpr definition_t definition_of<bfloat16_t>{8, 7, true};
template <> constexpr definition_t definition_of<float16_t>{5, 10, true};
template <> constexpr definition_t definition_of<float8_e5m2_t>{5, 2, true};
template <> constexpr definition_t definition_of<float8_e4m3_t>{4, 3, false};

// The non-negative finite values of a format in the order of their codes, and where rounding goes.
class model_t {
public:
    explicit model_t(const definition_t &definition)
        : definition_(definition) {
        const unsigned magnitudes = 1u << (definition.exponent_bits + definition.mantissa_bits);
        const unsigned specials = definition.has_infinity ? 1u << definition.mantissa_bits : 1;
        for (unsigned code = 0; code < magnitudes - specials; ++code)
            values_.push_back(magnitude(code));
        beyond_ = magnitude(magnitudes - specials);
    }

    unsigned sign_bit() const {
        return 1u << (definition_.exponent_bits + definition_.mantissa_bits);
    }
    unsigned finite_codes() const { return static_cast<unsigned>(values_.size()); }
    double value(unsigned code) const { return values_[code]; }

    // The first code that is not finite: infinity, or the NaN of a format without it.
    unsigned overflow_code() const { return finite_codes(); }

    // Half way to the next value up; above the last one, to where the next one would be.
    double midpoint_above(unsigned code) const {
        const double next = code + 1 < finite_codes() ? values_[code + 1] : beyond_;
        return (values_[code] + next) / 2;
    }

    unsigned nearest_code(double value) const {
        const double magnitude = std::fabs(value);
        const auto above = std::upper_bound(values_.begin(), values_.end(), magnitude);
        auto code = static_cast<unsigned>(above - values_.begin()) - 1;
        const double middle = midpoint_above(code);
        if (magnitude > middle || (magnitude == middle && code % 2 != 0)) ++code;
        return code | (std::signbit(value) ? sign_bit() : 0);
    }

private:
    double magnitude(unsigned code) const {
        const int bias = (1 << (definition_.exponent_bits - 1)) - 1;
        const int exponent = static_cast<int>(code >> definition_.mantissa_bits);
        const double fraction = std::ldexp(
                code & ((1u << definition_.mantissa_bits) - 1), -definition_.mantissa_bits);
        return exponent == 0 ? std::ldexp(fraction, 1 - bias)
                             : std::ldexp(1 + fraction, exponent - bias);
    }

    definition_t definition_;
    std::vector<double> values_;
    double beyond_;
};

template <class T> T from_code(unsigned code) {
    return T::from_bits(static_cast<typename T::storage_t>(code));
}

template <class T> class narrow_float : public ::testing::Test {
protected:
    const model_t model_{definition_of<T>};
};

using narrow_types = ::testing::Types<bfloat16_t, float16_t, float8_e5m2_t, float8_e4m3_t>;
TYPED_TEST_SUITE(narrow_float, narrow_types);

TYPED_TEST(narrow_float, every_finite_code_means_what_its_definition_says) {
    for (unsigned code = 0; code < this->model_.finite_codes(); ++code) {
        const double value = this->model_.value(code);
        const auto positive = from_code<TypeParam>(code);
        const auto negative = from_code<TypeParam>(code | this->model_.sign_bit());
        ASSERT_EQ(static_cast<double>(static_cast<float>(positive)), value) << "code " << code;
        ASSERT_EQ(static_cast<double>(positive), value) << "code " << code;
        ASSERT_EQ(static_cast<float>(negative), -value) << "code " << code;
        ASSERT_TRUE(std::signbit(static_cast<float>(negative))) << "code " << code;
    }
}

TYPED_TEST(narrow_float, codes_above_the_finite_ones_are_infinity_and_nans) {
    const auto infinity = std::numeric_limits<float>::infinity();
    unsigned first_nan = this->model_.overflow_code();
    if (definition_of<TypeParam>.has_infinity) {
        EXPECT_EQ(static_cast<float>(from_code<TypeParam>(first_nan)), infinity);
        const auto negative = from_code<TypeParam>(first_nan | this->model_.sign_bit());
        EXPECT_EQ(static_cast<float>(negative), -infinity);
        ++first_nan;
    }
    ASSERT_LT(first_nan, this->model_.sign_bit());
    for (unsigned code = first_nan; code < this->model_.sign_bit(); ++code) {
        ASSERT_TRUE(std::isnan(static_cast<float>(from_code<TypeParam>(code)))) << "code " << code;
        ASSERT_TRUE(std::isnan(static_cast<double>(from_code<TypeParam>(code)))) << "code " << code;
    }
}

TYPED_TEST(narrow_float, every_code_survives_the_round_trip_with_nans_made_quiet) {
    const unsigned quiet_bit = definition_of<TypeParam>.has_infinity
                                       ? 1u << (definition_of<TypeParam>.mantissa_bits - 1)
                                       : 0;
    for (unsigned code = 0; code < 2 * this->model_.sign_bit(); ++code) {
        const auto value = from_code<TypeParam>(code);
        const bool is_nan = std::isnan(static_cast<float>(value));
        const unsigned expected = is_nan ? code | quiet_bit : code;
        ASSERT_EQ(TypeParam(static_cast<float>(value)).bits, expected) << "code " << code;
        ASSERT_EQ(TypeParam(static_cast<double>(value)).bits, expected) << "code " << code;
    }
}

TYPED_TEST(narrow_float, floats_at_and_beside_every_boundary_go_to_the_nearest_even_code) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (unsigned code = 0; code < this->model_.finite_codes(); ++code) {
        for (const double at : {this->model_.value(code), this->model_.midpoint_above(code)}) {
            const auto center = static_cast<float>(at);
            if (std::isinf(center)) continue; // half a bf16 step above the largest: no float is
            ASSERT_EQ(center, at) << "boundaries are floats";
            for (const float value :
                    {std::nextafter(center, -infinity), center, std::nextafter(center, infinity)}) {
                if (std::isinf(value)) continue;
                ASSERT_EQ(TypeParam(value).bits, this->model_.nearest_code(value)) << value;
                ASSERT_EQ(TypeParam(-value).bits, this->model_.nearest_code(-value)) << -value;
            }
        }
    }
}

TYPED_TEST(narrow_float, floats_all_over_their_range_go_to_the_nearest_even_code) {
    constexpr std::uint32_t stride = 4099; // prime: all low bits are met
    constexpr std::uint64_t end = 0x7f800000;
    for (std::uint64_t bits = 0; bits < end; bits += stride) {
        const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        ASSERT_EQ(TypeParam(value).bits, this->model_.nearest_code(value)) << value;
        ASSERT_EQ(TypeParam(-value).bits, this->model_.nearest_code(-value)) << -value;
    }
}

TYPED_TEST(narrow_float, doubles_beside_every_boundary_are_rounded_once) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (unsigned code = 0; code < this->model_.finite_codes(); ++code) {
        for (const double at : {this->model_.value(code), this->model_.midpoint_above(code)}) {
            for (const double value :
                    {std::nextafter(at, -infinity), at, std::nextafter(at, infinity)}) {
                ASSERT_EQ(TypeParam(value).bits, this->model_.nearest_code(value)) << value;
                ASSERT_EQ(TypeParam(-value).bits, this->model_.nearest_code(-value)) << -value;
            }
        }
    }
}

TYPED_TEST(narrow_float, too_large_values_overflow_as_the_format_says) {
    const unsigned expected = this->model_.overflow_code();
    const unsigned sign = this->model_.sign_bit();
    constexpr float float_infinity = std::numeric_limits<float>::infinity();
    constexpr double double_infinity = std::numeric_limits<double>::infinity();
    for (const float value : {std::numeric_limits<float>::max(), float_infinity}) {
        EXPECT_EQ(TypeParam(value).bits, expected) << value;
        EXPECT_EQ(TypeParam(-value).bits, expected | sign) << -value;
    }
    for (const double value : {1e39, std::numeric_limits<double>::max(), double_infinity}) {
        EXPECT_EQ(TypeParam(value).bits, expected) << value;
        EXPECT_EQ(TypeParam(-value).bits, expected | sign) << -value;
    }
}

TYPED_TEST(narrow_float, nans_stay_nans_of_their_sign_and_become_quiet) {
    const auto definition = definition_of<TypeParam>;
    const unsigned mantissa_mask = (1u << definition.mantissa_bits) - 1;
    for (std::uint32_t mantissa = 1; mantissa < 0x00800000; mantissa += 1021) {
        const unsigned kept = mantissa >> (23 - definition.mantissa_bits);
        const unsigned quiet = kept | 1u << (definition.mantissa_bits - 1);
        const unsigned expected = this->model_.sign_bit() - 1 - mantissa_mask
                                  + (definition.has_infinity ? quiet : mantissa_mask);
        const auto positive = std::bit_cast<float>(0x7f800000u | mantissa);
        const auto negative = std::bit_cast<float>(0xff800000u | mantissa);
        ASSERT_EQ(TypeParam(positive).bits, expected) << "mantissa " << mantissa;
        ASSERT_EQ(TypeParam(negative).bits, expected | this->model_.sign_bit())
                << "mantissa " << mantissa;
    }
    EXPECT_TRUE(std::isnan(
            static_cast<float>(TypeParam(std::numeric_limits<double>::signaling_NaN()))));
}

TEST(float_conversion, keeps_the_payload_of_a_bfloat16_nan_untouched_on_the_way_up) {
    const auto up = std::bit_cast<std::uint32_t>(static_cast<float>(bfloat16_t::from_bits(0xff81)));
    EXPECT_EQ(up, 0xff810000u);
}

TEST(float_conversion, rounds_to_odd_only_what_is_inexact) {
    const double half_step = std::ldexp(1.0, -24);
    EXPECT_EQ(round_to_odd(1.0), 1.0f);
    EXPECT_EQ(round_to_odd(1 + half_step / 1024), std::nextafter(1.0f, 2.0f));
    EXPECT_EQ(round_to_odd(1 - half_step / 1024), std::nextafter(1.0f, 0.0f));
    EXPECT_EQ(round_to_odd(-1 - half_step / 1024), std::nextafter(-1.0f, -2.0f));
    const float odd = std::nextafter(1.0f, 2.0f);
    EXPECT_EQ(round_to_odd(odd + half_step / 1024), odd);
    EXPECT_EQ(round_to_odd(odd - half_step / 1024), odd);
    EXPECT_EQ(round_to_odd(1e300), std::numeric_limits<float>::max());
    EXPECT_EQ(round_to_odd(1e-300), std::numeric_limits<float>::denorm_min());
    EXPECT_EQ(round_to_odd(-1e-300), -std::numeric_limits<float>::denorm_min());
    EXPECT_TRUE(std::isnan(round_to_odd(std::numeric_limits<double>::quiet_NaN())));
}

TEST(float_conversion, reads_e8m0_codes_as_powers_of_two_without_zero_and_infinity) {
    for (unsigned code = 0; code < 255; ++code) {
        const float8_e8m0_t scale{static_cast<std::uint8_t>(code)};
        ASSERT_EQ(static_cast<float>(scale), std::ldexp(1.0f, static_cast<int>(code) - 127));
    }
    EXPECT_TRUE(std::isnan(static_cast<float>(float8_e8m0_t{255})));
}

} // namespace

} // namespace kiln::test
