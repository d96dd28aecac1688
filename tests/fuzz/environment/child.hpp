// SPDX-License-Identifier: Apache-2.0
// A program that starts with given environment variables.
#pragma once

#include <string>
#include <vector>

namespace kiln::fuzz {

struct setting_t {
    std::string name;
    std::string value;
};

/// Sets the variables, works in `directory`, makes and executes a primitive and a graph, reads the
/// settings back, and ends the process: 0 if all was well.
[[noreturn]] void meet_settings(
        const std::vector<setting_t> &settings, const std::string &directory);

} // namespace kiln::fuzz
