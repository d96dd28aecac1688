// SPDX-License-Identifier: Apache-2.0
// Sums over rows of floats, four elements at a time by SSE2, which every x86-64 processor has; mean
// and variance of a row; and a row's elements about its mean.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include <emmintrin.h>

#include "common/types.hpp"
#include "cpu/reference/normalization/layer_normalization_impl.hpp"

namespace kiln::cpu::reference::rows {

using float4_t = __m128;
using double2_t = __m128d;

struct two_sums_t {
    double first = 0, second = 0;
};

/// Two sums over the elements of a row. Element c of a block is added to lane c % 16 in float; the
/// lanes of a block and then the blocks are added in double.
///     add(c, a, b)       adds elements c to c + 3 to the lanes of a and b
///     add_last(c, a, b)  adds element c to two doubles
template <typename add_t, typename add_last_t>
two_sums_t sums_of_row(dim_t count, const add_t &add, const add_last_t &add_last) {
    constexpr dim_t lanes = 16, block = 256;
    double2_t firsts{}, seconds{};
    const auto join = [](double2_t &sums, float4_t four) {
        sums += _mm_cvtps_pd(four) + _mm_cvtps_pd(_mm_movehl_ps(four, four));
    };
    const dim_t whole = count - count % lanes;
    for (dim_t begin = 0; begin < whole; begin += block) {
        float4_t a0{}, a1{}, a2{}, a3{}, b0{}, b1{}, b2{}, b3{};
        const dim_t end = std::min(begin + block, whole);
        for (dim_t c = begin; c < end; c += lanes) {
            add(c, a0, b0);
            add(c + 4, a1, b1);
            add(c + 8, a2, b2);
            add(c + 12, a3, b3);
        }
        join(firsts, (a0 + a1) + (a2 + a3));
        join(seconds, (b0 + b1) + (b2 + b3));
    }
    two_sums_t sums{firsts[0] + firsts[1], seconds[0] + seconds[1]};
    for (dim_t c = whole; c < count; ++c) add_last(c, sums.first, sums.second);
    return sums;
}

/// Mean and variance of a row; of RMS normalization the mean of squares.
row_moments_t moments_of(const float *x, dim_t count, bool is_rms);

/// xhat = (x - mean) * r, computed in value; where elements are not centered, x * r.
template <typename value, bool is_centered> struct normalizer_t {
    using value_t = value;
    value_t pivot, rest, r;

    normalizer_t(double mean, double exact_r)
        : pivot(static_cast<value_t>(mean))
        , rest(static_cast<value_t>(mean - static_cast<double>(pivot)))
        , r(static_cast<value_t>(exact_r)) {}
    value_t operator()(float x) const { return of(static_cast<value_t>(x)); }
    float4_t operator()(float4_t x) const { return of(x); }

private:
    template <typename values_t> values_t of(values_t x) const {
        if constexpr (is_centered) return ((x - pivot) - rest) * r;
        return x * r;
    }
};

/// Statistics of a row as it is computed with.
struct scaled_moments_t {
    double mean = 0, r = 0;

    scaled_moments_t() = default;
    scaled_moments_t(const row_moments_t &moments, float epsilon)
        : mean(moments.mean)
        , r(1. / std::sqrt(moments.variance + static_cast<double>(epsilon))) {}

    /// Calls body(normalizer) in float, if neither r nor the distance of an element from the mean
    /// can leave float's range; in double otherwise.
    template <typename body_t> void with_normalizer(bool is_rms, const body_t &body) const {
        const auto call = [&](auto is_centered) {
            if (r > 1e-15 && r < 1e15 && std::abs(mean) < 1e30)
                body(normalizer_t<float, is_centered>(mean, r));
            else
                body(normalizer_t<double, is_centered>(mean, r));
        };
        is_rms ? call(std::false_type{}) : call(std::true_type{});
    }
};

} // namespace kiln::cpu::reference::rows
