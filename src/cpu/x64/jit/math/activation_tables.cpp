// SPDX-License-Identifier: Apache-2.0
// Activation functions by tables of their common range.

#include "cpu/x64/jit/math/activation_tables.hpp"

#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/math/activation.hpp"
#include "cpu/x64/jit/math/activation_coefficients.hpp"
#include "cpu/x64/jit/math/functions.hpp"

namespace kiln::x64::jit {
namespace {

/// value = the polynomial of the interval of t, which becomes the distance from its middle.
template <size_t n>
void evaluate(generator_t &g, const Xmm &value, const Xmm &t, const intervals_t<n> &intervals) {
    constexpr float integers = 0x1.8p23f; // the lowest bits of a sum with it are an integer's
    const vec_t index = g.vec("index");
    g.broadcast(index, integers);
    g.vfmadd231ps(index, t, g.constant(1 / intervals.width));
    g.vsubps(value, index, g.constant(integers));
    g.vfnmadd231ps(t, value, g.constant(intervals.width)); // exact
    piecewise_polynomial(g, value, t, intervals.coefficients, index);
}

/// value = the polynomial of the segment of t, which becomes the distance from its origin.
void evaluate(generator_t &g, const Xmm &value, const Xmm &t, const segments_t &segments) {
    constexpr float below_eight = 0x1.fffffep2f;
    constexpr uint8_t below_fraction = 21;
    const vec_t index = g.vec("u, then index");
    g.broadcast(index, below_eight);
    g.vfnmadd231ps(index, t, g.constant(segments.scale()));
    g.vpsrld(index, index, below_fraction);
    look_up(g, value, segments.origins(), index);
    g.vsubps(t, t, value);
    piecewise_polynomial(g, value, t, segments.coefficients, index);
}

/// The numbers that a tail is for. Below `closed` it is -0, or +0.
struct tail_range_t {
    float lowest; // of the table
    float closed;
    float below = -0.f;
};

/// Jumps if no lane is in the tail's open range; lanes beyond a rounding error from it may count.
void jump_if_closed(
        generator_t &g, const Xmm &x, const tail_range_t &range, const Xbyak::Label &target) {
    constexpr float rounding = 1e-3f;
    const float middle = (range.lowest + range.closed) / 2;
    const vec_t distance = g.vec("distance from the middle");
    g.vsubps(distance, x, g.constant(middle));
    take_magnitude(g, distance);
    lane_condition_t(g, distance, comparison_t::le, g.constant(range.lowest - middle + rounding))
            .jump_if_none(target);
}

/// x = x < lowest ? what `write_tail` makes of x : value. `write_tail` emits instructions on x,
/// which are skipped where no lane needs them; of NaN they make NaN. Meanwhile `value` is NaN in
/// the lanes that need them, so that no condition takes a vector of AVX2.
template <typename write_t>
void select_tail(generator_t &g, const Xmm &x, const Xmm &value, const tail_range_t &range,
        const write_t &write_tail) {
    constexpr uint32_t nan_bits = ~0u;
    Xbyak::Label end;
    {
        const lane_condition_t is_far(g, x, comparison_t::lt, g.constant(range.lowest));
        is_far.jump_if_none(end);
        if (g.has_avx512()) {
            is_far.select(value, g.constant(range.below));
            jump_if_closed(g, x, range, end);
        }
        is_far.select(value, g.constant_bits(nan_bits));
    }
    write_tail();
    lane_condition_t(g, value, comparison_t::unordered, value).select(value, x);
    g.L(end);
    g.vmovaps(x, value);
}

/// max(x, 0) - f(|x|), where the table is that of f.
template <typename table_t, typename write_t>
void gelu(generator_t &g, const Xmm &x, const table_t &table, float closed,
        const write_t &write_tail) {
    const vec_t value = g.vec("value");
    {
        const vec_t t = g.vec("t, then max(x, 0)");
        if (g.has_avx512())
            take_least_magnitude(g, t, x, table.last());
        else
            take_bounded_magnitude(g, t, x, table.last());
        evaluate(g, value, t, table);
        g.set_zero(t);
        g.vmaxps(t, t, x); // x where x is NaN
        g.vsubps(value, t, *value);
    }
    select_tail(g, x, value, {.lowest = -table.last(), .closed = closed}, write_tail);
}

/// value = f(|x|) for x <= 0, else 1 - f(|x|), where the table is that of f.
template <typename table_t>
void evaluate_half(generator_t &g, const Xmm &value, const Xmm &x, const table_t &table) {
    const vec_t t = g.vec("t, then 1 - value");
    take_bounded_magnitude(g, t, x, table.last());
    evaluate(g, value, t, table);
    g.broadcast(t, 1);
    g.vsubps(t, t, value);
    lane_condition_t(g, x, comparison_t::gt, g.constant(0)).select(value, *t);
}

// Below them the results are 0.
constexpr float gelu_tanh_closed = -13.9f, mish_closed = -208;

/// x * logistic(2u) for x <= -4, to a relative 2^-30: with e = e^(2u) that is x * e * (1 - e).
void gelu_tanh_tail(generator_t &g, const Xmm &x) {
    at_least(g, x, gelu_tanh_closed);
    const vec_t e = g.vec("2u, then mantissa of e"), low = g.vec("low part, then 1 - e");
    gelu_argument_in_parts(g, e, low, x);
    const vec_t power = g.vec("power");
    exp_in_parts(g, e, power, &*low);
    g.vmulps(x, x, *e);
    g.vscalefps(e, e, *power);
    g.broadcast(low, 1);
    g.vsubps(low, low, *e);
    g.vmulps(x, x, *low);
    g.vscalefps(x, x, *power);
}

/// x * tanh(log(1 + e)) with e = e^x for x <= -10: x * e * (1 - e / 2).
void mish_tail(generator_t &g, const Xmm &x) {
    at_least(g, x, mish_closed);
    const vec_t e = g.vec("mantissa of e"), power = g.vec("power");
    g.vmovaps(e, x);
    exp_in_parts(g, e, power);
    g.vmulps(x, x, *e);
    g.vscalefps(e, e, *power);
    const vec_t factor = g.vec("1 - e / 2");
    g.broadcast(factor, 1);
    g.vfnmadd231ps(factor, e, g.constant(0.5f));
    g.vmulps(x, x, *factor);
    g.vscalefps(x, x, *power);
}

} // namespace

void gelu_erf(generator_t &g, const Xmm &x) {
    const auto write_tail = [&] { gelu_erf_tail(g, x); };
    constexpr float closed = -14.5f;
    g.has_avx512() ? gelu(g, x, gelu_erf_intervals, closed, write_tail)
                   : gelu(g, x, gelu_erf_segments, closed, write_tail);
}

// With f(t) the derivative at -t: f(|x|) for x <= 0, else 1 - f(|x|).
void gelu_erf_derivative(generator_t &g, const Xmm &x) {
    const vec_t value = g.vec("value");
    g.has_avx512() ? evaluate_half(g, value, x, gelu_erf_slope_intervals)
                   : evaluate_half(g, value, x, gelu_erf_slope_segments);
    const float last =
            g.has_avx512() ? gelu_erf_slope_intervals.last() : gelu_erf_slope_segments.last();
    const tail_range_t tail{.lowest = -last, .closed = -15};
    select_tail(g, x, value, tail, [&] { gelu_erf_derivative_tail(g, x); });
}

void gelu_tanh_by_tables(generator_t &g, const Xmm &x) {
    gelu(g, x, gelu_tanh_intervals, gelu_tanh_closed, [&] { gelu_tanh_tail(g, x); });
}

void mish_by_tables(generator_t &g, const Xmm &x) {
    const vec_t value = g.vec("value");
    {
        const vec_t t = g.vec("t");
        g.broadcast(t, mish_intervals.signed_last());
        g.vminps(t, t, x); // x where x is NaN
        evaluate(g, value, t, mish_intervals);
    }
    g.vmulps(value, value, x);
    const tail_range_t tail{.lowest = mish_intervals.signed_first(), .closed = mish_closed};
    select_tail(g, x, value, tail, [&] { mish_tail(g, x); });
}

// With f(t) = 1 / (1 + e^t): f(|x|) for x <= 0, else 1 - f(|x|). Below the intervals it is e^x.
void logistic_by_tables(generator_t &g, const Xmm &x) {
    const vec_t value = g.vec("value");
    evaluate_half(g, value, x, logistic_intervals);
    const tail_range_t tail{.lowest = -logistic_intervals.last(), .closed = -104, .below = 0};
    select_tail(g, x, value, tail, [&] { exp_of_non_positive(g, x); });
}

} // namespace kiln::x64::jit
