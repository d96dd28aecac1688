// SPDX-License-Identifier: Apache-2.0
// The library's environment variables.

#include "common/environment.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "common/verbose/verbose.hpp"

namespace kiln {

namespace {

// Not std::tolower: the program's locale must not change what a keyword means.
char lower(char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

struct variable_t {
    std::string name; // with the prefix
    const char *text;
};

std::optional<variable_t> find_variable(const char *name) {
    const auto find = [](std::string whole) -> std::optional<variable_t> {
        const char *text = std::getenv(whole.c_str());
        if (text == nullptr || *text == '\0') return std::nullopt;
        return variable_t{std::move(whole), text};
    };
    if (std::string_view(name).starts_with("KILN_")) return find(name);
    if (auto variable = find(std::string("ONEDNN_") + name)) return variable;
    return find(std::string("DNNL_") + name);
}

} // namespace

std::optional<std::string> environment_value(const char *name) {
    const std::optional<variable_t> variable = find_variable(name);
    if (!variable) return std::nullopt;
    std::string result = variable->text;
    std::transform(result.begin(), result.end(), result.begin(), lower);
    return result;
}

std::string quoted(const std::string &text) {
    constexpr size_t longest = 60;
    std::string result = "'";
    for (const char c : text.substr(0, longest)) {
        char escaped[8];
        const bool is_plain = c >= ' ' && c <= '~' && c != ',';
        std::snprintf(escaped, sizeof(escaped), is_plain ? "%c" : "\\x%02x",
                is_plain ? c : static_cast<unsigned char>(c));
        result += escaped;
    }
    return result + (text.size() > longest ? "...'" : "'");
}

void report_setting(const char *name, const std::string &expected, const std::string &used) {
    const std::optional<variable_t> variable = find_variable(name);
    if (!variable) return;
    verbose::print_notice(variable->name + " is " + quoted(variable->text) + " instead of "
                          + expected + "; used: " + used);
}

int environment_int(const char *name, int standard, std::optional<int_range_t> range) {
    const int_range_t limits = range.value_or(int_range_t{INT_MIN, INT_MAX});
    const std::string expected = "an integer"
                                 + (range ? " from " + std::to_string(limits.least) + " to "
                                                         + std::to_string(limits.most)
                                          : std::string());
    return environment_setting(name, standard, expected, [&](const std::string &text) {
        char *end = nullptr;
        errno = 0;
        const long number = std::strtol(text.c_str(), &end, 10);
        const bool fits = errno == 0 && limits.least <= number && number <= limits.most;
        const bool is_whole = end != text.c_str() && *end == '\0';
        reading_t<int> reading{fits ? static_cast<int>(number) : standard};
        if (!fits || !is_whole) reading.used = std::to_string(reading.value);
        return reading;
    });
}

} // namespace kiln
