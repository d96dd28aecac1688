// SPDX-License-Identifier: Apache-2.0
// Counts over all problems of a run, and the last lines of its output.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/command_line/options.hpp"
#include "common/report/result.hpp"

namespace benchdnn {

class statistics_t {
public:
    // Returns the line "N:STATE ... __REPRO: line" and keeps it if the problem failed.
    std::string add(const result_t &result, const std::string &reproduction);
    int64_t tests() const { return tests_; }
    bool has_failures() const { return failed_ > 0; }
    std::vector<std::string> closing_lines(const options_t &options, double total_seconds) const;

private:
    std::vector<std::string> summary_lines(const summary_t &summary) const;

    int64_t tests_ = 0, failed_ = 0;
    std::map<state_t, int64_t> counts_;
    std::map<std::string, int64_t> implementations_;
    std::vector<std::string> failures_; // the first few
    double least_ms_ = 0, average_ms_ = 0;
    phases_t phases_;
};

} // namespace benchdnn
