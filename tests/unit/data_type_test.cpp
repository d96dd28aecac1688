// SPDX-License-Identifier: Apache-2.0
// Element sizes, loads and stores by run-time type, and saturation at every edge of the integers.
#include "common/memory/data_type.hpp"

#include <array>
#include <cfenv>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace kiln::test {

namespace {

constexpr float float_infinity = std::numeric_limits<float>::infinity();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

constexpr std::array element_types{dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64, dnnl_s32, dnnl_s8,
        dnnl_u8, dnnl_f8_e5m2, dnnl_f8_e4m3};

TEST(data_type, has_the_size_the_interface_gives_it) {
    const std::vector<std::pair<dnnl_data_type_t, size_t>> expected{{dnnl_data_type_undef, 0},
            {dnnl_f16, 2}, {dnnl_bf16, 2}, {dnnl_f32, 4}, {dnnl_s32, 4}, {dnnl_s8, 1}, {dnnl_u8, 1},
            {dnnl_f64, 8}, {dnnl_boolean, 1}, {dnnl_f8_e5m2, 1}, {dnnl_f8_e4m3, 1}, {dnnl_s4, 1},
            {dnnl_u4, 1}, {dnnl_e8m0, 1}, {dnnl_f4_e2m1, 1}, {dnnl_f4_e3m0, 1}, {dnnl_s64, 8},
            {dnnl_data_type_max, 0}, {static_cast<dnnl_data_type_t>(100), 0}};
    for (const auto &[data_type, size] : expected)
        EXPECT_EQ(data_type_size(data_type), size) << "type " << data_type;
}

TEST(data_type, leads_to_the_element_type_of_the_same_size) {
    for (const auto data_type : element_types) {
        ASSERT_TRUE(has_element_type(data_type));
        const auto size = with_type(
                data_type, []<class T>(std::type_identity<T>) -> size_t { return sizeof(T); });
        EXPECT_EQ(size, data_type_size(data_type)) << "type " << data_type;
    }
    for (const auto data_type : {dnnl_data_type_undef, dnnl_boolean, dnnl_s4, dnnl_u4, dnnl_e8m0,
                 dnnl_f4_e2m1, dnnl_f4_e3m0, dnnl_s64})
        EXPECT_FALSE(has_element_type(data_type)) << "type " << data_type;
}

TEST(data_type, dispatch_accepts_a_function_that_returns_nothing) {
    int calls = 0;
    with_type(dnnl_bf16, [&]<class T>(std::type_identity<T>) {
        calls += std::is_same_v<T, bfloat16_t> ? 1 : 100;
    });
    EXPECT_EQ(calls, 1);
}

TEST(data_type, stores_land_at_their_index_and_nowhere_else_at_any_alignment) {
    for (const auto data_type : element_types) {
        const auto size = data_type_size(data_type);
        for (size_t misalignment = 0; misalignment < 8; ++misalignment) {
            std::vector<std::uint8_t> bytes(misalignment + 5 * size, 0xa5);
            std::uint8_t *base = bytes.data() + misalignment;
            store_f64(data_type, 3, base, 1);
            store_f64(data_type, 7, base, 3);
            EXPECT_EQ(load_f64(data_type, base, 1), 3) << "type " << data_type;
            EXPECT_EQ(load_f64(data_type, base + 4 * size, -1), 7) << "type " << data_type;
            for (size_t i = 0; i < bytes.size(); ++i) {
                const auto element = (i - misalignment) / size;
                if (i >= misalignment && (element == 1 || element == 3)) continue;
                ASSERT_EQ(bytes[i], 0xa5) << "type " << data_type << " byte " << i;
            }
        }
    }
}

TEST(data_type, loads_the_bits_of_each_type) {
    const std::uint16_t sixteen[] = {0x3fc0, 0x3e00};
    EXPECT_EQ(load_f64(dnnl_bf16, sixteen, 0), 1.5);
    EXPECT_EQ(load_f64(dnnl_f16, sixteen, 1), 1.5);
    const std::uint8_t eight[] = {0x3e, 0x3c, 0xfe};
    EXPECT_EQ(load_f64(dnnl_f8_e5m2, eight, 0), 1.5);
    EXPECT_EQ(load_f64(dnnl_f8_e4m3, eight, 1), 1.5);
    EXPECT_EQ(load_f64(dnnl_u8, eight, 2), 254.0);
    EXPECT_EQ(load_f64(dnnl_s8, eight, 2), -2.0);
}

TEST(data_type, doubles_and_large_integers_pass_without_a_stop_in_float) {
    std::int32_t integer = 0;
    store_f64(dnnl_s32, 16777217, &integer, 0);
    EXPECT_EQ(integer, 16777217);
    EXPECT_EQ(load_f64(dnnl_s32, &integer, 0), 16777217);
    double wide = 0;
    store_f64(dnnl_f64, 0.1, &wide, 0);
    EXPECT_EQ(load_f64(dnnl_f64, &wide, 0), 0.1);
    // Just above half way: through float it would be a tie and go down.
    float16_t half;
    store_f64(dnnl_f16, 1 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40), &half, 0);
    EXPECT_EQ(static_cast<double>(half), 1 + std::ldexp(1.0, -10));
    bfloat16_t brain;
    store_f64(dnnl_bf16, 1 + std::ldexp(1.0, -8) + std::ldexp(1.0, -40), &brain, 0);
    EXPECT_EQ(static_cast<double>(brain), 1 + std::ldexp(1.0, -7));
}

template <class T> class saturation : public ::testing::Test {};

using integer_types = ::testing::Types<std::int32_t, std::int8_t, std::uint8_t>;
TYPED_TEST_SUITE(saturation, integer_types);

TYPED_TEST(saturation, ends_at_the_limits_of_the_integer) {
    constexpr auto lowest = std::numeric_limits<TypeParam>::min();
    constexpr auto highest = std::numeric_limits<TypeParam>::max();
    for (const double beyond : {0.0, 0.4, 0.5, 1.0, 1e6, 1e18, 1e300, infinity}) {
        EXPECT_EQ(saturate_cast<TypeParam>(highest + beyond), highest) << beyond;
        EXPECT_EQ(saturate_cast<TypeParam>(lowest - beyond), lowest) << beyond;
    }
    EXPECT_EQ(saturate_cast<TypeParam>(highest - 1.0), highest - 1);
    EXPECT_EQ(saturate_cast<TypeParam>(lowest + 1.0), lowest + 1);
    for (const float large : {2147483647.0f, 3e9f, 1e19f, 3e38f, float_infinity}) {
        EXPECT_EQ(saturate_cast<TypeParam>(large), highest) << large;
        EXPECT_EQ(saturate_cast<TypeParam>(-large), lowest) << -large;
    }
}

TYPED_TEST(saturation, sends_nan_to_zero) {
    EXPECT_EQ(saturate_cast<TypeParam>(nan), 0);
    EXPECT_EQ(saturate_cast<TypeParam>(-nan), 0);
    EXPECT_EQ(saturate_cast<TypeParam>(std::numeric_limits<float>::quiet_NaN()), 0);
}

TYPED_TEST(saturation, agrees_with_a_search_for_the_nearest_even_integer) {
    constexpr int lowest = std::is_signed_v<TypeParam> ? -128 : 0;
    constexpr int highest = std::is_signed_v<TypeParam> ? 127 : 255;
    for (int sixteenths = -16 * 100; sixteenths <= 16 * 100; ++sixteenths) {
        const double value = sixteenths / 16.0;
        int best = lowest;
        for (int candidate = lowest; candidate <= highest; ++candidate) {
            const double gain = std::fabs(best - value) - std::fabs(candidate - value);
            if (gain > 0 || (gain == 0 && candidate % 2 == 0)) best = candidate;
        }
        ASSERT_EQ(saturate_cast<TypeParam>(value), best) << value;
        ASSERT_EQ(saturate_cast<TypeParam>(static_cast<float>(value)), best) << value;
    }
}

TEST(data_type, rounds_to_integers_alike_in_every_rounding_mode) {
    const int before = std::fegetround();
    for (const int mode : {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO}) {
        ASSERT_EQ(std::fesetround(mode), 0);
        const std::array<std::pair<double, int>, 8> cases{{{0.5, 0}, {1.5, 2}, {2.5, 2}, {-0.5, 0},
                {-1.5, -2}, {-2.25, -2}, {2.75, 3}, {-2147483647.5, -2147483647 - 1}}};
        for (const auto &[value, expected] : cases) {
            const volatile double at_run_time = value;
            EXPECT_EQ(saturate_cast<std::int32_t>(at_run_time), expected) << value;
        }
    }
    std::fesetround(before);
}

TEST(data_type, stores_by_run_time_type_saturate_and_keep_nan_where_there_is_one) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const auto data_type : element_types) {
        std::array<std::uint8_t, 8> element{};
        store_f64(data_type, nan, element.data(), 0);
        const double loaded = load_f64(data_type, element.data(), 0);
        const bool is_integer =
                data_type == dnnl_s32 || data_type == dnnl_s8 || data_type == dnnl_u8;
        EXPECT_TRUE(is_integer ? loaded == 0 : std::isnan(loaded)) << "type " << data_type;
    }
    std::int8_t byte = 0;
    store_f64(dnnl_s8, 1000, &byte, 0);
    EXPECT_EQ(byte, 127);
    store_f64(dnnl_s8, -1000, &byte, 0);
    EXPECT_EQ(byte, -128);
    float single = 0;
    store_f64(dnnl_f32, 1e300, &single, 0);
    EXPECT_EQ(single, float_infinity);
}

} // namespace

} // namespace kiln::test
