// SPDX-License-Identifier: Apache-2.0
// The truth: batch and group normalization by their formulas in long double, with the error that
// each result may have. It knows no layouts and no library.
#pragma once

#include <cstdint>
#include <vector>

#include "support/interval.hpp"

namespace kiln::test::channel_normalization {

/// What both directions read. Elements come plane by plane (a plane is one sample and channel).
/// Values are those the library sees, that is already rounded to their data types. Empty vectors
/// stand for what is not used.
struct operands_t {
    size_t channels;
    size_t plane_size;
    std::vector<size_t> statistic; // of each plane: which mean and variance are its own
    size_t statistics;
    double epsilon;
    bool has_relu;
    std::vector<double> src;
    std::vector<double> added;    // src_1
    std::vector<double> mean;     // if statistics are given
    std::vector<double> variance; // if statistics are given
    std::vector<double> scale;
    std::vector<double> shift;

    // Relative errors of one rounding.
    double compute_roundoff;
    double stat_roundoff; // of the statistics that are computed

    size_t planes() const { return statistic.size(); }
    size_t channel_of(size_t plane) const { return plane % channels; }
};

struct forward_truth_t {
    std::vector<interval_t> mean;
    std::vector<interval_t> variance;
    std::vector<interval_t> dst; // before attributes
};

/// What reaches a backward pass from behind.
struct gradient_t {
    std::vector<double> diff_dst;
    std::vector<bool> passes; // the ReLU; empty for none
    bool has_constant_stats;  // use_global_stats: no gradient flows through them
};

struct backward_truth_t {
    std::vector<interval_t> diff_src;
    std::vector<interval_t> diff_added; // of src_1
    std::vector<interval_t> diff_scale;
    std::vector<interval_t> diff_shift;
};

/// Statistics are computed unless they are given.
forward_truth_t forward(const operands_t &operands);

/// Statistics are given.
backward_truth_t backward(const operands_t &operands, const gradient_t &gradient);

} // namespace kiln::test::channel_normalization
