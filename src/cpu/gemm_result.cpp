// SPDX-License-Identifier: Apache-2.0
// What the functions of the gemm family do to C beside the product.

#include "common/operations/products/gemm_result.hpp"

#include <limits>

#include "cpu/parallel.hpp"

namespace kiln {
namespace {

/// saturate_cast<int32_t> in a form that the compiler makes vector code of.
int32_t nearest_s32(double x) {
    using limits_t = std::numeric_limits<int32_t>;
    constexpr double low = limits_t::min(), high = limits_t::max();
    constexpr double without_fraction = 0x1.8p52; // a sum with it is rounded to an integer
    const double number = x == x ? x : 0;
    const double above = number > low ? number : low;
    const double within = above < high ? above : high;
    return static_cast<int32_t>(within + without_fraction - without_fraction);
}

template <typename element_t, typename body_t>
void for_each_row(const gemm_rows_t<element_t> &c, const body_t &body) {
    const dim_t row_bytes = c.columns * dim_t(sizeof(element_t));
    cpu::parallel_shares(cpu::shares_of(c.rows, row_bytes), [&](dim_t begin, dim_t end) {
        for (dim_t m = begin; m < end; ++m) body(m);
    });
}

/// A row: c = alpha * product + beta * c + co, with the offset at a distance of `step`, 0 or 1.
template <int step>
void combine_row(const int32_t *product, double alpha, double beta, const int32_t *co,
        dim_t columns, int32_t *c) {
    for (dim_t n = 0; n < columns; ++n)
        c[n] = nearest_s32(alpha * product[n] + beta * c[n] + co[n * step]);
}

} // namespace

void scale_rows(const gemm_rows_t<float> &c, float beta) {
    for_each_row(c, [&](dim_t m) {
        float *const row = c.row(m);
        for (dim_t n = 0; n < c.columns; ++n) row[n] *= beta;
    });
}

void combine_rows(const gemm_rows_t<int32_t> &c, float alpha,
        const gemm_rows_t<const int32_t> &product, float beta, const gemm_offset_t &offset) {
    const auto combine = offset.step() == 0 ? combine_row<0> : combine_row<1>;
    for_each_row(c, [&](dim_t m) {
        combine(product.row(m), alpha, beta, offset.row(m), c.columns, c.row(m));
    });
}

} // namespace kiln
