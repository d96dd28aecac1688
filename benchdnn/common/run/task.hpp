// SPDX-License-Identifier: Apache-2.0
// A problem with the options of the run at its place in the command line.
#pragma once

#include <memory>
#include <string>

#include "common/run/problem.hpp"

namespace benchdnn {

struct task_t {
    std::string driver;
    std::shared_ptr<const problem_t> problem;
    std::shared_ptr<const options_t> options;
    // The command line that reproduces it, without the program's name.
    std::string reproduction() const {
        return options->leading_knobs_text() + "--" + driver + " " + options->trailing_knobs_text()
               + problem->reproduction_text(options->canonical);
    }
};

} // namespace benchdnn
