// SPDX-License-Identifier: Apache-2.0
// A problem: one combination of the values of a driver's knobs, and how its executable is created.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/attributes/attributes.hpp"
#include "common/command_line/options.hpp"
#include "common/report/console.hpp"
#include "common/report/perf_report.hpp"
#include "common/run/executable.hpp"

namespace benchdnn {

// Settings of the problems of all drivers.
struct problem_settings_t {
    attributes_t attributes;
    impl_filter_t impl;
    std::string perf_template;
};

// Where and how an executable is created.
struct creation_request_t {
    const options_t &options;
    const engine_t &engine;
    console_t &console;
};

class problem_t : public described_problem_t {
public:
    explicit problem_t(problem_settings_t settings)
        : settings(std::move(settings)) {}

    // The driver's knobs that reproduce this problem, each followed by a space, and its dims. With
    // canonical, defaults are written too.
    virtual std::string knobs_text(bool canonical) const = 0;
    virtual std::string descriptor_text(bool canonical) const = 0;
    std::string attributes_text() const final { return settings.attributes.knobs_text(); }

    // Why the problem is skipped, or "".
    virtual std::string skip_reason() const = 0;
    // Creates the executable. If it is null, the result says why.
    virtual std::unique_ptr<executable_t> make(
            const creation_request_t &request, result_t &result) const = 0;

    // Lines for --explain: how the library would solve the problem.
    virtual std::vector<std::string> explanation(const creation_request_t &) const {
        return {"--explain is for primitives; ONEDNN_VERBOSE=all shows those of a graph"};
    }

    // The last part of a reproduction line: knobs, attributes, dims.
    std::string reproduction_text(bool canonical) const {
        return knobs_text(canonical) + settings.attributes.knobs_text(canonical)
               + settings.impl.knob_text() + descriptor_text(canonical);
    }

    const problem_settings_t settings;
};

} // namespace benchdnn
