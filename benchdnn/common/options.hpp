// SPDX-License-Identifier: Apache-2.0
// Knobs that belong to the run and not to a driver's problems: mode, time limits, output.
#pragma once

#include <string>
#include <vector>

#include "common/knobs.hpp"

namespace benchdnn {

struct run_mode_t {
    bool list = false, init = false, execute = false; // each on its own
    bool correctness = true, performance = false;     // may be combined
    bool fast = false;                                // performance with short measurements
    std::string letters() const;
};

run_mode_t parse_mode(const std::string &text);

// Which implementations may serve a problem, by pieces of their names.
struct impl_filter_t {
    std::vector<std::string> pieces;
    bool is_skip_list = false;
    bool accepts(const std::string &implementation) const;
    std::string knob_text() const; // with a trailing space, or ""
};

struct summary_t {
    bool failures = true, implementations = false, implementations_csv = false;
};

struct options_t {
    run_mode_t mode;
    double max_ms_per_problem = 3000;
    int64_t fixed_times = 0;
    int64_t repeats = 1;
    int64_t start = 0;
    int verbosity = 0;
    bool canonical = false;
    bool enumerated_tags_only = true;
    bool memory_check = true;
    impl_filter_t global_impl;
    summary_t summary;
    bool table = false;
    enum class progress_t { on_terminal, always, never } progress = progress_t::on_terminal;

    double measuring_ms() const { return mode.fast ? 10 : max_ms_per_problem; }
    // The knobs in front of the driver's name in a reproduction line.
    std::string leading_knobs_text() const;
    // The ones after it.
    std::string trailing_knobs_text() const;
};

void add_run_knobs(knob_set_t &knobs, options_t &options);

} // namespace benchdnn
