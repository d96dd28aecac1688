// SPDX-License-Identifier: Apache-2.0
// The truth: normalizations by their formulas in long double, with the error that each result may
// have. It shares no code with the library and sees no layouts.
#pragma once

#include <cstdint>
#include <vector>

#include "support/interval.hpp"

namespace kiln::test::normalization {

/// What both directions read. Values are those the library sees, that is already rounded to their
/// data types. Empty vectors stand for absent operands.
struct operands_t {
    std::vector<uint32_t> set_of;    ///< of each element: which mean and variance are its own
    std::vector<uint32_t> weight_of; ///< of each element: which scale and shift are its own
    size_t sets;
    size_t weights;
    double epsilon;
    bool subtracts_mean; ///< false: RMSNorm
    bool has_relu;
    std::vector<double> src;
    std::vector<double> added;    // to the result, before the ReLU
    std::vector<double> mean;     // if statistics are given
    std::vector<double> variance; // if statistics are given
    std::vector<double> scale;
    std::vector<double> shift;

    // Relative errors of one rounding.
    double compute_roundoff;
    double stat_roundoff; // of the statistics that are computed
    bool repeats = false; ///< many values may be equal, and their roundings alike

    /// How many times the sum of squared deviations the sum may be that is accumulated for it:
    /// squares about an element that is one and a half deviations from the mean give 3.
    double square_sum_size;
};

struct statistics_t {
    std::vector<interval_t> mean;
    std::vector<interval_t> variance;
};

struct forward_truth_t : statistics_t {
    std::vector<interval_t> dst; // before attributes
};

/// What the backward pass gets from the operation that follows.
struct gradient_t {
    std::vector<double> diff_dst;
    std::vector<bool> passes; // the ReLU; empty for none
    bool has_constant_stats;  // use_global_stats: no gradient flows through them
};

struct backward_truth_t {
    std::vector<interval_t> diff_src;
    std::vector<interval_t> diff_added;
    std::vector<interval_t> diff_scale;
    std::vector<interval_t> diff_shift;
};

/// Computed unless they are given.
statistics_t statistics_of(const operands_t &operands);

forward_truth_t forward_truth(const operands_t &operands);

/// Statistics are given.
backward_truth_t backward_truth(const operands_t &operands, const gradient_t &gradient);

/// Statistics are computed on the way, with errors as large as forward's; each set must be a row of
/// consecutive elements, one for each weight.
backward_truth_t backward_truth_from_src(const operands_t &operands, const gradient_t &gradient);

} // namespace kiln::test::normalization
