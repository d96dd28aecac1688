// SPDX-License-Identifier: Apache-2.0
// Mean and variance of the rows of a row block.

#include "cpu/x64/layer_normalization/row_statistics.hpp"

#include <algorithm>
#include <utility>

#include "common/memory/data_type.hpp"
#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/reduce.hpp"

namespace kiln::x64::layer_normalization {

using jit::vec_t;
using Xbyak::Xmm;

namespace {

/// The first columns of the groups of four elements that K is chosen from: two groups in rows of
/// less than 16 elements, else four. They are multiples of four, so that no group crosses a cache
/// line. The groups are adjacent if rows are streamed and short or have a second operand.
std::vector<dim_t> sample_columns(const source_rows_t &src, dim_t cols) {
    constexpr dim_t short_bytes = 1024;
    if (cols < 8) return {0, cols - 4};
    const dim_t fours = cols < 16 ? 2 : 4;
    const dim_t row_bytes = cols * static_cast<dim_t>(data_type_size(src.src.type));
    const bool is_contiguous = src.is_streamed && (row_bytes <= short_bytes || src.added);
    std::vector<dim_t> columns;
    for (dim_t four = 0; four < fours; ++four)
        columns.push_back(4 * (is_contiguous ? four : four * (cols / 4 - 1) / (fours - 1)));
    return columns;
}

} // namespace

block_statistics_t::block_statistics_t(jit::generator_t &g, int rows, bool is_rms, float epsilon)
    : g_(g)
    , epsilon_(epsilon) {
    for (int row = 0; row < rows; ++row) {
        if (!is_rms) means_.push_back(g.vec("mean"));
        reciprocals_.push_back(g.vec("1 / sqrt(variance + epsilon)"));
    }
}

void block_statistics_t::set(const row_moments_t &moments) {
    if (moments.mean) spread_lanes(g_, means_, *moments.mean);
    set_reciprocals(moments.variance);
}

void block_statistics_t::load(
        const std::optional<pitched_rows_t> &mean, const pitched_rows_t &variance) {
    const vec_t lanes = g_.vec("mean, then variance");
    if (mean) {
        load_lanes(g_, lanes, *mean, rows());
        spread_lanes(g_, means_, lanes);
    }
    load_lanes(g_, lanes, variance, rows());
    set_reciprocals(lanes);
}

void block_statistics_t::set_reciprocals(const Xmm &variance) {
    Xbyak::CodeGenerator &a = g_.assembler();
    const vec_t divisor = g_.vec("sqrt(variance + epsilon)");
    const Xmm root = g_.xmm(divisor), lanes = g_.xmm(variance);
    g_.broadcast(root, epsilon_);
    a.vaddps(root, root, lanes);
    a.vsqrtps(root, root);
    g_.broadcast(lanes, 1.f);
    a.vdivps(lanes, lanes, root);
    spread_lanes(g_, reciprocals_, variance);
}

void block_statistics_t::center(const Xmm &x, int row) const {
    if (!means_.empty()) g_.assembler().vsubps(x, x, *means_[static_cast<size_t>(row)]);
}

void row_statistics_t::begin() {
    if (!is_rms_) {
        pivot_.emplace(pick_pivots());
        center_on(*pivot_);
        sums_.emplace(g_, rows(), accumulators_);
    }
    squares_.emplace(g_, rows(), accumulators_);
}

void row_statistics_t::add(int copy, int count) {
    Xbyak::CodeGenerator &a = g_.assembler();
    const vec_t x = g_.vec("x");
    for (int row = 0; row < rows(); ++row) {
        source_.load_first(x, row, copy, count);
        center(x, row, count);
        if (sums_) a.vaddps(sums_->of(row, copy), sums_->of(row, copy), *x);
        a.vfmadd231ps(squares_->of(row, copy), *x, *x);
    }
}

row_moments_t row_statistics_t::finish() {
    Xbyak::CodeGenerator &a = g_.assembler();
    centers_.clear();
    vec_t variance = squares_->reduce();
    if (is_rms_) {
        a.vdivps(lanes(variance), lanes(variance), cols());
        return {std::nullopt, std::move(variance)};
    }
    const vec_t &mean = *pivot_;
    std::optional<jit::lane_condition_t> is_far;
    {
        const vec_t sum = sums_->reduce();
        const vec_t offset = g_.vec("mean - K");
        a.vdivps(lanes(offset), lanes(sum), cols());
        a.vfnmadd231ps(lanes(variance), lanes(sum), lanes(offset));
        a.vdivps(lanes(variance), lanes(variance), cols());
        // If the sums are exact, so is C * K + S, and the mean is rounded once.
        a.vfmadd132ps(lanes(mean), lanes(sum), cols());
        a.vdivps(lanes(mean), lanes(mean), cols());
        // offset^2 > 2 * variance, or a term is not finite.
        const vec_t limit = g_.vec("limit of offset^2");
        a.vmulps(lanes(offset), lanes(offset), lanes(offset));
        a.vaddps(lanes(limit), lanes(variance), lanes(variance));
        is_far.emplace(g_, offset, jit::comparison_t::not_le, *limit);
    }
    Xbyak::Label far, end;
    is_far->jump_if_any(rows(), far);
    a.jmp(end, Xbyak::CodeGenerator::T_NEAR);
    a.L(far);
    {
        const row_moments_t again = find_centered();
        is_far->select(mean, **again.mean);
        is_far->select(variance, *again.variance);
    }
    a.L(end);
    return {std::move(pivot_), std::move(variance)};
}

void row_statistics_t::sweep() {
    walk_.for_each_vector([this](int copy, int count) { add(copy, count); });
}

row_moments_t row_statistics_t::find() {
    begin();
    sweep();
    return finish();
}

void row_statistics_t::center_on(const Xmm &center) {
    for (int row = 0; row < rows(); ++row) centers_.push_back(g_.vec("center"));
    spread_lanes(g_, centers_, center);
}

void row_statistics_t::center(const Xmm &x, int row, int count) const {
    if (centers_.empty()) return;
    g_.assembler().vsubps(x, x, *centers_[static_cast<size_t>(row)]);
    g_.keep_lanes(x, count); // lanes from count on are 0 - center
}

vec_t row_statistics_t::pick_pivots() const {
    std::vector<vec_t> samples;
    if (walk_.cols() < 4) {
        samples = medians_of_three();
    } else {
        const std::vector<dim_t> columns = sample_columns(source_.src(), walk_.cols());
        samples = minima_of_fours(columns[0], columns[1]);
        if (columns.size() > 2) {
            const std::vector<vec_t> others = minima_of_fours(columns[2], columns[3]);
            for (size_t row = 0; row < samples.size(); ++row)
                g_.assembler().vmaxps(lanes(samples[row]), lanes(samples[row]), lanes(others[row]));
        }
    }
    jit::pick_from_quarters(g_, samples);
    return std::move(samples.front());
}

std::vector<vec_t> row_statistics_t::medians_of_three() const {
    Xbyak::CodeGenerator &a = g_.assembler();
    const vec_t second = g_.vec("second"), third = g_.vec("third"), minimum = g_.vec("minimum");
    std::vector<vec_t> result;
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
        a.vminps(*minimum, first, *second);
        a.vmaxps(first, first, *second);
        a.vminps(first, first, *third);
        a.vmaxps(first, first, *minimum);
    }
    return result;
}

std::vector<vec_t> row_statistics_t::minima_of_fours(dim_t col, dim_t other_col) const {
    std::vector<vec_t> result;
    walk_.go_to(col);
    for (int row = 0; row < rows(); ++row) {
        result.push_back(g_.vec("four elements"));
        source_.load_four(result.back(), row);
    }
    if (other_col == col) return result;
    const vec_t x = g_.vec("x");
    walk_.go_to(other_col);
    for (int row = 0; row < rows(); ++row) {
        const Xmm four = lanes(result[static_cast<size_t>(row)]);
        source_.load_four(x, row);
        g_.assembler().vminps(four, four, lanes(x));
    }
    return result;
}

row_moments_t row_statistics_t::find_centered() {
    Xbyak::CodeGenerator &a = g_.assembler();
    const auto add_x = [&](const Xmm &sum, const Xmm &x) { a.vaddps(sum, sum, x); };
    vec_t mean = sum_up(add_x);
    a.vdivps(lanes(mean), lanes(mean), cols());
    center_on(mean);
    // The mean is rounded to a float: deviations from it sum to D instead of 0, and the sum of
    // their squares is D * D / C too large.
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
    row_sums_t sums(g_, rows(), accumulators_);
    walk_.for_each_vector([&](int copy, int count) {
        const vec_t x = g_.vec("x");
        for (int row = 0; row < rows(); ++row) {
            source_.load(x, row, copy, count);
            center(x, row, count);
            add(sums.of(row, copy), x);
        }
    });
    return sums.reduce();
}

} // namespace kiln::x64::layer_normalization
