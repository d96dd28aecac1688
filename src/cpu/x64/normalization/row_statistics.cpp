// SPDX-License-Identifier: Apache-2.0
// Mean and variance of rows that go together.

#include "cpu/x64/normalization/row_statistics.hpp"

#include <utility>

#include "common/data_type.hpp"
#include "cpu/x64/jit/lane_condition.hpp"

namespace kiln::x64::normalization {

using jit::vec_t;
using Xbyak::Xmm;

void row_statistics_t::begin() {
    if (!is_rms_) {
        center_.emplace(median_of_three());
        center_on(*center_);
        sums_.emplace(g_, src_.rows, accumulators_);
    }
    squares_.emplace(g_, src_.rows, accumulators_);
}

void row_statistics_t::add(int copy, int count) {
    Xbyak::CodeGenerator &a = g_.assembler();
    const vec_t x = g_.vec("x");
    for (int row = 0; row < src_.rows; ++row) {
        load(x, row, copy, count);
        if (sums_) a.vaddps(sums_->of(row, copy), sums_->of(row, copy), *x);
        a.vfmadd231ps(squares_->of(row, copy), *x, *x);
    }
}

row_moments_t row_statistics_t::finish() {
    Xbyak::CodeGenerator &a = g_.assembler();
    centers_.clear();
    vec_t variance = squares_->fold();
    if (is_rms_) {
        a.vdivps(lanes(variance), lanes(variance), cols());
        return {std::nullopt, std::move(variance)};
    }
    const vec_t &mean = *center_;
    std::optional<jit::lane_condition_t> is_far;
    {
        const vec_t sum = sums_->fold();
        const vec_t offset = g_.vec("mean - K");
        a.vdivps(lanes(offset), lanes(sum), cols());
        a.vfnmadd231ps(lanes(variance), lanes(sum), lanes(offset));
        a.vdivps(lanes(variance), lanes(variance), cols());
        // Where the sums are exact, so is C * K + S, and the mean is rounded once.
        a.vfmadd132ps(lanes(mean), lanes(sum), cols());
        a.vdivps(lanes(mean), lanes(mean), cols());
        // Where offset^2 > 4 * variance, or anything was not finite.
        a.vmulps(lanes(offset), lanes(offset), lanes(offset));
        a.vfnmadd231ps(lanes(offset), lanes(variance), g_.constant(4));
        const vec_t zero = g_.vec("zero");
        g_.set_zero(zero);
        is_far.emplace(g_, offset, jit::comparison_t::not_le, *zero);
    }
    Xbyak::Label far, end;
    is_far->jump_if_any(src_.rows, far);
    a.jmp(end, Xbyak::CodeGenerator::T_NEAR);
    a.L(far);
    {
        const row_moments_t again = find_centered();
        is_far->select(mean, **again.mean);
        is_far->select(variance, *again.variance);
    }
    a.L(end);
    return {std::move(center_), std::move(variance)};
}

row_moments_t row_statistics_t::find() {
    begin();
    walk_.for_each_vector([this](int copy, int count) { add(copy, count); });
    return finish();
}

void row_statistics_t::center_on(const Xmm &center) {
    for (int row = 0; row < src_.rows; ++row) {
        centers_.push_back(g_.vec("center"));
        jit::broadcast_lane(g_, centers_.back(), center, row);
    }
}

void row_statistics_t::load(const Xmm &x, int row, int copy, int count) const {
    const auto place = walk_.at(src_.base, src_.type, copy, src_.offset + row * src_.pitch);
    walk_.io().load(x, src_.type, place, count);
    if (centers_.empty()) return;
    g_.assembler().vsubps(x, x, *centers_[static_cast<size_t>(row)]);
    g_.keep_lanes(x, count); // 0 - center is no deviation
}

vec_t row_statistics_t::median_of_three() const {
    Xbyak::CodeGenerator &a = g_.assembler();
    const dim_t cols = walk_.cols();
    vec_t first = elements(0);
    const vec_t middle = elements(cols / 2);
    const vec_t last = elements(cols - 1);
    const vec_t larger = g_.vec("larger");
    a.vmaxps(lanes(larger), lanes(first), lanes(middle));
    a.vminps(lanes(first), lanes(first), lanes(middle));
    a.vminps(lanes(larger), lanes(larger), lanes(last));
    a.vmaxps(lanes(first), lanes(first), lanes(larger));
    return first;
}

vec_t row_statistics_t::elements(dim_t col) const {
    const dim_t size = static_cast<dim_t>(data_type_size(src_.type));
    const auto place = [&](int row) {
        return src_.base + static_cast<int>(src_.offset + row * src_.pitch + col * size);
    };
    vec_t of_rows = g_.vec("elements");
    walk_.io().load_broadcast(of_rows, src_.type, place(0));
    for (int row = 1; row < src_.rows; ++row) {
        const vec_t next = g_.vec("element");
        walk_.io().load_broadcast(next, src_.type, place(row));
        g_.assembler().vinsertps(
                lanes(of_rows), lanes(of_rows), lanes(next), static_cast<uint8_t>(row << 4));
    }
    return of_rows;
}

row_moments_t row_statistics_t::find_centered() {
    Xbyak::CodeGenerator &a = g_.assembler();
    const sum_t add_x = [&](const Xmm &sum, const Xmm &x) { a.vaddps(sum, sum, x); };
    vec_t mean = sum_up(add_x);
    a.vdivps(lanes(mean), lanes(mean), cols());
    center_on(mean);
    // The mean was rounded to a float, so deviations from it sum to D instead of 0, and the squares
    // are D * D / C too large.
    const vec_t deviation = sum_up(add_x);
    vec_t variance = sum_up([&](const Xmm &sum, const Xmm &x) { a.vfmadd231ps(sum, x, x); });
    centers_.clear();
    const vec_t quotient = g_.vec("D / C");
    a.vdivps(lanes(quotient), lanes(deviation), cols());
    a.vfnmadd231ps(lanes(variance), lanes(deviation), lanes(quotient));
    a.vdivps(lanes(variance), lanes(variance), cols());
    return {std::move(mean), std::move(variance)};
}

vec_t row_statistics_t::sum_up(const sum_t &add) const {
    row_sums_t sums(g_, src_.rows, accumulators_);
    walk_.for_each_vector([&](int copy, int count) {
        const vec_t x = g_.vec("x");
        for (int row = 0; row < src_.rows; ++row) {
            load(x, row, copy, count);
            add(sums.of(row, copy), x);
        }
    });
    return sums.fold();
}

} // namespace kiln::x64::normalization
