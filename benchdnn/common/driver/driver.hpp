// SPDX-License-Identifier: Apache-2.0
// The frame a driver fills in: knobs, a problem for each combination of their values, and for a
// problem how what is executed is made. Everything else is common to all drivers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/command_line/batch.hpp"
#include "common/run/problem.hpp"

namespace benchdnn {

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
