// SPDX-License-Identifier: Apache-2.0
// Kernels of normalization forward on rows against arithmetic in double: y = (x - mean) /
// sqrt(variance
// + epsilon) * scale + shift, where x is src or the sum of src and src_1, and what is stored of it.
#pragma once

#include "kernels/row_forward_run.hpp"
#include "kernels/row_model.hpp"

namespace kiln::x64::layer_normalization::test {

constexpr double row_scale_factor = 1. / 127;

/// A run on seeded operands, and what it should give. If the sum is stored, statistics and dst are
/// checked against the stored sum, which itself is checked first.
class checked_forward_t {
public:
    explicit checked_forward_t(const forward_case_t &tested);

    forward_run_t &run() { return run_; }
    /// Runs in calls of so many rows.
    forward_run_t &run_in_calls(dim_t rows_of_call);

    ::testing::AssertionResult is_right();

private:
    ::testing::AssertionResult is_near(
            const char *name, dim_t row, dim_t col, double got, estimate_t right) const;
    ::testing::AssertionResult is_right(dim_t row);
    estimate_t sum_of(dim_t row, dim_t col) const;
    moments_t moments_around(const std::vector<estimate_t> &x) const;
    ::testing::AssertionResult has_right_statistics(dim_t row, const moments_t &moments);
    estimate_t result(const moments_t &moments, estimate_t x, size_t col) const;
    ::testing::AssertionResult has_right_dst(dim_t row, const std::vector<estimate_t> &y);

    forward_run_t run_;
    const forward_case_t t_;
    std::vector<double> src_, src_1_, scale_, shift_;
    double src_scale_ = 1, dst_scale_ = 1;
};

/// Runs the case in one call and checks its results.
::testing::AssertionResult rows_are_right(const forward_case_t &tested);
/// Whether all results have the same bits, except those of one row.
::testing::AssertionResult have_same_bits(
        forward_run_t &one, forward_run_t &other, dim_t except = -1);

} // namespace kiln::x64::layer_normalization::test
