// SPDX-License-Identifier: Apache-2.0
// The interface of a driver: its knobs, and a problem for each combination of their values.
// Everything else is common to all drivers.
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
    // Sets all knobs except the performance template to their defaults.
    virtual void reset() = 0;
    // Whether the word is a problem and not a knob.
    virtual bool is_descriptor(const std::string &word) const { return word[0] != '-'; }
    // The problems of one descriptor: the cross product of the values of all knobs. A descriptor
    // may name a file.
    virtual std::vector<std::unique_ptr<problem_t>> problems(const std::string &descriptor,
            const options_t &options, const input_files_t &files) const = 0;
    // The syntax of a descriptor, for --help and for error messages. The last word is an example.
    virtual std::string descriptor_help() const = 0;
};

// All drivers.
std::vector<std::unique_ptr<driver_t>> make_drivers();

} // namespace benchdnn
