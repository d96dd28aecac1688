// SPDX-License-Identifier: Apache-2.0
// The driver's own conversions, against the definition of the formats.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "common/command_line/usage_error.hpp"
#include "common/tensor/data_type.hpp"

namespace benchdnn {

namespace {

double of_bits(dnnl_data_type_t type, uint32_t bits) { return load_element(type, &bits, 0); }

uint32_t bits_of(dnnl_data_type_t type, double value) {
    uint32_t bits = 0;
    store_element(type, &bits, 0, value);
    return bits;
}

class narrow_type : public testing::TestWithParam<dnnl_data_type_t> {
protected:
    uint32_t codes() const { return 1u << (8 * data_type_size(GetParam())); }
};

TEST_P(narrow_type, every_value_survives) {
    for (uint32_t bits = 0; bits < codes(); ++bits) {
        const double value = of_bits(GetParam(), bits);
        if (std::isnan(value)) {
            EXPECT_TRUE(std::isnan(rounded_to(GetParam(), value)));
        } else {
            EXPECT_EQ(bits_of(GetParam(), value), bits) << value;
        }
    }
}

// Between two neighbours: values below the middle round to the lower, values above to the upper,
// the middle to the even one.
TEST_P(narrow_type, rounds_to_the_nearest_and_ties_to_even) {
    for (uint32_t bits = 0; bits + 1 < codes() / 2; ++bits) {
        const double low = of_bits(GetParam(), bits), high = of_bits(GetParam(), bits + 1);
        if (!std::isfinite(low) || !std::isfinite(high)) continue;
        const double middle = (low + high) / 2;
        EXPECT_EQ(rounded_to(GetParam(), std::nextafter(middle, low)), low);
        EXPECT_EQ(rounded_to(GetParam(), std::nextafter(middle, high)), high);
        EXPECT_EQ(rounded_to(GetParam(), middle), bits % 2 == 0 ? low : high);
        EXPECT_EQ(rounded_to(GetParam(), -middle), bits % 2 == 0 ? -low : -high);
    }
}

INSTANTIATE_TEST_SUITE_P(
        floats, narrow_type, testing::Values(dnnl_bf16, dnnl_f16, dnnl_f8_e5m2, dnnl_f8_e4m3));

TEST(data_type, known_codes) {
    EXPECT_EQ(bits_of(dnnl_bf16, 1), 0x3f80u);
    EXPECT_EQ(bits_of(dnnl_f16, 1), 0x3c00u);
    EXPECT_EQ(bits_of(dnnl_f16, 65504), 0x7bffu);
    EXPECT_EQ(bits_of(dnnl_f16, 65520), 0x7c00u);
    EXPECT_EQ(bits_of(dnnl_f16, 0x1p-24), 0x0001u);
    EXPECT_EQ(bits_of(dnnl_f8_e5m2, 1), 0x3cu);
    EXPECT_EQ(bits_of(dnnl_f8_e4m3, 1), 0x38u);
    EXPECT_EQ(bits_of(dnnl_f8_e4m3, 448), 0x7eu);
    EXPECT_TRUE(std::isnan(of_bits(dnnl_f8_e4m3, 0x7f)));
    EXPECT_EQ(of_bits(dnnl_e8m0, 127), 1);
    EXPECT_EQ(of_bits(dnnl_e8m0, 130), 8);
}

// Through f32 this would be rounded twice: up to the tie, then to even.
TEST(data_type, rounds_from_double_once) {
    EXPECT_EQ(rounded_to(dnnl_bf16, 1 + 0x1p-8 + 0x1p-40), 1 + 0x1p-7);
    EXPECT_EQ(rounded_to(dnnl_bf16, 1 + 3 * 0x1p-8 - 0x1p-40), 1 + 0x1p-7);
}

TEST(data_type, integers_saturate_and_round_to_even) {
    EXPECT_EQ(rounded_to(dnnl_s8, 200), 127);
    EXPECT_EQ(rounded_to(dnnl_s8, -200), -128);
    EXPECT_EQ(rounded_to(dnnl_u8, -1), 0);
    EXPECT_EQ(rounded_to(dnnl_s8, 2.5), 2);
    EXPECT_EQ(rounded_to(dnnl_s8, 3.5), 4);
    EXPECT_EQ(rounded_to(dnnl_s32, 1e20), 2147483647);
    EXPECT_EQ(rounded_to(dnnl_s32, std::numeric_limits<double>::quiet_NaN()), 0);
}

TEST(data_type, halves_of_a_byte_begin_with_the_lower_one) {
    uint8_t bytes[2] = {0xf3, 0x5a};
    EXPECT_EQ(load_element(dnnl_u4, bytes, 0), 3);
    EXPECT_EQ(load_element(dnnl_u4, bytes, 1), 15);
    EXPECT_EQ(load_element(dnnl_s4, bytes, 1), -1);
    EXPECT_EQ(load_element(dnnl_s4, bytes, 2), -6);
    store_element(dnnl_s4, bytes, 2, -20);
    store_element(dnnl_u4, bytes, 1, 2.5);
    EXPECT_EQ(bytes[0], 0x23);
    EXPECT_EQ(bytes[1], 0x58);
    double values[2];
    load_strided(dnnl_u4, bytes, 1, 2, 2, values);
    EXPECT_EQ(values[0], 2);
    EXPECT_EQ(values[1], 5);
}

TEST(data_type, floats_of_half_a_byte_round_and_saturate) {
    const double e2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6}, e3m0[] = {0, 0.25, 0.5, 1, 2, 4, 8, 16};
    for (const auto &[type, values] : {std::pair(dnnl_f4_e2m1, e2m1), {dnnl_f4_e3m0, e3m0}}) {
        uint8_t byte = 0;
        for (int code = 0; code < 8; ++code)
            for (const double sign : {1., -1.}) {
                store_element(type, &byte, 1, sign * values[code]);
                EXPECT_EQ(byte, (code + (sign < 0 ? 8 : 0)) << 4);
                EXPECT_EQ(load_element(type, &byte, 1), sign * values[code]);
            }
        EXPECT_EQ(rounded_to(type, 100), values[7]);
        EXPECT_EQ(rounded_to(type, 1.9), 2);
    }
}

TEST(data_type, names) {
    EXPECT_EQ(parse_data_type("BF16"), dnnl_bf16);
    EXPECT_EQ(data_type_text(dnnl_f8_e4m3), "f8_e4m3");
    EXPECT_EQ(data_type_size(parse_data_type("s4")), 0u);
    EXPECT_EQ(bytes_of(parse_data_type("s4"), 5), 3u);
    EXPECT_THROW(parse_data_type("float"), bad_value_t);
}

} // namespace

} // namespace benchdnn
