// SPDX-License-Identifier: Apache-2.0
// Exceptions for a wrong command line; main turns them into a message and exit code 2. What they
// echo is printable.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace benchdnn {

// What a parser of one value throws: the wrong piece and an optional reason. The table of knobs
// adds the knob's name and its values. If candidates are given, the nearest spelling is suggested.
struct bad_value_t : std::runtime_error {
    explicit bad_value_t(const std::string &piece, const std::string &why = "",
            const std::vector<std::string> &candidates = {});
};

// A complete message.
struct usage_error_t : std::runtime_error {
    explicit usage_error_t(const std::string &message);
};

} // namespace benchdnn
