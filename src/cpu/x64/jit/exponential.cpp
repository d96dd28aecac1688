// SPDX-License-Identifier: Apache-2.0
// e^x of numbers that are not positive.

#include "cpu/x64/jit/exponential.hpp"

#include "cpu/x64/jit/exp_constants.hpp"
#include "cpu/x64/jit/exponent.hpp"
#include "cpu/x64/jit/lane_condition.hpp"

namespace kiln::x64::jit {
namespace {

// AVX-512: below, the result rounds to 0. AVX2: the product of mantissa and power is normal above.
constexpr float lowest_avx512 = -104, lowest_avx2 = -87;

enum constant_t : size_t { lowest, log2e, ln2_1, ln2_2, one, polynomial_begin };

} // namespace

non_positive_exp_t::non_positive_exp_t(generator_t &g)
    : g_(g) {
    std::vector<float> values{
            g.has_avx512() ? lowest_avx512 : lowest_avx2, log2_of_e, ln2_high, ln2_low, 1.f};
    values.insert(values.end(), std::begin(exp_coefficients), std::end(exp_coefficients));
    for (const float value : values) {
        addresses_.push_back(g.constant(value));
        if (g.has_avx512()) g.broadcast(registers_.emplace_back(g.vec("constant of exp")), value);
    }
}

const Xbyak::Operand &non_positive_exp_t::constant(size_t index) const {
    if (registers_.empty()) return addresses_[index];
    return *registers_[index];
}

void non_positive_exp_t::apply(const Xbyak::Xmm &x) const {
    std::optional<lane_condition_t> is_kept;
    if (g_.has_avx512())
        g_.vmaxps(x, *registers_[lowest], x); // for NaN the result is the last operand
    else
        is_kept.emplace(g_, x, comparison_t::not_lt, constant(lowest));
    const vec_t power = g_.vec("power"), sum = g_.vec("polynomial");
    g_.vmulps(power, x, constant(log2e));
    round_to_integer(g_, power, power);
    g_.vfnmadd231ps(x, power, constant(ln2_1)); // exact
    g_.vfnmadd231ps(x, power, constant(ln2_2));
    g_.vmovups(sum, constant(polynomial_begin));
    for (size_t i = 1; i < std::size(exp_coefficients); ++i)
        g_.vfmadd213ps(sum, x, constant(polynomial_begin + i));
    g_.vfmadd213ps(sum, x, constant(one));
    g_.vfmadd213ps(x, sum, constant(one));
    scale(x, power);
    if (is_kept) is_kept->keep(x);
}

/// x *= 2^power.
void non_positive_exp_t::scale(const Xbyak::Xmm &x, const Xbyak::Xmm &power) const {
    constexpr uint8_t mantissa_bits = 23;
    if (g_.has_avx512()) return g_.vscalefps(x, x, power);
    g_.vcvtps2dq(power, power);
    g_.vpslld(power, power, mantissa_bits);
    g_.vpaddd(x, x, power);
}

} // namespace kiln::x64::jit
