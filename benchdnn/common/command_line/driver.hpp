// SPDX-License-Identifier: Apache-2.0
// The frame a driver fills in: knobs, a problem for each combination of their values, and for a
// problem how what is executed is made. Everything else is common to all drivers.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/attributes/attributes_handle.hpp"
#include "common/command_line/batch.hpp"
#include "common/command_line/options.hpp"
#include "common/report/console.hpp"
#include "common/run/executable.hpp"
#include "common/run/result.hpp"

namespace benchdnn {

// What problems of all drivers have.
struct problem_settings_t {
    attributes_t attributes;
    impl_filter_t impl;
    std::string perf_template;
};

// Where and how something is created.
struct creation_request_t {
    const options_t &options;
    const engine_t &engine;
    console_t &console;
};

class problem_t {
public:
    explicit problem_t(problem_settings_t settings)
        : settings(std::move(settings)) {}
    virtual ~problem_t() = default;

    // The driver's knobs that reproduce this problem, each followed by a space, and its dims. With
    // canonical, defaults are spelled out too.
    virtual std::string knobs_text(bool canonical) const = 0;
    virtual std::string descriptor_text(bool canonical) const = 0;
    // One of a performance template's %fields%; "" for those the driver does not have.
    virtual std::string field(const std::string &name) const = 0;

    // Why the problem makes no sense as given, or "".
    virtual std::string skip_reason() const = 0;
    // What is executed. Where the answer is null, the result says why.
    virtual std::unique_ptr<executable_t> make(
            const creation_request_t &request, result_t &result) const = 0;

    // Attributes come first, then the dims: the tail of every reproduction line.
    std::string reproduction_text(bool canonical) const {
        return knobs_text(canonical) + settings.attributes.knobs_text(canonical)
               + settings.impl.knob_text() + descriptor_text(canonical);
    }

    const problem_settings_t settings;
};

class driver_t {
public:
    virtual ~driver_t() = default;
    virtual std::string name() const = 0;
    virtual const knob_set_t &knobs() const = 0;
    // Knobs back to their defaults, the performance template excepted.
    virtual void reset() = 0;
    // Whether the word is a problem, and no knob.
    virtual bool is_descriptor(const std::string &word) const { return word[0] != '-'; }
    // The cross product of all knobs' values for one descriptor; it may name a file.
    virtual std::vector<std::unique_ptr<problem_t>> problems(const std::string &descriptor,
            const options_t &options, const input_files_t &files) const = 0;
    // How a descriptor is spelled, for --help and for error messages.
    virtual std::string descriptor_help() const = 0;
};

// Every driver there is; adding one is a line here and a folder.
std::vector<std::unique_ptr<driver_t>> make_drivers();

} // namespace benchdnn
