// SPDX-License-Identifier: Apache-2.0
// alpha * x^beta, with alpha and beta known when code is generated. Common powers take a few
// instructions. The others are computed in double by logarithm and exponential, which is precise
// enough for any beta; the result is rounded to float once.

#include "cpu/x64/jit/math/functions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/math/exponent.hpp"
#include "cpu/x64/jit/math/f64_halves.hpp"

namespace kiln::x64::jit {
namespace {

bool is_integer(float value) { return std::isfinite(value) && std::trunc(value) == value; }
bool is_odd(float value) { return is_integer(value) && std::fmod(value, 2.0f) != 0; }

/// Whether alpha * x^beta is computed by repeated multiplication or division. All factors are x, so
/// an intermediate result is beyond the range of normal floats only if alpha or the result is.
bool is_small_power(float alpha, float beta) {
    const float times = std::fabs(beta);
    const bool is_normal = alpha == 0 || std::isnormal(alpha);
    return times == 1 || ((times == 2 || times == 3) && is_normal);
}

void multiply_repeatedly(generator_t &g, const Xmm &x, float alpha, int times) {
    const vec_t base = g.vec("base");
    g.vmovaps(base, x);
    g.vmulps(x, x, g.constant(alpha));
    for (int i = 1; i < times; ++i) g.vmulps(x, x, *base);
}

void divide_repeatedly(generator_t &g, const Xmm &x, float alpha, int times) {
    if (times == 1) return divide(g, alpha, x);
    const vec_t base = g.vec("base");
    g.vmovaps(base, x);
    divide(g, alpha, x);
    for (int i = 1; i < times; ++i) g.vdivps(x, x, *base);
}

/// log2 = log2(mantissa) in double, with an error of 2^-42: a polynomial in s^2, where
/// s = (m - 1) / (m + 1).
void log2_of_mantissa(generator_t &g, const Xmm &log2, const Xmm &mantissa) {
    const vec_t square = g.vec("square");
    g.vaddpd(square, mantissa, f64_constant(g, 1));
    g.vsubpd(mantissa, mantissa, f64_constant(g, 1));
    g.vdivpd(mantissa, mantissa, *square);
    g.vmulpd(square, mantissa, mantissa);
    f64_polynomial(g, log2, square,
            {0x1.29c7cbefee2cbp-2, 0x1.46f35ea327101p-2, 0x1.a61e987f9bc54p-2, 0x1.2776bc583ec1ap-1,
                    0x1.ec709dcb5008ep-1, 0x1.71547652b7e9ap+1});
    g.vmulpd(log2, log2, mantissa);
}

/// x = alpha * 2^x in double, with an error of 2^-34. Bounds on x: beyond them the result rounded
/// to float is infinite or zero for any alpha.
void scaled_exp2(generator_t &g, const Xmm &x, float alpha) {
    const vec_t rounded = g.vec("rounded");
    for (const double bound : {1025.0, -1020.0}) {
        g.vmovupd(rounded, f64_constant(g, bound));
        if (bound > 0)
            g.vminpd(x, *rounded, x); // NaN stays
        else
            g.vmaxpd(x, *rounded, x);
    }
    round_f64_to_integer(g, rounded, x);
    g.vsubpd(x, x, *rounded);
    const vec_t sum = g.vec("polynomial");
    f64_polynomial(g, sum, x,
            {0x1.fde4bb6c42117p-17, 0x1.445d320eac6d5p-13, 0x1.5d8a88c03bb30p-10,
                    0x1.3b29f2d44f52ep-7, 0x1.c6b08abc2b876p-5, 0x1.ebfbe0784c917p-3,
                    0x1.62e42ff0e42f8p-1, 1});
    // 2^1024 is infinite, so the power is applied in two steps.
    g.vsubpd(rounded, rounded, f64_constant(g, 2));
    f64_power_of_two(g, rounded);
    g.vmulpd(x, sum, *rounded);
    g.vmulpd(x, x, f64_constant(g, 4));
    g.vmulpd(x, x, f64_constant(g, alpha));
}

/// magnitude = alpha * magnitude^beta
void pow_of_magnitude(generator_t &g, const Xmm &magnitude, float alpha, float beta) {
    const vec_t power = g.vec("power");
    split_exponent(g, magnitude, power);
    // The upper half first, because its result overwrites its mantissa.
    for (const int half : {1, 0}) {
        const vec_t log2 = g.vec("logarithm");
        {
            const vec_t mantissa = g.vec("mantissa, then power");
            widen_half(g, mantissa, magnitude, half);
            log2_of_mantissa(g, log2, mantissa);
            widen_half(g, mantissa, power, half);
            g.vaddpd(log2, log2, *mantissa);
        }
        g.vmulpd(log2, log2, f64_constant(g, beta));
        scaled_exp2(g, log2, alpha);
        narrow_into_half(g, magnitude, log2, half);
    }
}

/// Makes alpha * x^beta of `result` = alpha * |x|^beta: sets the sign for odd beta, and NaN for
/// negative x and a beta that is not an integer.
void apply_sign(generator_t &g, const Xmm &result, const Xmm &x, float alpha, float beta) {
    if (is_odd(beta)) {
        const vec_t sign = g.vec("sign");
        g.vandps(sign, x, g.constant_bits(sign_bit));
        g.vxorps(result, result, *sign);
    } else if (!is_integer(beta)) {
        const float limit = alpha * (beta > 0 ? infinity : 0);
        lane_condition_t(g, x, comparison_t::lt, g.constant(0))
                .select(result, g.constant(std::numeric_limits<float>::quiet_NaN()));
        lane_condition_t(g, x, comparison_t::eq, g.constant(-infinity))
                .select(result, g.constant(limit));
    }
}

} // namespace

void scaled_pow(generator_t &g, const Xmm &x, float alpha, float beta) {
    // The largest float as beta gives the same results as infinity.
    constexpr float largest = std::numeric_limits<float>::max();
    beta = std::clamp(beta, -largest, largest);
    if (beta == 0) return g.broadcast(x, alpha);
    if (is_small_power(alpha, beta)) {
        const auto repeat = beta > 0 ? multiply_repeatedly : divide_repeatedly;
        return repeat(g, x, alpha, static_cast<int>(std::fabs(beta)));
    }

    std::optional<vec_t> signed_x;
    if (is_odd(beta) || !is_integer(beta)) {
        signed_x.emplace(g.vec("x with its sign"));
        g.vmovaps(**signed_x, x);
    }
    take_magnitude(g, x);
    if (std::fabs(beta) == 0.5f) {
        g.vsqrtps(x, x);
        if (beta > 0)
            g.vmulps(x, x, g.constant(alpha));
        else
            divide(g, alpha, x);
    } else {
        pow_of_magnitude(g, x, alpha, beta);
    }
    if (signed_x) apply_sign(g, x, **signed_x, alpha, beta);
}

} // namespace kiln::x64::jit
