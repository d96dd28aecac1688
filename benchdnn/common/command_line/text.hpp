// SPDX-License-Identifier: Apache-2.0
// String functions shared by the parsers and printers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace benchdnn {

// "a,,b" -> {"a", "", "b"}; "" -> {""}.
std::vector<std::string> split(const std::string &text, char delimiter);
std::string join(const std::vector<std::string> &pieces, const std::string &delimiter);
std::string lowercase(std::string text);

// The whole text must be a number; otherwise bad_value_t.
int64_t parse_integer(const std::string &text);
double parse_number(const std::string &text);
bool parse_bool(const std::string &text);
bool is_integer_text(const std::string &text);

// The text that printf gives for %g.
std::string number_text(double value);
std::string bool_text(bool value);
[[gnu::format(printf, 1, 2)]] std::string formatted(const char *format, ...);

// The candidate with the fewest edits from word, or "" if none is close enough to be a typing
// error.
std::string nearest_spelling(const std::string &word, const std::vector<std::string> &candidates);

} // namespace benchdnn
