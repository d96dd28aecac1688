// SPDX-License-Identifier: Apache-2.0
// Options of the run, as opposed to knobs of a driver's problems: mode, time limits, threads,
// output.
#pragma once

#include <string>
#include <vector>

#include "common/command_line/cold_cache_settings.hpp"
#include "common/command_line/knobs.hpp"
#include "common/command_line/run_mode.hpp"
#include "common/command_line/thread_context.hpp"

namespace benchdnn {

// Which implementations a problem may have, by parts of their names.
struct impl_filter_t {
    std::vector<std::string> pieces;
    bool is_skip_list = false;
    bool accepts(const std::string &implementation) const;
    std::string knob_text() const; // with a trailing space, or ""
};

struct summary_t {
    bool failures = true, implementations = false, implementations_csv = false;
};

// Kinds of devices, streams and memory in the interface. Most have only one kind on a CPU.
struct device_t {
    std::string memory_kind = "usm", execution_mode = "direct", stream_kind = "def";
    std::string isa_hints = "none";
    int64_t streams = 1;
    unsigned stream_flags() const;
};

struct options_t {
    run_mode_t mode;
    mode_modifier_t modifier;
    double max_ms_per_problem = 3000;
    int64_t fixed_times = 0;
    int64_t repeats = 1;
    int64_t start = 0;
    cold_cache_settings_t cold_cache;
    bool roof = false;
    bool checksum = false;
    // For creation and for execution; a problem runs with each pair.
    std::vector<thread_context_t> creation_context{{}}, execution_context{{}};
    std::vector<int>
            threads; // numbers of threads whose results are compared; empty: the default number
    device_t device;
    bool check_reference = false, check_same_descriptor = false;
    std::string buffer_prefix;
    int verbosity = 0;
    bool explain = false, disassemble = false;
    bool canonical = false;
    bool enumerated_tags_only = true;
    bool memory_check = true;
    // Accepted without an effect: each driver has its own reference.
    bool fast_reference = true;
    impl_filter_t global_impl;
    summary_t summary;
    bool table = false;
    enum class progress_t { on_terminal, always, never } progress = progress_t::on_terminal;

    double measuring_ms() const { return mode.fast ? 10 : max_ms_per_problem; }
    int64_t measured_calls() const { return mode.simulation ? 1 : fixed_times; }
    // Whether several primitives are created at once. F implies it.
    // Explanations change settings of the process while they create a primitive.
    bool creates_in_parallel() const {
        return !explain && (modifier.parallel_creation || mode.fast);
    }
    // Whether all elements of the inputs have the same value, which is not enough for checks.
    bool uses_constant_data() const;
    // Why no problem can be run with these options, or "".
    std::string skip_reason() const;

    // The knobs before the driver's name in a reproduction line.
    std::string leading_knobs_text() const;
    // The ones after it.
    std::string trailing_knobs_text() const;
};

// One for each pair of thread contexts.
std::vector<options_t> thread_context_combinations(const options_t &options);

// All knobs of the run with their defaults, "--name=value " each; without those that need a value.
std::string default_options_text();

void add_run_knobs(knob_set_t &knobs, options_t &options);

} // namespace benchdnn
