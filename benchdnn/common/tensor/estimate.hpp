// SPDX-License-Identifier: Apache-2.0
// A reference value with the largest error that a correct f32 computation may have. The bound is
// propagated with the value through each step, so that it is relative to the magnitudes that are
// rounded and not to a result in which they may cancel.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace benchdnn {

// Unit roundoff of f32, the precision in which operations compute.
inline constexpr double f32_roundoff = 0x1p-24;

struct estimate_t {
    double value = 0;
    double tolerance = 0;
};

// A sum in double whose tolerance covers adding the terms in f32 in any order. Adding n terms
// rounds n partial sums. The roundings behave like random numbers, so they add up to about sqrt(n)
// times the roundoff of a typical partial sum. A partial sum of another order is at most about as
// large as the largest one here or, if terms of both signs cancel, as a random walk: sqrt(sum of
// squares).
// If the terms take fewer different values than there are terms, equal terms are rounded alike
// while the partial sum stays between two powers of two, and so are unequal terms whose last bits
// agree (squares of integers about a mean near an integer). The roundings do not average out then:
// there are n of them, of a partial sum that grows steadily and is half of the largest on average.
// Products of two such values are between these cases: m different products are rounded in m
// different ways, which behave like random numbers, but each occurs n / m times: sqrt(m) * n / m.
class running_sum_t {
public:
    enum class terms_t { may_agree, are_products };
    explicit running_sum_t(double distinct_terms = std::numeric_limits<double>::infinity(),
            terms_t kind = terms_t::may_agree)
        : distinct_(distinct_terms)
        , kind_(kind) {}
    void add(double term) {
        sum_ += term;
        squares_ += term * term;
        largest_ = std::max(largest_, std::fabs(sum_));
        ++terms_;
    }
    void merge(const running_sum_t &next) {
        if (next.terms_ == 0) return;
        // Terms of different sums are different.
        distinct_ = terms_ == 0 ? next.distinct_ : distinct_ + next.distinct_;
        kind_ = next.kind_;
        largest_ = std::max(largest_, std::fabs(sum_) + next.largest_);
        sum_ += next.sum_;
        squares_ += next.squares_;
        terms_ += next.terms_;
    }
    // How many different values the terms may have taken, where that is known only afterwards.
    void set_distinct_terms(double count) { distinct_ = count; }
    double sum() const { return sum_; }
    double tolerance() const {
        const double partial = std::max(largest_, 2 * std::sqrt(squares_));
        // 8: each term is the product of a few rounded factors.
        return f32_roundoff * (8 + roundings()) * partial;
    }
    estimate_t estimate() const { return {sum_, tolerance()}; }

private:
    // The accumulated roundings, in units of a typical one.
    double roundings() const {
        const auto terms = static_cast<double>(terms_);
        const double at_random = 2 * std::sqrt(terms); // 2: two deviations
        if (distinct_ >= terms) return at_random;
        const double alike = kind_ == terms_t::may_agree
                                     ? terms / 2
                                     : std::min(terms / 2, 2 * terms / std::sqrt(distinct_));
        return std::max(at_random, alike);
    }

    double distinct_;
    terms_t kind_;
    double sum_ = 0, squares_ = 0, largest_ = 0;
    int64_t terms_ = 0;
};

// f(input) for an exact function f: the tolerance of the input is mapped through f, whatever its
// slope or steps are, and `roundings` relative roundings are added. If f is not defined everywhere
// within the tolerance, the result has an infinite tolerance.
template <typename function_t>
estimate_t mapped(estimate_t input, function_t &&f, double roundings) {
    const double value = f(input.value);
    const double low = f(input.value - input.tolerance), high = f(input.value + input.tolerance);
    if (std::isnan(value) && std::isnan(low) && std::isnan(high)) return {value, 0};
    const auto distance = [=](double other) {
        if (other == value) return 0.0;
        const double apart = std::fabs(other - value);
        return std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart;
    };
    const double spread = std::max(distance(low), distance(high));
    const double rounding = std::isfinite(value) ? f32_roundoff * roundings * std::fabs(value) : 0;
    return {value, spread + rounding};
}

} // namespace benchdnn
