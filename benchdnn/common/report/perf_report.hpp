// SPDX-License-Identifier: Apache-2.0
// The line printed for a measured problem: a template with %fields%.
#pragma once

#include <string>

#include "common/command_line/options.hpp"
#include "common/report/result.hpp"
#include "common/run/peak.hpp"

namespace benchdnn {

// The descriptions of a problem that reports contain.
class described_problem_t {
public:
    virtual ~described_problem_t() = default;
    // One of a performance template's %fields%; "" for those that the driver does not have.
    virtual std::string field(const std::string &name) const = 0;
    // Arithmetic operations of an execution; 0 where memory bounds the speed and they are not
    // counted, as in oneDNN's drivers.
    virtual double operations() const { return 0; }
    // What they are bound by.
    virtual multiplication_t multiplication() const { return multiplication_t::none; }
    // The knobs of its attributes, each followed by a space.
    virtual std::string attributes_text() const = 0;
};

struct perf_subject_t {
    const described_problem_t &problem;
    const options_t &options;
    const result_t &result;
    std::string driver;
    std::string reproduction;
    int64_t index;
};

// A field is %[-0+][KMG]name%: minimum, average or maximum; in units, thousands, millions,
// billions. An unknown one is a bad_value_t.
std::string perf_line(const std::string &perf_template, const perf_subject_t &subject);

// Throws that bad_value_t before anything has run.
void require_known_fields(const std::string &perf_template);
// Whether the template has a field of this name.
bool has_field(const std::string &perf_template, const std::string &name);

// The template with column names in place of its fields: min_time for %-time%.
std::string perf_header(const std::string &perf_template);

} // namespace benchdnn
