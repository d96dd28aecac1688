// SPDX-License-Identifier: Apache-2.0
// The one exception for a command line that cannot be understood; main turns it into a message and
// exit code 2.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace benchdnn {

// What a parser of one value throws: the offending piece and, if it helps, why. The knob table adds
// the knob's name and what it takes. With the values there are, the nearest spelling is suggested.
struct bad_value_t : std::runtime_error {
    explicit bad_value_t(const std::string &piece, const std::string &why = "",
            const std::vector<std::string> &candidates = {});
};

// A complete message, ready to be printed.
struct usage_error_t : std::runtime_error {
    using std::runtime_error::runtime_error;
};

} // namespace benchdnn
