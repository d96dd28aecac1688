// SPDX-License-Identifier: Apache-2.0
// The truth: layer normalization by its formulas in long double, on rows that lie one after
// another, with the error that each result may have. It knows no layouts and no library.
#pragma once

#include <cstdint>
#include <vector>

#include "support/interval.hpp"

namespace kiln::test::layer_normalization {

/// What both directions read. Values are those the library sees, that is already rounded to their
/// data types. Empty vectors stand for what is not used.
struct operands_t {
    int64_t rows;
    int64_t cols;
    double epsilon;
    bool subtracts_mean;
    std::vector<double> src;
    std::vector<double> mean;     // if statistics are given
    std::vector<double> variance; // if statistics are given
    std::vector<double> scale;
    std::vector<double> shift;

    // Relative errors of one rounding.
    double compute_roundoff;
    double stat_roundoff; // of the statistics that are computed
};

struct forward_truth_t {
    std::vector<interval_t> mean;
    std::vector<interval_t> variance;
    std::vector<interval_t> dst; // before attributes
};

struct backward_truth_t {
    std::vector<interval_t> diff_src;
    std::vector<interval_t> diff_scale;
    std::vector<interval_t> diff_shift;
};

/// Statistics are computed unless they are given.
forward_truth_t forward(const operands_t &operands);

/// With constant statistics no gradient flows through them (use_global_stats).
backward_truth_t backward(
        const operands_t &operands, const std::vector<double> &diff_dst, bool has_constant_stats);

} // namespace kiln::test::layer_normalization
