// SPDX-License-Identifier: Apache-2.0
// Tables of values by name: read from knobs, and spelled in reproduction lines.
#pragma once

#include <string>
#include <vector>

#include "common/command_line/text.hpp"
#include "common/command_line/usage_error.hpp"

namespace benchdnn {

template <typename value_t> struct named_value_t {
    const char *name; // in lower case
    value_t value;
};

// The value of a name in either case. An unknown name is a bad_value_t that lists the known ones.
template <typename value_t, size_t count>
value_t value_named(const named_value_t<value_t> (&rows)[count], const std::string &name) {
    std::vector<std::string> names;
    for (const auto &row : rows) {
        if (lowercase(name) == row.name) return row.value;
        names.push_back(row.name);
    }
    throw bad_value_t(name, "one of " + join(names, ", ") + " is expected", names);
}

template <typename value_t, size_t count>
const char *name_of(const named_value_t<value_t> (&rows)[count], value_t value) {
    for (const auto &row : rows)
        if (row.value == value) return row.name;
    return "?";
}

} // namespace benchdnn
