// SPDX-License-Identifier: Apache-2.0
// Rows of narrow floats against the conversion of one element.
#include "cpu/reference/normalization/row_conversion.hpp"

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include <xmmintrin.h>

#include "common/memory/data_type.hpp"

namespace kiln::test {
namespace {

using cpu::reference::rows::load_floats;
using cpu::reference::rows::store_floats;

template <class T> constexpr data_type_t type_of = dnnl_f16;
template <> constexpr data_type_t type_of<bfloat16_t> = dnnl_bf16;

std::vector<float> floats_from(std::uint64_t first, std::uint64_t step, std::size_t count) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = std::bit_cast<float>(static_cast<std::uint32_t>(first + i * step));
    return values;
}

template <class T> void expect_stored_as_elements(const std::vector<float> &values) {
    std::vector<std::uint16_t> row(values.size());
    store_floats(type_of<T>, values.data(), row.data(), 0, dim_t(values.size()));
    for (std::size_t i = 0; i < values.size(); ++i)
        ASSERT_EQ(row[i], T(values[i]).bits)
                << "bits of the float: " << std::bit_cast<std::uint32_t>(values[i]);
}

template <class T> class row_conversion : public ::testing::Test {};
using types = ::testing::Types<bfloat16_t, float16_t>;
TYPED_TEST_SUITE(row_conversion, types);

TYPED_TEST(row_conversion, loads_every_code_as_one_element) {
    std::vector<std::uint16_t> codes(1 << 16);
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint16_t>(i);
    std::vector<float> row(codes.size());
    load_floats(type_of<TypeParam>, codes.data(), 0, row.data(), dim_t(row.size()));
    for (std::size_t i = 0; i < codes.size(); ++i)
        ASSERT_EQ(std::bit_cast<std::uint32_t>(row[i]),
                std::bit_cast<std::uint32_t>(static_cast<float>(TypeParam::from_bits(codes[i]))))
                << "code " << i;
}

// With KILN_ALL_FLOATS in the environment, all floats (a minute).
TYPED_TEST(row_conversion, stores_floats_all_over_their_range_as_one_element) {
    const std::uint64_t step = std::getenv("KILN_ALL_FLOATS") ? 1 : 509;
    constexpr std::uint64_t all = std::uint64_t(1) << 32;
    constexpr std::size_t count = 1 << 16;
    for (std::uint64_t first = 0; first < all; first += count * step) {
        expect_stored_as_elements<TypeParam>(floats_from(first, step, count));
        if (::testing::Test::HasFatalFailure()) return;
    }
}

TYPED_TEST(row_conversion, stores_floats_about_every_boundary_as_one_element) {
    constexpr std::uint64_t half_units = 1 << 12; // of f16; of bf16 an eighth of it
    for (unsigned code = 0; code < 1u << 16; code += 61) {
        const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(
                TypeParam::from_bits(static_cast<typename TypeParam::storage_t>(code))));
        expect_stored_as_elements<TypeParam>(floats_from(bits - 8 * half_units, half_units, 64));
        for (std::uint64_t i = 0; i < 64; ++i)
            expect_stored_as_elements<TypeParam>(floats_from(bits + i * half_units - 4, 1, 9));
        if (::testing::Test::HasFatalFailure()) return;
    }
}

TYPED_TEST(row_conversion, has_the_same_bits_at_any_length_and_place) {
    const std::vector<float> values = floats_from(0x387fe000, 0x3333, 64);
    for (dim_t count = 0; count < 20; ++count)
        for (dim_t first = 0; first < 9; ++first) {
            std::vector<std::uint16_t> row(64, 0x1234);
            store_floats(type_of<TypeParam>, values.data(), row.data(), first, count);
            std::vector<float> back(64, -7.f);
            load_floats(type_of<TypeParam>, row.data(), first, back.data(), count);
            for (dim_t i = 0; i < 64; ++i) {
                const bool is_stored = i >= first && i < first + count;
                const auto expected = is_stored ? TypeParam(values[size_t(i - first)])
                                                : TypeParam::from_bits(0x1234);
                ASSERT_EQ(row[size_t(i)], expected.bits) << count << " at " << first << ", " << i;
                const float loaded =
                        i < count ? static_cast<float>(TypeParam(values[size_t(i)])) : -7.f;
                ASSERT_EQ(back[size_t(i)], loaded) << count << " at " << first << ", " << i;
            }
        }
}

TEST(row_conversion_of_f16, keeps_subnormal_values_where_those_of_floats_are_flushed) {
    const unsigned caller = _mm_getcsr();
    constexpr unsigned flush_to_zero = 0x8000, denormals_are_zero = 0x0040;
    std::vector<std::uint16_t> codes(1 << 10), back(1 << 10);
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint16_t>(i);
    std::vector<float> row(codes.size());
    const dim_t count = dim_t(codes.size());
    _mm_setcsr(caller | flush_to_zero | denormals_are_zero);
    load_floats(dnnl_f16, codes.data(), 0, row.data(), count);
    store_floats(dnnl_f16, row.data(), back.data(), 0, count);
    _mm_setcsr(caller);
    EXPECT_EQ(back, codes);
}

} // namespace
} // namespace kiln::test
