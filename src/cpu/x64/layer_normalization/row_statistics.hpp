// SPDX-License-Identifier: Apache-2.0
// Mean and variance of the rows of a row block, as code of a kernel.
#pragma once

#include <optional>
#include <vector>

#include "common/function_ref.hpp"
#include "cpu/x64/rows/row_lanes.hpp"
#include "cpu/x64/rows/row_source.hpp"
#include "cpu/x64/rows/row_walk.hpp"

namespace kiln::x64::layer_normalization {

/// Lane i belongs to row i.
struct row_moments_t {
    std::optional<jit::vec_t> mean; // absent for RMS normalization
    jit::vec_t variance;
};

/// The mean and r = 1 / sqrt(variance + epsilon) of each row of a block, each in every lane of a
/// vector. RMS normalization has no mean.
class block_statistics_t {
public:
    block_statistics_t(jit::generator_t &g, int rows, bool is_rms, float epsilon);

    int rows() const { return static_cast<int>(reciprocals_.size()); }
    /// The variance is overwritten.
    void set(const row_moments_t &moments);
    /// From rows of one element; `mean` is absent for RMS normalization.
    void load(const std::optional<pitched_rows_t> &mean, const pitched_rows_t &variance);

    /// x -= mean
    void center(const Xbyak::Xmm &x, int row) const;
    const Xbyak::Xmm &reciprocal(int row) const { return *reciprocals_[static_cast<size_t>(row)]; }

private:
    /// r from the variance of each row in the lowest four lanes, which is overwritten.
    void set_reciprocals(const Xbyak::Xmm &variance);

    jit::generator_t &g_;
    const float epsilon_;
    std::vector<jit::vec_t> means_, reciprocals_;
};

/// Writes the code in one sweep that the kernel may share: begin(), add() for every vector of a
/// row, finish(). With the pivot K, d = x - K, S = sum(d) and Q = sum(d * d),
///     mean = (C * K + S) / C,   variance = (Q - S * S / C) / C.
/// K is an element of the row, so that sums of whole numbers stay exact: the approximate median of
/// up to sixteen elements. If (mean - K)^2 > 2 * variance, the difference Q - S * S / C has lost
/// digits; then further sweeps find first the mean, then the deviations from it. RMS normalization
/// has K = 0 and variance = Q / C.
///
/// The order of additions does not depend on the size of the row block, so a row's statistics are
/// bit-identical in any block.
///
/// Registers in the sweep: for each row K and `accumulators` vectors each for S and Q, and one
/// vector for x.
class row_statistics_t {
public:
    /// `accumulators`: vectors of partial sums for a row's sum.
    row_statistics_t(jit::generator_t &g, const row_walk_t &walk, const source_rows_t &src,
            bool is_rms, int accumulators)
        : g_(g)
        , walk_(walk)
        , source_(g, walk, src)
        , is_rms_(is_rms)
        , accumulators_(accumulators) {}

    void begin();
    void add(int copy, int count);
    row_moments_t finish();

    /// add() for every vector.
    void sweep();
    /// begin(), sweep(), finish().
    row_moments_t find();

private:
    using sum_t = function_ref_t<void(const Xbyak::Xmm &sum, const Xbyak::Xmm &x)>;

    void center_on(const Xbyak::Xmm &center);
    /// K of each row, a lane each: the maximum of minima of two elements, and so on in turns.
    jit::vec_t pick_pivots() const;
    /// For each row, the minima of four elements from `col` on and four from `other_col` on.
    std::vector<jit::vec_t> minima_of_fours(dim_t col, dim_t other_col) const;
    /// For each row, in every lane: the median of three elements, or one of two.
    std::vector<jit::vec_t> medians_of_three() const;
    /// x -= the row's center, if present.
    void center(const Xbyak::Xmm &x, int row, int count) const;
    row_moments_t find_centered();
    jit::vec_t sum_up(const sum_t &add) const;
    Xbyak::Xmm lanes(const Xbyak::Xmm &vec) const { return g_.xmm(vec); }
    int rows() const { return source_.src().rows; }
    Xbyak::Address cols() const { return g_.constant(static_cast<float>(walk_.cols())); }

    jit::generator_t &g_;
    const row_walk_t &walk_;
    const row_source_t source_;
    const bool is_rms_;
    const int accumulators_;
    std::optional<jit::vec_t> pivot_; // lane i is K of row i
    std::vector<jit::vec_t> centers_; // of each row, in every lane: K or the mean
    std::optional<row_sums_t> sums_, squares_;
};

} // namespace kiln::x64::layer_normalization
