// SPDX-License-Identifier: Apache-2.0
// The functions of the gemm family against arithmetic in double.
#include "oneapi/dnnl/dnnl.h"

#include <cmath>

#include <gtest/gtest.h>

#include "support/random_values.hpp"

namespace kiln::test {
namespace {

struct sizes_t {
    char transa, transb;
    dnnl_dim_t m, n, k;
    dnnl_dim_t lda() const { return (transa == 'N' ? k : m) + 3; }
    dnnl_dim_t ldb() const { return (transb == 'N' ? n : k) + 2; }
    dnnl_dim_t ldc() const { return n + 1; }
    size_t a_size() const { return static_cast<size_t>((transa == 'N' ? m : k) * lda()); }
    size_t b_size() const { return static_cast<size_t>((transb == 'N' ? k : n) * ldb()); }
    size_t a(dnnl_dim_t i, dnnl_dim_t j) const {
        return static_cast<size_t>(transa == 'N' ? i * lda() + j : j * lda() + i);
    }
    size_t b(dnnl_dim_t i, dnnl_dim_t j) const {
        return static_cast<size_t>(transb == 'N' ? i * ldb() + j : j * ldb() + i);
    }
};

constexpr sizes_t sizes[] = {{'N', 'N', 5, 7, 9}, {'T', 'N', 5, 7, 9}, {'N', 'T', 1, 33, 20},
        {'T', 'T', 40, 3, 2}, {'N', 'N', 4, 3, 0}};

template <typename type_t>
std::vector<type_t> made(size_t count, double low, double high, uint64_t seed) {
    const auto values = random_values_t(seed).many(static_cast<int64_t>(count), low, high);
    return std::vector<type_t>(values.begin(), values.end());
}

TEST(gemm, multiplies_floats_with_alpha_and_beta) {
    for (const sizes_t &s : sizes)
        for (const auto &[alpha, beta] : {std::pair(1.f, 0.f), {0.5f, 1.f}, {1.f, -2.f}}) {
            const auto a = made<float>(s.a_size(), -1, 1, 1), b = made<float>(s.b_size(), -1, 1, 2);
            const auto before = made<float>(static_cast<size_t>(s.m * s.ldc()), -1, 1, 3);
            auto c = before;
            for (int repeated = 0; repeated < 2; ++repeated) {
                c = before;
                ASSERT_EQ(dnnl_sgemm(s.transa, s.transb, s.m, s.n, s.k, alpha, a.data(), s.lda(),
                                  b.data(), s.ldb(), beta, c.data(), s.ldc()),
                        dnnl_success);
            }
            for (dnnl_dim_t m = 0; m < s.m; ++m)
                for (dnnl_dim_t n = 0; n <= s.n; ++n) {
                    const auto at = static_cast<size_t>(m * s.ldc() + n);
                    double sum = 0;
                    for (dnnl_dim_t k = 0; k < s.k && n < s.n; ++k)
                        sum += double(a[s.a(m, k)]) * double(b[s.b(k, n)]);
                    const double expected =
                            n == s.n ? double(before[at])
                                     : double(alpha) * sum + double(beta) * double(before[at]);
                    EXPECT_NEAR(c[at], expected, 1e-5);
                }
        }
}

template <typename a_t, typename function_t> void expect_integers(const function_t &function) {
    for (const sizes_t &s : sizes)
        for (const char offsetc : {'F', 'R', 'C'})
            for (const auto &[alpha, beta] : {std::pair(1.f, 0.f), {0.5f, 1.f}, {1.f, 1.f}})
                for (const int zero : {0, 3}) {
                    const auto a = made<a_t>(s.a_size(), 0, 100, 1);
                    const auto b = made<int8_t>(s.b_size(), -100, 100, 2);
                    const auto co = made<int32_t>(64, -9, 9, 4);
                    // Beyond 2^24, where floats have gaps.
                    const auto before = made<int32_t>(
                            static_cast<size_t>(s.m * s.ldc()), 0x4000000, 0x5000000, 3);
                    auto c = before;
                    ASSERT_EQ(
                            function(s.transa, s.transb, offsetc, s.m, s.n, s.k, alpha, a.data(),
                                    s.lda(), static_cast<a_t>(zero), b.data(), s.ldb(),
                                    static_cast<int8_t>(-zero), beta, c.data(), s.ldc(), co.data()),
                            dnnl_success);
                    for (dnnl_dim_t m = 0; m < s.m; ++m)
                        for (dnnl_dim_t n = 0; n < s.n; ++n) {
                            const auto at = static_cast<size_t>(m * s.ldc() + n);
                            double sum = 0;
                            for (dnnl_dim_t k = 0; k < s.k; ++k)
                                sum += (a[s.a(m, k)] - zero) * (b[s.b(k, n)] + zero);
                            const auto of = static_cast<size_t>(offsetc == 'F'   ? 0
                                                                : offsetc == 'R' ? n
                                                                                 : m);
                            EXPECT_EQ(c[at], std::nearbyint(double(alpha) * sum
                                                            + double(beta) * before[at] + co[of]));
                        }
                }
}

TEST(gemm, multiplies_integers_exactly) {
    expect_integers<uint8_t>(dnnl_gemm_u8s8s32);
    expect_integers<int8_t>(dnnl_gemm_s8s8s32);
}

// 300 rows are the work of several threads.
TEST(gemm, saturates_sums_once_after_all_terms) {
    constexpr int32_t least = INT32_MIN, greatest = INT32_MAX;
    const dnnl_dim_t m = 300, n = 130;
    const std::vector<uint8_t> a(static_cast<size_t>(m), 100);
    struct case_t {
        float alpha, beta;
        int32_t before, offset, expected;
        int8_t b = 100;
    };
    for (const case_t &x : {case_t{1, 1, greatest, -10000, greatest}, {1, 1, greatest, 1, greatest},
                 {1, 1, least, 5, least + 10005}, {-1, 1, least, 9, least},
                 {1, -1, least, 0, greatest}, {1, 0.5f, 1, 0, 10000}, {1, 0.5f, 3, 0, 10002},
                 {0, 1, 7, -9, -2}, {NAN, 0, 7, 1, 0}, {1, 1, greatest, 0, greatest},
                 {1, 1, least, 0, least, -100}, {1, 1, greatest, 0, greatest - 10000, -100},
                 {1, 0, 7, greatest - 9999, greatest}, {1, 0, 7, greatest - 10000, greatest},
                 {1, 0, 7, least + 9999, least, -100}, {1, 0, 7, least, least + 10000}}) {
        const std::vector<int8_t> b(static_cast<size_t>(n), x.b);
        std::vector<int32_t> c(static_cast<size_t>(m * n), x.before);
        const std::vector<int32_t> co(static_cast<size_t>(n), x.offset);
        ASSERT_EQ(dnnl_gemm_u8s8s32('N', 'N', 'R', m, n, 1, x.alpha, a.data(), 1, 0, b.data(), n, 0,
                          x.beta, c.data(), n, co.data()),
                dnnl_success);
        EXPECT_EQ(c, std::vector<int32_t>(c.size(), x.expected))
                << x.alpha << " " << x.beta << " " << x.offset;
    }
}

// The sums of at most 2^20 elements of C are combined at a time.
TEST(gemm, adds_the_offsets_of_rows_and_columns_of_a_large_matrix) {
    const dnnl_dim_t m = 1501, n = 2048, ldc = n + 1;
    const auto a = made<uint8_t>(static_cast<size_t>(m), 0, 100, 1);
    const auto b = made<int8_t>(static_cast<size_t>(n), -100, 100, 2);
    const auto co = made<int32_t>(static_cast<size_t>(n), -900, 900, 3);
    const auto before = made<int32_t>(static_cast<size_t>(m * ldc), -9, 9, 4);
    for (const char transa : {'N', 'T'})
        for (const char offsetc : {'F', 'R', 'C'}) {
            auto c = before;
            ASSERT_EQ(
                    dnnl_gemm_u8s8s32(transa, 'N', offsetc, m, n, 1, 2, a.data(),
                            transa == 'N' ? 1 : m, 3, b.data(), n, 1, 3, c.data(), ldc, co.data()),
                    dnnl_success);
            for (dnnl_dim_t i = 0; i < m; ++i)
                for (dnnl_dim_t j = 0; j <= n; ++j) {
                    const auto at = static_cast<size_t>(i * ldc + j);
                    const auto of = static_cast<size_t>(offsetc == 'F'   ? 0
                                                        : offsetc == 'R' ? j
                                                                         : i);
                    const int expected = j == n ? before[at]
                                                : 2 * (a[static_cast<size_t>(i)] - 3)
                                                                  * (b[static_cast<size_t>(j)] - 1)
                                                          + 3 * before[at] + co[of];
                    ASSERT_EQ(c[at], expected) << transa << offsetc << " " << i << " " << j;
                }
        }
}

TEST(gemm, does_not_read_operands_that_are_multiplied_by_zero) {
    const std::vector<float> a(6, NAN), b(6, NAN);
    std::vector<float> c{1, 2, 3, 4};
    EXPECT_EQ(dnnl_sgemm('N', 'N', 2, 2, 3, 0, a.data(), 3, b.data(), 2, 2, c.data(), 2),
            dnnl_success);
    EXPECT_EQ(c, (std::vector<float>{2, 4, 6, 8}));
}

TEST(gemm, refuses_matrices_beyond_the_address_space) {
    const float a = 1, b = 1;
    float c[2] = {4, 8};
    const dnnl_dim_t huge = dnnl_dim_t(1) << 62;
    EXPECT_EQ(dnnl_sgemm('N', 'N', 2, 1, 1, 1, &a, huge, &b, 1, 0.5, c, 1), dnnl_invalid_arguments);
    EXPECT_EQ(c[0], 4);
    EXPECT_EQ(c[1], 8);
    const int8_t byte = 1;
    int32_t sums[2] = {4, 8};
    const int32_t offset = 1;
    for (const auto &[m, n] : {std::pair(huge, dnnl_dim_t(1)), {dnnl_dim_t(2), huge}})
        EXPECT_EQ(dnnl_gemm_s8s8s32('N', 'N', 'F', m, n, 1, 1, &byte, huge, 0, &byte, n, 0, 1, sums,
                          n, &offset),
                dnnl_invalid_arguments);
    EXPECT_EQ(sums[0], 4);
    EXPECT_EQ(sums[1], 8);
}

TEST(gemm, refuses_arguments_that_do_not_fit) {
    float a[4] = {}, c[4] = {};
    const auto call = [&](char transa, dnnl_dim_t m, dnnl_dim_t lda, const float *b) {
        return dnnl_sgemm(transa, 'N', m, 2, 2, 1, a, lda, b, 2, 0, c, 2);
    };
    EXPECT_EQ(call('N', 2, 2, a), dnnl_success);
    EXPECT_EQ(call('X', 2, 2, a), dnnl_invalid_arguments);
    EXPECT_EQ(call('N', -1, 2, a), dnnl_invalid_arguments);
    EXPECT_EQ(call('N', 2, 1, a), dnnl_invalid_arguments);
    EXPECT_EQ(call('N', 2, 2, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(call('N', 0, 2, a), dnnl_success);
    int32_t co = 0, sums[4] = {};
    const uint8_t u[4] = {};
    const int8_t s[4] = {};
    EXPECT_EQ(dnnl_gemm_u8s8s32('N', 'N', 'Q', 2, 2, 2, 1, u, 2, 0, s, 2, 0, 0, sums, 2, &co),
            dnnl_invalid_arguments);
}

} // namespace
} // namespace kiln::test
