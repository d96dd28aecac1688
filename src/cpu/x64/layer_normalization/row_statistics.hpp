// SPDX-License-Identifier: Apache-2.0
// Mean and variance of the rows of a row block, as code of a kernel.
#pragma once

#include <optional>

#include "cpu/x64/jit/kept_vecs.hpp"
#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/row_walk.hpp"
#include "cpu/x64/rows/row_lanes.hpp"
#include "cpu/x64/rows/row_source.hpp"

namespace kiln::x64::layer_normalization {

/// Lane i belongs to row i. RMS normalization has the variance only.
struct row_moments_t {
    // The mean is center + rest: a float near it, and what is left, which may be as small as the
    // center's last digit.
    std::optional<jit::vec_t> center, rest;
    std::optional<jit::vec_t> mean; // rounded once, if it is asked for
    jit::vec_t variance;
};

/// The center of each row of a block, r = 1 / sqrt(variance + epsilon) and the shift t, each in
/// every lane of a vector: xhat = (x - center) * r - t.
/// - Given statistics: the center is the mean; there is no t.
/// - Computed ones: t = (mean - center) * r. Near the center, x - center is exact; t has the digits
///   that the mean loses when it is rounded.
/// - RMS normalization has neither center nor t.
class block_statistics_t {
public:
    /// Of rows of `cols` elements.
    block_statistics_t(jit::generator_t &g, int rows, dim_t cols, bool is_rms, bool are_computed,
            float epsilon);

    int rows() const { return static_cast<int>(reciprocals_.size()); }
    /// The variance is overwritten.
    void set(const row_moments_t &moments);
    /// From rows of one element; `mean` is absent for RMS normalization. With `rest`, it is the
    /// center of statistics that another kernel has computed.
    void load(const std::optional<jit::pitched_rows_t> &mean, const jit::pitched_rows_t &variance,
            const std::optional<jit::pitched_rows_t> &rest = std::nullopt);

    /// x -= center
    void center(const Xbyak::Xmm &x, int row) const;
    /// x = xhat
    void normalize(const Xbyak::Xmm &x, int row) const;
    bool has_shifts() const { return !shifts_.empty(); }
    /// t of a row, as an instruction's last operand.
    const Xbyak::Operand &shift(int row) const { return shifts_[row]; }
    const Xbyak::Xmm &reciprocal(int row) const { return *reciprocals_[row]; }

private:
    /// r from the variance of each row in the lowest four lanes, which become r.
    void set_reciprocals(const Xbyak::Xmm &variance);
    /// t from the rest of each mean, in the lowest four lanes, which are overwritten, and r.
    void set_shifts(const Xbyak::Xmm &rest, const Xbyak::Xmm &reciprocals);

    jit::generator_t &g_;
    const float epsilon_;
    const bool are_spread_by_loads_;
    jit::vecs_t centers_, reciprocals_;
    jit::kept_vecs_t shifts_;
};

/// Writes the code in one sweep that the kernel may share: begin(), add() for every vector of a
/// row, finish(). With the pivot K, d = x - K, S = sum(d) and Q = sum(d * d),
///     mean = (C * K + S) / C,   variance = (Q - S * S / C) / C,
///     center = K + S / C, rounded,   rest = K + S / C - center.
/// K is an element of the row, so that sums of whole numbers stay exact: the approximate median of
/// up to sixteen elements. If (mean - K)^2 > 2 * variance, the difference Q - S * S / C has lost
/// digits; then the center, or 0 if it is not finite, becomes the pivot of another sweep, whose
/// S / C is the rest. RMS normalization has K = 0 and variance = Q / C.
///
/// The order of additions does not depend on the size of the row block, so a row's statistics are
/// bit-identical in any block.
///
/// Registers in the sweep: for each row K and `accumulators` vectors each for S and Q, and one
/// vector for x.
class row_statistics_t {
public:
    struct wanted_t {
        bool pivot; // else it is RMS normalization
        bool mean;
    };
    /// `accumulators`: vectors of partial sums for a row's sum.
    row_statistics_t(jit::generator_t &g, const jit::row_walk_t &walk, const source_rows_t &src,
            const wanted_t &wanted, int accumulators)
        : g_(g)
        , walk_(walk)
        , source_(g, walk, src)
        , wanted_(wanted)
        , accumulators_(is_one_vector() ? 1 : accumulators) {}

    void begin();
    void add(int copy, int count, bool is_first = true);
    row_moments_t finish();

    /// add() for every vector.
    void sweep();
    /// begin(), sweep(), finish().
    row_moments_t find();

private:
    bool is_one_vector() const { return walk_.cols() <= g_.lanes(); }
    /// Spreads K and sets the sums to 0, unless a row is one vector. `accumulators`: of each sum.
    void begin_sums(int accumulators);
    /// Adds x - K and its square; x is overwritten.
    void add(const Xbyak::Xmm &x, int row, int copy, int count);
    /// d = x - K, 0 in lanes from `count` on.
    void subtract_pivot(const Xbyak::Xmm &d, const Xbyak::Xmm &x, int row, int count);
    /// The sums of a row of one vector.
    void set_sums(const Xbyak::Xmm &x, int row, int count);
    /// K of each row, a lane each: the maximum of minima of two elements, and so on in turns.
    jit::vec_t pick_pivots() const;
    /// For each row, the minima of four elements from `col` on and four from `other_col` on.
    jit::vecs_t minima_of_fours(dim_t col, dim_t other_col) const;
    /// For each row, in every lane: the median of three elements, or one of two.
    jit::vecs_t medians_of_three() const;
    /// The variance from S and Q, which is there; returns S / C.
    jit::vec_t find_moments(const Xbyak::Xmm &sum, const Xbyak::Xmm &variance);
    /// The center, in place of K, and the rest, in place of S, from S / C, which is overwritten.
    void find_center(const Xbyak::Xmm &offset, const Xbyak::Xmm &sum);
    /// The moments of the rows that `are_far` by another sweep, about the center. It has one
    /// accumulator for a sum, since registers are few.
    void sum_again(const jit::lane_condition_t &are_far, const Xbyak::Xmm &rest,
            const Xbyak::Xmm &variance);
    /// About a pivot that is infinite, the mean was NaN; now center + rest is the mean.
    void set_infinite_means(const Xbyak::Xmm &mean, const Xbyak::Xmm &rest);
    Xbyak::Xmm lanes(const Xbyak::Xmm &vec) const { return g_.xmm(vec); }
    int rows() const { return source_.src().rows; }
    jit::constant_t cols() const { return g_.constant(static_cast<float>(walk_.cols())); }

    jit::generator_t &g_;
    const jit::row_walk_t &walk_;
    const row_source_t source_;
    const wanted_t wanted_;
    const int accumulators_;
    std::optional<jit::vec_t> pivot_; // lane i is K of row i
    jit::vecs_t centers_;             // K of each row, in every lane
    std::optional<row_sums_t> sums_, squares_;
};

} // namespace kiln::x64::layer_normalization
