// SPDX-License-Identifier: Apache-2.0
// Mean and variance of rows that go together, as code of a kernel. It must not know what becomes of
// them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "cpu/x64/rows/row_source.hpp"
#include "cpu/x64/rows/row_sums.hpp"
#include "cpu/x64/rows/row_walk.hpp"

namespace kiln::x64::normalization {

/// Lane i belongs to row i.
struct row_moments_t {
    std::optional<jit::vec_t> mean; // RMS normalization has none
    jit::vec_t variance;
};

/// From the moments, for each row in every lane: mean (unless there is none) and
/// r = 1 / sqrt(variance + epsilon).
void spread_moments(jit::generator_t &g, std::span<const jit::vec_t> mean,
        std::span<const jit::vec_t> r, const row_moments_t &moments, float epsilon);

/// Writes the code, in one sweep that the kernel may share: begin(), add() for every vector of a
/// row, finish(). With K an element near the mean, d = x - K, S = sum(d) and Q = sum(d * d),
///     mean = (C * K + S) / C,   variance = (Q - S * S / C) / C.
/// K is an element, so that sums of whole numbers stay exact, and neither a great nor a small one
/// of sixteen. Where it is farther off the mean than 1.4 deviations (of shorter rows, 1 or 1/2),
/// the difference has lost digits, and further sweeps find first the mean, then deviations from it.
/// For RMS normalization, K = 0 and variance = Q / C.
///
/// Sums are made in the same order however many rows go together, so that a row's statistics have
/// the same bits in any company.
class row_statistics_t {
public:
    /// A row's sum is made in so many accumulators.
    row_statistics_t(jit::generator_t &g, const jit::row_walk_t &walk, const source_rows_t &src,
            bool is_rms, int accumulators)
        : g_(g)
        , walk_(walk)
        , source_(g, walk, src)
        , is_rms_(is_rms)
        , accumulators_(accumulators) {}

    void begin();
    void add(int copy, int count);
    row_moments_t finish();

    /// All of it.
    row_moments_t find();

private:
    using sum_t = std::function<void(const Xbyak::Xmm &sum, const Xbyak::Xmm &x)>;

    void center_on(const Xbyak::Xmm &center);
    /// K of each row, a lane each.
    jit::vec_t pick_centers() const;
    /// For each row, the lesser ones of four elements from either column on.
    std::vector<jit::vec_t> lesser_fours(dim_t col, dim_t other_col) const;
    std::vector<jit::vec_t> middles_of_three() const;
    /// x -= the row's center, where there is one.
    void center(const Xbyak::Xmm &x, int row, int count) const;
    row_moments_t find_centered();
    jit::vec_t sum_up(const sum_t &add) const;
    Xbyak::Xmm lanes(const Xbyak::Xmm &vec) const { return g_.xmm(vec); }
    int rows() const { return source_.src().rows; }
    Xbyak::Address cols() const { return g_.constant(static_cast<float>(walk_.cols())); }

    jit::generator_t &g_;
    const jit::row_walk_t &walk_;
    const row_source_t source_;
    const bool is_rms_;
    const int accumulators_;
    std::optional<jit::vec_t> center_; // lane i is K of row i
    std::vector<jit::vec_t> centers_;  // K of each row in every lane
    std::optional<row_sums_t> sums_, squares_;
};

} // namespace kiln::x64::normalization
