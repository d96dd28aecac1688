// SPDX-License-Identifier: Apache-2.0
// The functions of the gemm family on shapes of several tiles with remainders, between unmapped
// pages: every transposition, leading dimensions with gaps, beta.
#include "oneapi/dnnl/dnnl.h"

#include <cmath>
#include <type_traits>

#include <gtest/gtest.h>

#include "support/guarded_buffer.hpp"
#include "support/random_values.hpp"

namespace kiln::test {
namespace {

/// A matrix whose last row ends where the buffer does.
template <typename type_t> class guarded_matrix_t {
public:
    guarded_matrix_t(dnnl_dim_t rows, dnnl_dim_t columns, dnnl_dim_t gap, placement_t placement)
        : pitch_(columns + gap)
        , buffer_(static_cast<size_t>((rows - 1) * pitch_ + columns) * sizeof(type_t), placement) {}

    void fill(double low, double high, uint64_t seed) {
        const auto count = static_cast<int64_t>(buffer_.size() / sizeof(type_t));
        const auto values = random_values_t(seed).many(count, low, high);
        for (int64_t i = 0; i < count; ++i)
            data()[i] = static_cast<type_t>(std::is_integral_v<type_t>
                                                    ? std::floor(values[static_cast<size_t>(i)])
                                                    : values[static_cast<size_t>(i)]);
    }
    type_t *data() const { return reinterpret_cast<type_t *>(buffer_.data()); }
    dnnl_dim_t pitch() const { return pitch_; }
    /// Element (row, column) of the matrix, or of its transpose.
    double get(dnnl_dim_t row, dnnl_dim_t column, bool is_transposed = false) const {
        return data()[is_transposed ? column * pitch_ + row : row * pitch_ + column];
    }

private:
    dnnl_dim_t pitch_;
    guarded_buffer_t buffer_;
};

struct product_t {
    dnnl_dim_t m, n, k;
    bool transposes_a, transposes_b;
    float alpha, beta;
    placement_t placement;
    char transa() const { return transposes_a ? 'T' : 'N'; }
    char transb() const { return transposes_b ? 'T' : 'N'; }
    std::string text() const {
        return std::to_string(m) + "x" + std::to_string(k) + ":" + std::to_string(k) + "x"
               + std::to_string(n) + " " + transa() + transb() + " alpha " + std::to_string(alpha)
               + " beta " + std::to_string(beta);
    }
};

/// Each shape with every transposition and each alpha and beta.
std::vector<product_t> products() {
    std::vector<product_t> all;
    for (const auto &[m, n, k] : {std::tuple<dnnl_dim_t, dnnl_dim_t, dnnl_dim_t>{61, 77, 130},
                 {128, 33, 65}, {3, 200, 67}, {150, 1, 90}, {29, 50, 1100}})
        for (const bool transposes_a : {false, true})
            for (const bool transposes_b : {false, true})
                for (const auto &[alpha, beta] : {std::pair(1.f, 0.f), {1.f, 1.f}, {0.5f, -2.f}})
                    all.push_back({m, n, k, transposes_a, transposes_b, alpha, beta,
                            all.size() % 2 == 0 ? placement_t::ends_at_guard
                                                : placement_t::begins_at_guard});
    return all;
}

template <typename type_t>
guarded_matrix_t<type_t> operand(
        dnnl_dim_t rows, dnnl_dim_t columns, bool is_transposed, placement_t placement) {
    return {is_transposed ? columns : rows, is_transposed ? rows : columns, 3, placement};
}

/// multiply(product, a, b, c) computes c, whose elements may be off by `tolerance`.
template <typename a_t, typename b_t, typename c_t, typename multiply_t>
void expect_right(const product_t &p, double most, double tolerance, const multiply_t &multiply) {
    auto a = operand<a_t>(p.m, p.k, p.transposes_a, p.placement);
    auto b = operand<b_t>(p.k, p.n, p.transposes_b, p.placement);
    guarded_matrix_t<c_t> before(p.m, p.n, 5, p.placement), c(p.m, p.n, 5, p.placement);
    a.fill(std::is_unsigned_v<a_t> ? 0 : -most, most, 1);
    b.fill(-most, most, 2);
    before.fill(-most, most, 3);
    c.fill(-most, most, 3);
    ASSERT_EQ(multiply(p, a, b, c), dnnl_success) << p.text();
    for (dnnl_dim_t i = 0; i < p.m; ++i)
        for (dnnl_dim_t j = 0; j < p.n + (i + 1 < p.m ? 5 : 0); ++j) {
            double expected = before.get(i, j); // of a gap
            if (j < p.n) {
                double sum = 0;
                for (dnnl_dim_t k = 0; k < p.k; ++k)
                    sum += a.get(i, k, p.transposes_a) * b.get(k, j, p.transposes_b);
                expected = double(p.alpha) * sum + double(p.beta) * expected;
                if (std::is_integral_v<c_t>) expected = std::nearbyint(expected);
            }
            ASSERT_NEAR(c.get(i, j), expected, j < p.n ? tolerance : 0)
                    << p.text() << " at " << i << ", " << j;
        }
}

TEST(gemm_shapes, are_right_for_floats_of_every_transposition) {
    for (const product_t &p : products())
        expect_right<float, float, float>(p, 1, 1e-5 * std::sqrt(static_cast<double>(p.k)),
                [](const auto &p, const auto &a, const auto &b, auto &c) {
                    return dnnl_sgemm(p.transa(), p.transb(), p.m, p.n, p.k, p.alpha, a.data(),
                            a.pitch(), b.data(), b.pitch(), p.beta, c.data(), c.pitch());
                });
}

template <typename a_t, typename function_t> void expect_exact(const function_t &function) {
    for (const product_t &p : products())
        expect_right<a_t, int8_t, int32_t>(
                p, 100, 0, [&](const auto &p, const auto &a, const auto &b, auto &c) {
                    const int32_t offset = 0;
                    return function(p.transa(), p.transb(), 'F', p.m, p.n, p.k, p.alpha, a.data(),
                            a.pitch(), a_t(0), b.data(), b.pitch(), int8_t(0), p.beta, c.data(),
                            c.pitch(), &offset);
                });
}

TEST(gemm_shapes, are_exact_for_integers_of_every_transposition) {
    expect_exact<uint8_t>(dnnl_gemm_u8s8s32);
    expect_exact<int8_t>(dnnl_gemm_s8s8s32);
}

} // namespace
} // namespace kiln::test
