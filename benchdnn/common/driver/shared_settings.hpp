// SPDX-License-Identifier: Apache-2.0
// The knobs of all drivers: attributes, implementation filters, --match, --perf-template.
#pragma once

#include <string>
#include <vector>

#include "common/attributes/attributes.hpp"
#include "common/driver/driver.hpp"

namespace benchdnn {

struct shared_settings_t {
    std::vector<quantization_t> scales{{}}, zero_points{{}};
    std::vector<post_ops_t> post_ops{{}};
    std::vector<precomputed_reductions_t> precomputed_reductions{{}};
    std::vector<dropout_t> dropout{{}};
    std::vector<std::optional<dnnl_scratchpad_mode_t>> scratchpad{std::nullopt};
    std::vector<fpmath_t> fpmath{{}};
    std::vector<dnnl_accumulation_mode_t> accumulation{dnnl_accumulation_mode_strict};
    std::vector<bool> deterministic{false};
    std::vector<rounding_t> rounding{{}};
    impl_filter_t impl;
    std::string pattern;       // of --match
    std::string perf_template; // "": not given

    // One for each combination of the attributes' values.
    std::vector<attributes_t> attribute_combinations() const;
};

// --match and --perf-template.
void add_report_knobs(knob_set_t &knobs, std::string &pattern, std::string &perf_template);
// These and the knobs of attributes and of filters of implementations.
void add_shared_knobs(knob_set_t &knobs, shared_settings_t &settings);

// The template that "def" or "csv" stands for; other texts unchanged. If none is given, it is the
// default, or empty with --table.
std::string resolved_perf_template(
        const std::string &text, const std::string &driver_fields, bool has_table);

// POSIX basic regular expression, as in oneDNN's benchdnn; an empty pattern matches everything.
bool matches(const std::string &text, const std::string &pattern);

} // namespace benchdnn
