// SPDX-License-Identifier: Apache-2.0
// Mean and variance of the rows of a row block.

#include "cpu/x64/layer_normalization/row_statistics.hpp"

#include <algorithm>
#include <utility>

#include "common/memory/data_type.hpp"
#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/math/functions.hpp"
#include "cpu/x64/jit/reduce.hpp"

namespace kiln::x64::layer_normalization {

using jit::vec_t;
using Xbyak::Xmm;

namespace {

/// The first columns of the groups of four elements that K is chosen from: two groups in rows of
/// less than 16 elements, else four. They are multiples of four, so that no group crosses a cache
/// line.
std::vector<dim_t> sample_columns(dim_t cols) {
    if (cols < 8) return {0, cols - 4};
    const dim_t fours = cols < 16 ? 2 : 4;
    std::vector<dim_t> columns;
    for (dim_t four = 0; four < fours; ++four)
        columns.push_back(4 * (four * (cols / 4 - 1) / (fours - 1)));
    return columns;
}

} // namespace

block_statistics_t::block_statistics_t(
        jit::generator_t &g, int rows, dim_t cols, bool is_rms, bool are_computed, float epsilon)
    : g_(g)
    , epsilon_(epsilon)
    , are_spread_by_loads_(are_spread_by_loads(g, rows, cols))
    , shifts_(g, "(mean - center) * r", are_computed && !is_rms ? rows : 0) {
    for (int row = 0; row < rows; ++row) {
        if (!is_rms) centers_.push_back(g.vec("center"));
        reciprocals_.push_back(g.vec("1 / sqrt(variance + epsilon)"));
    }
}

void block_statistics_t::set(const row_moments_t &moments) {
    if (moments.center) spread_lanes(g_, centers_, *moments.center, are_spread_by_loads_);
    set_reciprocals(moments.variance);
    if (has_shifts()) set_shifts(g_.xmm(*moments.rest), g_.xmm(moments.variance));
}

void block_statistics_t::set_shifts(const Xmm &rest, const Xmm &reciprocals) {
    g_.vmulps(rest, rest, reciprocals);
    const jit::lane_broadcasts_t broadcast(g_, rest, are_spread_by_loads_);
    for (int row = 0; row < rows(); ++row)
        shifts_.write(row, [&](const Xmm &shift) { broadcast(shift, row); });
}

void block_statistics_t::load(const std::optional<jit::pitched_rows_t> &mean,
        const jit::pitched_rows_t &variance, const std::optional<jit::pitched_rows_t> &rest) {
    const vec_t lanes = g_.vec("mean, then variance");
    if (mean) {
        load_lanes(g_, lanes, *mean, rows());
        spread_lanes(g_, centers_, lanes, are_spread_by_loads_);
    }
    load_lanes(g_, lanes, variance, rows());
    set_reciprocals(lanes);
    if (!rest) return;
    const vec_t rests = g_.vec("mean - center");
    load_lanes(g_, rests, *rest, rows());
    set_shifts(g_.xmm(rests), g_.xmm(lanes));
}

void block_statistics_t::set_reciprocals(const Xmm &variance) {
    const vec_t divisor = g_.vec("sqrt(variance + epsilon)");
    const Xmm root = g_.xmm(divisor), lanes = g_.xmm(variance);
    g_.vaddps(root, lanes, g_.constant(epsilon_));
    g_.vsqrtps(root, root);
    g_.broadcast(lanes, 1.f);
    g_.vdivps(lanes, lanes, root);
    spread_lanes(g_, reciprocals_, variance, are_spread_by_loads_);
}

void block_statistics_t::center(const Xmm &x, int row) const {
    if (!centers_.empty()) g_.vsubps(x, x, *centers_[row]);
}

void block_statistics_t::normalize(const Xmm &x, int row) const {
    center(x, row);
    if (has_shifts())
        g_.vfmsub213ps(x, reciprocal(row), shift(row));
    else
        g_.vmulps(x, x, reciprocal(row));
}

void row_statistics_t::begin() {
    if (wanted_.pivot) pivot_.emplace(pick_pivots());
    begin_sums(accumulators_);
}

void row_statistics_t::begin_sums(int accumulators) {
    if (wanted_.pivot) {
        for (int row = 0; row < rows(); ++row) centers_.push_back(g_.vec("pivot"));
        spread_lanes(g_, centers_, *pivot_, are_spread_by_loads(g_, rows(), walk_.cols()));
        sums_.emplace(g_, rows(), accumulators, !is_one_vector());
    }
    squares_.emplace(g_, rows(), accumulators, !is_one_vector());
}

void row_statistics_t::add(int copy, int count, bool is_first) {
    const vec_t x = g_.vec("x");
    for (int row = 0; row < rows(); ++row) {
        is_first ? source_.load_first(x, row, copy, count) : source_.load(x, row, copy, count);
        add(x, row, copy, count);
    }
}

void row_statistics_t::add(const Xmm &x, int row, int copy, int count) {
    if (is_one_vector()) return set_sums(x, row, count);
    if (wanted_.pivot) {
        subtract_pivot(x, x, row, count);
        g_.vaddps(sums_->of(row, copy), sums_->of(row, copy), x);
    }
    g_.vfmadd231ps(squares_->of(row, copy), x, x);
}

void row_statistics_t::set_sums(const Xmm &x, int row, int count) {
    const Xmm &d = wanted_.pivot ? sums_->of(row, 0) : x;
    if (wanted_.pivot) subtract_pivot(d, x, row, count);
    g_.vmulps(squares_->of(row, 0), d, d);
}

void row_statistics_t::subtract_pivot(const Xmm &d, const Xmm &x, int row, int count) {
    g_.vsubps(walk_.io().masked(d, count), x, *centers_[row]);
    if (!g_.has_avx512()) g_.keep_lanes(d, count);
}

row_moments_t row_statistics_t::finish() {
    centers_.clear();
    vec_t variance = squares_->reduce();
    if (!wanted_.pivot) {
        jit::divide_by(g_, lanes(variance), lanes(variance), walk_.cols());
        return {std::nullopt, std::nullopt, std::nullopt, std::move(variance)};
    }
    vec_t rest = sums_->reduce();
    std::optional<vec_t> mean;
    if (wanted_.mean) {
        // If the sums are exact, so is C * K + S, and the mean is rounded once.
        const Xmm total = lanes(mean.emplace(g_.vec("mean")));
        g_.vmovaps(total, lanes(*pivot_));
        g_.vfmadd132ps(total, lanes(rest), cols());
        jit::divide_by(g_, total, total, walk_.cols());
    }
    std::optional<jit::lane_condition_t> are_far;
    {
        const vec_t offset = find_moments(rest, variance);
        // offset^2 > 2 * variance, or a term is not finite.
        const vec_t square = g_.vec("offset^2"), limit = g_.vec("limit of offset^2");
        g_.vmulps(lanes(square), lanes(offset), lanes(offset));
        g_.vaddps(lanes(limit), lanes(variance), lanes(variance));
        are_far.emplace(g_, square, jit::comparison_t::not_le, *limit);
        find_center(offset, rest);
    }
    Xbyak::Label end;
    are_far->jump_unless_any(rows(), end);
    sum_again(*are_far, rest, variance);
    if (mean) set_infinite_means(lanes(*mean), lanes(rest));
    g_.L(end);
    return {std::move(pivot_), std::move(rest), std::move(mean), std::move(variance)};
}

void row_statistics_t::sweep() {
    walk_.for_each_vector([this](int copy, int count) { add(copy, count); });
}

row_moments_t row_statistics_t::find() {
    begin();
    sweep();
    return finish();
}

vec_t row_statistics_t::find_moments(const Xmm &sum, const Xmm &variance) {
    vec_t offset = g_.vec("S / C");
    jit::divide_by(g_, lanes(offset), lanes(sum), walk_.cols());
    g_.vfnmadd231ps(lanes(variance), lanes(sum), lanes(offset));
    jit::divide_by(g_, lanes(variance), lanes(variance), walk_.cols());
    return offset;
}

void row_statistics_t::find_center(const Xmm &offset, const Xmm &sum) {
    const Xmm rest = lanes(sum), pivot = lanes(*pivot_), addend = lanes(offset);
    g_.vfnmadd231ps(rest, addend, cols()); // exact
    jit::divide_by(g_, rest, rest, walk_.cols());
    // center + error = K + offset, exactly (Knuth's two-sum).
    const vec_t center = g_.vec("center"), part = g_.vec("part of the center");
    g_.vaddps(lanes(center), pivot, addend);
    g_.vsubps(lanes(part), lanes(center), pivot);
    g_.vsubps(addend, addend, lanes(part));
    g_.vsubps(lanes(part), lanes(center), lanes(part));
    g_.vsubps(pivot, pivot, lanes(part));
    g_.vaddps(addend, addend, pivot);
    g_.vaddps(rest, rest, addend);
    g_.vmovaps(pivot, lanes(center));
}

vec_t row_statistics_t::pick_pivots() const {
    jit::vecs_t samples;
    if (walk_.cols() < 4) {
        samples = medians_of_three();
    } else {
        const std::vector<dim_t> columns = sample_columns(walk_.cols());
        samples = minima_of_fours(columns[0], columns[1]);
        if (columns.size() > 2) {
            const jit::vecs_t others = minima_of_fours(columns[2], columns[3]);
            for (size_t row = 0; row < samples.size(); ++row)
                g_.vmaxps(lanes(samples[row]), lanes(samples[row]), lanes(others[row]));
        }
    }
    jit::pick_from_quarters(g_, samples);
    return std::move(samples.front());
}

jit::vecs_t row_statistics_t::medians_of_three() const {
    const vec_t second = g_.vec("second"), third = g_.vec("third"), minimum = g_.vec("minimum");
    jit::vecs_t result;
    for (int row = 0; row < rows(); ++row) {
        result.push_back(g_.vec("first"));
        const Xmm first = result.back();
        const auto load = [&](const Xmm &to, dim_t col) {
            walk_.go_to(std::min(col, walk_.cols() - 1));
            source_.load_broadcast(to, row);
        };
        load(first, 0);
        load(second, 1);
        load(third, 2);
        g_.vminps(*minimum, first, *second);
        g_.vmaxps(first, first, *second);
        g_.vminps(first, first, *third);
        g_.vmaxps(first, first, *minimum);
    }
    return result;
}

jit::vecs_t row_statistics_t::minima_of_fours(dim_t col, dim_t other_col) const {
    jit::vecs_t result;
    walk_.go_to(col);
    for (int row = 0; row < rows(); ++row) {
        result.push_back(g_.vec("four elements"));
        source_.load_four(result.back(), row);
    }
    if (other_col == col) return result;
    const vec_t x = g_.vec("x");
    walk_.go_to(other_col);
    for (int row = 0; row < rows(); ++row) source_.min_of_four(lanes(result[row]), row, x);
    return result;
}

void row_statistics_t::sum_again(
        const jit::lane_condition_t &are_far, const Xmm &rest, const Xmm &variance) {
    jit::keep_finite(g_, *pivot_);
    begin_sums(1);
    walk_.for_each_vector([this](int copy, int count) { add(copy, count, false); });
    centers_.clear();
    const vec_t new_variance = squares_->reduce(), sum = sums_->reduce();
    const vec_t offset = find_moments(sum, new_variance);
    are_far.select(rest, *offset);
    are_far.select(variance, *new_variance);
}

void row_statistics_t::set_infinite_means(const Xmm &mean, const Xmm &rest) {
    const vec_t sum = g_.vec("center + rest");
    g_.vaddps(lanes(sum), rest, lanes(*pivot_));
    const jit::lane_condition_t are_unknown(
            g_, g_.full(mean), jit::comparison_t::unordered, g_.full(mean));
    are_unknown.select(g_.full(mean), *sum);
}

} // namespace kiln::x64::layer_normalization
