// SPDX-License-Identifier: Apache-2.0
// e^x of numbers that are not positive.

#include "cpu/x64/jit/math/exponential.hpp"

#include <bit>
#include <cmath>

#include "common/memory/float_conversion.hpp"
#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/math/exponent.hpp"
#include "cpu/x64/jit/math/functions.hpp"

namespace kiln::x64::jit {
namespace {

// What is kept in registers with AVX-512.
enum exp_constant_t : size_t {
    lowest,  // below, the result rounds to 0
    log2e,   // 1 / ln(2)
    rounder, // a sum with it is rounded to a multiple of 1/32, whose fraction its lowest bits hold
    ln2_1,   // ln(2) in two parts
    ln2_2,
    term_1, // (e^r - 1) / r = term_1 + term_2 * r for |r| <= ln(2) / 64, to 2^-24.2
    term_2,
    constant_count
};
constexpr float constants[constant_count] = {
        -104, log2_of_e, 0x1.8p18f, ln2_high, ln2_low, 0x1.0000f6p+0f, 0.5f};

/// 2^(i / 32) for i from `begin` to `begin` + 15, as bits.
std::vector<uint32_t> powers_of_two(int begin) {
    constexpr int lanes = 16;
    std::vector<uint32_t> bits;
    for (int i = begin; i < begin + lanes; ++i)
        bits.push_back(std::bit_cast<uint32_t>(static_cast<float>(std::exp2(i / 32.0))));
    return bits;
}

} // namespace

non_positive_exp_t::non_positive_exp_t(generator_t &g)
    : g_(g) {
    if (!g.has_avx512()) return;
    for (const float value : constants)
        g.broadcast(constants_.emplace_back(g.vec("constant of exp")), value);
    for (const int begin : {0, 16})
        g.vmovups(constants_.emplace_back(g.vec("powers of 2")),
                g.constant_lanes(powers_of_two(begin)));
}

void non_positive_exp_t::apply(const Xmm &x) const {
    g_.has_avx512() ? apply_avx512(x) : apply_avx2(x);
}

void non_positive_exp_t::apply_avx512(const Xmm &x) const {
    const auto &c = constants_;
    const vec_t power = g_.vec("n / 32"), factor = g_.vec("2^(fraction of n / 32)");
    const mask_t is_kept = g_.mask("result is not 0");
    g_.vcmpps(is_kept, x, *c[lowest], static_cast<uint8_t>(comparison_t::not_lt));
    g_.vmovaps(factor, *c[log2e]);
    g_.vfmadd213ps(factor, x, *c[rounder]);
    g_.vsubps(power, *factor, *c[rounder]);
    g_.vpermi2ps(factor, *c[constant_count], *c[constant_count + 1]);
    g_.vfnmadd231ps(x, power, *c[ln2_1]); // exact
    g_.vfnmadd231ps(x, power, *c[ln2_2]);
    const vec_t term = g_.vec("(e^r - 1) / r, then e^r - 1");
    g_.vmovaps(term, *c[term_2]);
    g_.vfmadd213ps(term, x, *c[term_1]);
    g_.vmulps(x, x, *term);
    g_.vfmadd213ps(x, *factor, *factor);
    g_.vscalefps(x | is_kept | Xbyak::util::T_z, x, *power); // by 2^floor(n / 32)
}

void non_positive_exp_t::apply_avx2(const Xmm &x) const {
    // Above, the product of mantissa and power is normal.
    const lane_condition_t is_kept(g_, x, comparison_t::not_lt, g_.constant(-87));
    const vec_t power = g_.vec("power");
    exp_in_parts(g_, x, power);
    g_.vcvtps2dq(power, power);
    g_.vpslld(power, power, float_format::f32_mantissa_bits);
    g_.vpaddd(x, x, power);
    is_kept.keep(x);
}

} // namespace kiln::x64::jit
