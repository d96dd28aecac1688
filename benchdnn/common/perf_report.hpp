// SPDX-License-Identifier: Apache-2.0
// The line printed for a measured problem: a template with %fields%.
#pragma once

#include <string>

#include "common/driver.hpp"
#include "common/result.hpp"

namespace benchdnn {

struct perf_subject_t {
    const problem_t &problem;
    const result_t &result;
    std::string driver;
    std::string reproduction;
    int64_t index;
};

// A field is %[-0+][KMG]name%: minimum, average or maximum; in units, thousands, millions,
// billions. An unknown one is a usage_error_t.
std::string perf_line(const std::string &perf_template, const perf_subject_t &subject);

// The template with its fields turned into column names: %-time% becomes min_time.
std::string perf_header(const std::string &perf_template);

} // namespace benchdnn
