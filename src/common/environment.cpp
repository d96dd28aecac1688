// SPDX-License-Identifier: Apache-2.0
// The library's environment variables, under both prefixes.

#include "common/environment.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <limits>

namespace kiln {

namespace {

// Not std::tolower: the program's locale must not change what a keyword means.
char lower(char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

} // namespace

std::optional<std::string> environment_value(const char *name) {
    for (const char *prefix : {"ONEDNN_", "DNNL_"}) {
        const char *value = std::getenv((std::string(prefix) + name).c_str());
        if (value == nullptr || *value == '\0') continue;
        std::string result = value;
        std::transform(result.begin(), result.end(), result.begin(), lower);
        return result;
    }
    return std::nullopt;
}

int environment_int(const char *name, int fallback) {
    const std::optional<std::string> value = environment_value(name);
    if (!value) return fallback;
    errno = 0;
    const long number = std::strtol(value->c_str(), nullptr, 10);
    const bool fits = errno == 0 && std::numeric_limits<int>::min() <= number
                      && number <= std::numeric_limits<int>::max();
    return fits ? static_cast<int>(number) : fallback;
}

} // namespace kiln
