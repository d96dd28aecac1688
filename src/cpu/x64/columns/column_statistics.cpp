// SPDX-License-Identifier: Apache-2.0
// Mean and variance of columns.

#include "cpu/x64/columns/column_kernel.hpp"

#include <limits>

#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/math/functions.hpp"

namespace kiln::x64 {

column_kernel_t::tile_statistics_t column_kernel_t::statistics_of(
        const tile_t &tile, bool has_means, bool are_computed) {
    return {tile, vecs("mean", has_means ? tile : tile_t{0, 0}),
            vecs("variance, then 1 / sqrt(variance + epsilon)", tile),
            jit::kept_vecs_t(*this, "shift of xhat", has_means && are_computed ? tile.vectors : 0)};
}

void column_kernel_t::find_statistics(const tile_statistics_t &of, size_t operand) {
    if (!of.means.empty()) find_means(of, operand);
    if (of.means.empty() || !has_samples(operand)) find_variances(of, operand);
}

void column_kernel_t::find_means(const tile_statistics_t &v, size_t operand) {
    const bool sums_squares = has_samples(operand);
    const vec_t x = vec("x");
    const vecs_t pivots = vecs("K", v.tile);
    load_pivots(pivots, operand, v.tile, x);
    const auto walk = [&] {
        std::vector<const vecs_t *> sums{&v.means};
        if (sums_squares) sums.push_back(&v.variances);
        sum_over_steps(sums, {operand}, [&] {
            for (int i = 0; i < v.tile.vectors; ++i) {
                load(x, operand, i, v.tile);
                vsubps(*x, *x, *pivots[i]);
                vaddps(*v.means[i], *v.means[i], *x);
                if (sums_squares) vfmadd231ps(*v.variances[i], *x, *x);
            }
        });
    };
    if (sums_squares)
        walk_about_near_pivots(v, pivots, x, walk);
    else
        walk();
    const auto &sum = *x;
    for (size_t i = 0; i < pivots.size(); ++i) {
        vmovups(sum, *v.means[i]);
        vfmadd231ps(*v.means[i], *pivots[i], constant(static_cast<float>(spec_.length)));
        divide_by_steps(v.means[i]);
        if (v.shifts.empty()) continue;
        find_remainder(sum, *pivots[i], *v.means[i]);
        v.shifts.set(static_cast<int>(i), sum);
    }
}

void column_kernel_t::walk_about_near_pivots(const tile_statistics_t &v, const vecs_t &pivots,
        const Xmm &offset, const function_ref_t<void()> &walk) {
    constexpr float most_variances = 4;
    const auto greater = jit::comparison_t::gt; // not of NaN
    const gpr_t walks_left = gpr("walks left");
    const vec_t excess = vec("(mean - K)^2 - 4 * variance");
    const auto find_offset = [&](size_t i) {
        vmovups(offset, *v.means[i]);
        divide_by_steps(offset);
    };
    const auto find_excess = [&](size_t i) {
        vmulps(*excess, offset, offset);
        vfnmadd231ps(*excess, *v.variances[i], constant(most_variances));
    };
    Xbyak::Label again, end;
    mov(*walks_left, 2);
    L(again);
    walk();
    {
        const vec_t greatest = vec("greatest excess");
        set_zero(greatest);
        for (size_t i = 0; i < pivots.size(); ++i) {
            find_offset(i);
            vfnmadd231ps(*v.variances[i], *v.means[i], offset);
            divide_by_steps(v.variances[i]);
            find_excess(i);
            vmaxps(*greatest, *excess, *greatest); // the second operand if one is NaN
            set_zero(excess);
            vmaxps(*v.variances[i], *excess, *v.variances[i]);
        }
        jit::lane_condition_t(*this, *greatest, greater, constant(0.f)).jump_if_none(end);
    }
    dec(*walks_left);
    jz(end, T_NEAR);
    for (size_t i = 0; i < pivots.size(); ++i) {
        find_offset(i);
        find_excess(i);
        vaddps(offset, offset, *pivots[i]);
        round_to_deviations(offset, *v.variances[i]);
        jit::lane_condition_t(*this, *excess, greater, constant(0.f)).select(pivots[i], offset);
    }
    jmp(again, T_NEAR);
    L(end);
}

void column_kernel_t::round_to_deviations(const Xmm &pivot, const Xmm &variance) {
    constexpr uint32_t exponent_bits = 0x7f800000;
    const vec_t magnitude = vec("a float whose last bit is the step");
    vsqrtps(magnitude, variance);
    vandps(magnitude, magnitude, constant_bits(exponent_bits));
    vmulps(magnitude, magnitude, constant(0x1.8p23f));
    vaddps(pivot, pivot, *magnitude);
    vsubps(pivot, pivot, *magnitude);
}

bool column_kernel_t::has_samples(size_t operand) const {
    constexpr dim_t many_steps = 32; // to be worth the arithmetic on samples
    return spec_.length >= many_steps && inner_length() >= samples
           && spec_.pitch(operand) <= std::numeric_limits<int32_t>::max() / 2 / inner_length();
}

void column_kernel_t::load_pivots(
        const vecs_t &pivots, size_t operand, const tile_t &tile, const Xmm &x) {
    load_all(pivots, operand, tile);
    if (has_samples(operand)) {
        const vec_t greater = vec("the greater of two samples");
        const auto load_sample = [&](int sample, int i) {
            const dim_t step = sample * (inner_length() - 1) / (samples - 1);
            io_.load(x, spec_.type(operand),
                    at(operand, i) + static_cast<int>(step * spec_.pitch(operand)),
                    lanes_of(tile, i));
        };
        for (int i = 0; i < tile.vectors; ++i) {
            const auto &median = *pivots[i];
            load_sample(1, i);
            vmaxps(*greater, median, x);
            vminps(median, median, x);
            load_sample(2, i);
            vminps(x, x, *greater);
            vmaxps(median, median, x);
        }
    }
    for (const vec_t &pivot : pivots) jit::keep_finite(*this, pivot);
}

void column_kernel_t::find_remainder(const Xmm &sum, const Xmm &pivot, const Xmm &mean) {
    const auto length = constant(static_cast<float>(spec_.length));
    const vec_t distance = vec("K - mean"), minus_mean = vec("-mean, nearly");
    vsubps(*distance, pivot, mean);
    vfmadd231ps(sum, *distance, length);
    // What the distance lacks: pivot - mean - distance, which is exact.
    vsubps(*minus_mean, *distance, pivot);
    vsubps(*distance, *distance, *minus_mean);
    vsubps(pivot, pivot, *distance);
    vaddps(*minus_mean, *minus_mean, mean);
    vsubps(pivot, pivot, *minus_mean);
    vfmadd231ps(sum, pivot, length);
    divide_by_steps(sum);
}

void column_kernel_t::find_variances(const tile_statistics_t &v, size_t operand) {
    const vec_t x = vec("x");
    const vecs_t deviations = vecs("sum of deviations", v.means.empty() ? tile_t{0, 0} : v.tile);
    sum_over_steps({&v.variances, &deviations}, {operand}, [&] {
        for (int i = 0; i < v.tile.vectors; ++i) {
            load(x, operand, i, v.tile);
            if (!v.means.empty()) {
                vsubps(*x, *x, *v.means[i]);
                vaddps(*deviations[i], *deviations[i], *x);
            }
            vfmadd231ps(*v.variances[i], *x, *x);
        }
    });
    for (size_t i = 0; i < v.variances.size(); ++i) {
        if (!v.means.empty()) {
            vmovups(*x, *deviations[i]);
            divide_by_steps(x);
            vfnmadd231ps(*v.variances[i], *deviations[i], *x);
        }
        divide_by_steps(v.variances[i]);
        if (!v.shifts.empty()) choose_shift(v, static_cast<int>(i), x, *deviations[i]);
    }
}

void column_kernel_t::choose_shift(
        const tile_statistics_t &v, int i, const Xmm &measured, const Xmm &difference) {
    constexpr float most_variances = 0x1p-46f; // (2^-23)^2
    const auto &other = v.shifts[i];
    vsubps(difference, measured, other);
    vmulps(difference, difference, difference);
    const vec_t most = vec("greatest square");
    vmulps(*most, *v.variances[i], constant(most_variances));
    jit::lane_condition_t(*this, difference, jit::comparison_t::le, *most).select(measured, other);
    v.shifts.set(i, measured);
}

void column_kernel_t::find_reciprocals(const tile_statistics_t &of, float epsilon) {
    const vec_t one = vec("1");
    broadcast(one, 1.f);
    for (int i = 0; i < of.tile.vectors; ++i) {
        const auto &r = *of.variances[i];
        vaddps(r, r, constant(epsilon));
        vsqrtps(r, r);
        vdivps(r, one, r);
        keep_lanes(r, lanes_of(of.tile, i));
        if (of.shifts.empty()) continue;
        const vec_t shift = vec("shift of xhat");
        vmulps(*shift, r, of.shifts[i]);
        keep_lanes(shift, lanes_of(of.tile, i));
        of.shifts.set(i, shift);
    }
}

void column_kernel_t::load_normalized(
        const Xmm &x, size_t operand, int i, const tile_statistics_t &by) {
    load(x, operand, i, by.tile);
    if (!by.means.empty()) vsubps(x, x, *by.means[i]);
    if (by.shifts.empty())
        vmulps(x, x, *by.variances[i]);
    else
        vfmsub213ps(x, *by.variances[i], by.shifts[i]);
}

} // namespace kiln::x64
