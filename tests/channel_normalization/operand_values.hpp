// SPDX-License-Identifier: Apache-2.0
// What the tests of batch and group normalization put into operands: the same values in every run,
// of sizes that make errors visible in the data types of the problem.
#pragma once

#include "channel_normalization/model.hpp"
#include "channel_normalization/problem.hpp"

namespace kiln::test::channel_normalization {

/// Row-major; the sets that share statistics differ in mean and deviation.
std::vector<double> src_values(const problem_t &problem);
std::vector<double> src_1_values(const problem_t &problem);
std::vector<double> diff_dst_values(const problem_t &problem);

/// Large where dst is an integer, so that it takes many values and saturates at some.
std::vector<double> scale_values(const problem_t &problem);
std::vector<double> shift_values(const problem_t &problem);

struct stat_values_t {
    std::vector<double> mean;
    std::vector<double> variance;
};

/// With use_global_stats any numbers; else those of src, as the backward pass expects them.
/// `operands` has all but the statistics.
stat_values_t stat_values(const problem_t &problem, const operands_t &operands);

/// The model's view of a problem, without any values.
operands_t empty_operands(const problem_t &problem);

} // namespace kiln::test::channel_normalization
