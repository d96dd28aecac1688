// SPDX-License-Identifier: Apache-2.0
// The tests' own frame: what it calls a type, a layout, a guard and a difference is one.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "support/data_type.hpp"
#include "support/interval.hpp"
#include "support/roundings.hpp"
#include "support/tensor.hpp"

namespace kiln::test {

namespace {

TEST(support, every_pattern_of_8_or_16_bits_is_the_encoding_of_its_value) {
    for (const auto type : {dnnl_bf16, dnnl_f16, dnnl_f8_e5m2, dnnl_f8_e4m3})
        for (uint32_t bits = 0; bits < 1u << 8 * size_of(type); ++bits) {
            std::byte from[2]{std::byte(bits & 0xff), std::byte(bits >> 8)};
            std::byte to[2]{from[0], from[1]};
            const double value = decode(type, from);
            encode(type, value, to);
            if (std::isnan(value))
                EXPECT_TRUE(std::isnan(decode(type, to)));
            else
                EXPECT_TRUE(from[0] == to[0] && from[1] == to[1]) << bits;
        }
}

TEST(support, encoding_rounds_to_nearest_even_and_saturates_integers) {
    EXPECT_EQ(rounded(dnnl_f16, 1 + std::ldexp(1, -11)), 1);
    EXPECT_EQ(rounded(dnnl_f16, 1 + std::ldexp(3, -11)), 1 + std::ldexp(4, -11));
    EXPECT_EQ(rounded(dnnl_f16, 65519), 65504);
    EXPECT_TRUE(std::isinf(rounded(dnnl_f16, 65520)));
    EXPECT_EQ(
            rounded(dnnl_bf16, 1 + std::ldexp(1, -8) + std::ldexp(1, -30)), 1 + std::ldexp(1, -7));
    EXPECT_EQ(rounded(dnnl_f8_e5m2, 1.125), 1);
    EXPECT_TRUE(std::isinf(rounded(dnnl_f8_e5m2, 61440)));
    EXPECT_EQ(rounded(dnnl_f8_e4m3, 447), 448);
    EXPECT_TRUE(std::isnan(rounded(dnnl_f8_e4m3, 480)));
    EXPECT_EQ(rounded(dnnl_s8, -128.7), -128);
    EXPECT_EQ(rounded(dnnl_s8, 2.5), 2);
    EXPECT_EQ(rounded(dnnl_u8, 300), 255);
    EXPECT_EQ(rounded(dnnl_u8, -1), 0);
}

// Squares of bf16, f16 and f32 in one accumulator, which is what errs most.
TEST(support, sums_err_within_their_bound) {
    std::mt19937 random(1);
    for (const double roundoff : {0x1p-8, 0x1p-11, 0x1p-24})
        for (int problem = 0; problem < 300; ++problem) {
            std::uniform_real_distribution<double> values(1, 1.1 + problem / 300.);
            const int terms = 1 + problem * 27;
            float sum = 0;
            double truth = 0;
            for (int i = 0; i < terms; ++i) {
                const double value = values(random);
                const double step = std::ldexp(2 * roundoff, std::ilogb(value));
                const double x = std::nearbyint(value / step) * step;
                sum += static_cast<float>(x * x);
                truth += x * x;
            }
            const bool are_alike = squares_are_exact(roundoff, 0x1p-24L);
            EXPECT_LE(std::fabs(sum - truth), 0x1p-24L * truth * roundings_of_sum(terms, are_alike))
                    << roundoff << ", " << terms << " terms";
        }
}

TEST(support, formats_become_the_layouts_they_name) {
    const auto offset = [](const std::string &format, const dims_t &dims, const dims_t &index) {
        return layout_t(make_desc(dims, dnnl_f32, format)).offset(index);
    };
    EXPECT_EQ(offset("", {2, 3, 5}, {1, 2, 4}), 29);
    EXPECT_EQ(offset("acb", {2, 3, 5}, {1, 2, 4}), 15 + 4 * 3 + 2);
    EXPECT_EQ(offset("bac+3", {2, 3, 5}, {1, 2, 4}), 2 * 16 + 8 + 4);
    EXPECT_EQ(offset("abc*2", {2, 3, 5}, {1, 2, 4}), 58);
    EXPECT_EQ(offset("aBc4b", {2, 6, 5}, {1, 5, 3}), 40 + 20 + 3 * 4 + 1);
    EXPECT_EQ(offset("aBC16b16c", {2, 17, 20}, {1, 16, 18}), 1024 + 512 + 256 + 2);
    EXPECT_EQ(layout_t(make_desc({3, 5}, dnnl_f32, "ab+3")).span(), 2 * 8 + 5);
    EXPECT_EQ(layout_t(make_desc({0, 5}, dnnl_f32)).span(), 0);
}

TEST(support, tensors_give_back_what_they_were_filled_with) {
    for (const std::string format : {"abc", "cba", "acb+2", "abc*3", "aBc16b", "ABc4a4b"}) {
        tensor_t tensor(make_desc({3, 5, 7}, dnnl_f32, format));
        std::vector<double> values;
        for (int at = 0; at < 105; ++at) values.push_back(at);
        tensor.fill(values);
        EXPECT_EQ(tensor.values(), values) << format;
        EXPECT_TRUE(tensor.is_tidy()) << format;
    }
}

TEST(support, stray_writes_are_found) {
    const auto buffer_of = [](const tensor_t &tensor) {
        void *handle = nullptr;
        require(dnnl_memory_get_data_handle(tensor.memory(), &handle), "asking for the buffer");
        return static_cast<float *>(handle);
    };
    const auto untidy_at = [&](const std::string &format, int element) {
        tensor_t tensor(make_desc({2, 3}, dnnl_f32, format));
        tensor.fill(std::vector<double>(6, 1));
        buffer_of(tensor)[element] = 7;
        return !tensor.is_tidy();
    };
    EXPECT_FALSE(untidy_at("ab", 5));
    EXPECT_TRUE(untidy_at("ab", -1));    // before the buffer, in its page
    EXPECT_TRUE(untidy_at("ab+2", 4));   // between rows
    EXPECT_TRUE(untidy_at("AB8b8a", 3)); // padding
    EXPECT_FALSE(untidy_at("ab+2", 5));
}

TEST(support_death_test, one_byte_beyond_a_buffer_is_a_crash) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    guarded_buffer_t at_end(100, placement_t::ends_at_guard);
    guarded_buffer_t at_begin(100, placement_t::begins_at_guard);
    const auto touch = [](const guarded_buffer_t &buffer, ptrdiff_t at) {
        return *static_cast<volatile std::byte *>(buffer.data() + at);
    };
    EXPECT_EQ(touch(at_end, 99), std::byte{0});
    EXPECT_EQ(touch(at_begin, 0), std::byte{0});
    EXPECT_DEATH(touch(at_end, 100), "");
    EXPECT_DEATH(touch(at_begin, -1), "");
}

TEST(support, a_difference_is_told_with_its_index) {
    tensor_t tensor(make_desc({2, 3}, dnnl_f32, "ba"), placement_t::begins_at_guard);
    tensor.fill({1, 2, 3, 4, 5, 6});
    std::vector<interval_t> truth;
    for (const double value : {1, 2, 3, 4, 7, 6}) truth.push_back(interval_t::around(value, 1e-7));
    const auto verdict = is_inside(tensor, truth, "it");
    ASSERT_FALSE(verdict);
    EXPECT_NE(std::string(verdict.message()).find("1 of 6 elements are wrong, the first at [1,1]"),
            std::string::npos)
            << verdict.message();
    truth[4] = interval_t::around(5.0000003, 4e-7);
    EXPECT_TRUE(is_inside(tensor, truth, "it"));
    truth[0] = interval_t::exactly(NAN);
    EXPECT_FALSE(is_inside(tensor, truth, "it"));
}

} // namespace

} // namespace kiln::test
