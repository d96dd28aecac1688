// SPDX-License-Identifier: Apache-2.0
// String functions shared by the parsers and printers.
#pragma once

#include <cfloat>
#include <cstdint>
#include <string>
#include <vector>

namespace benchdnn {

// "a,,b" -> {"a", "", "b"}; "" -> {""}.
std::vector<std::string> split(const std::string &text, char delimiter);
std::string join(const std::vector<std::string> &pieces, const std::string &delimiter);
std::string lowercase(std::string text);

// The numbers that a knob takes, both ends included.
template <typename number_t> struct range_t { number_t least, most; };
using integers_t = range_t<int64_t>;
using numbers_t = range_t<double>;
inline constexpr integers_t all_integers{INT64_MIN, INT64_MAX};
inline constexpr integers_t integers_from_0{0, INT64_MAX};
inline constexpr integers_t all_s32{INT32_MIN, INT32_MAX};
inline constexpr integers_t counts_from_0{0, 1000000000}, counts_from_1{1, 1000000000};
inline constexpr integers_t axis_masks{0, 0xfff}; // a bit for each of at most 12 axes
inline constexpr numbers_t all_numbers{-DBL_MAX, DBL_MAX};
inline constexpr numbers_t all_f32{-FLT_MAX, FLT_MAX}, f32_from_0{0, FLT_MAX};

// "from 1 to 4096".
std::string range_text(const integers_t &range);
std::string range_text(const numbers_t &range);

// The whole text must be a number within the range; otherwise bad_value_t.
int64_t parse_number(const std::string &text, const integers_t &range);
double parse_number(const std::string &text, const numbers_t &range = all_numbers);
bool parse_bool(const std::string &text);
bool is_integer_text(const std::string &text);

// The text with \xHH for each byte that is neither printable ASCII nor a tab nor part of a
// printable UTF-8 character, so that echoed input does not control a terminal.
std::string printable(const std::string &text);

// The text that printf gives for %g.
std::string number_text(double value);
std::string bool_text(bool value);
[[gnu::format(printf, 1, 2)]] std::string formatted(const char *format, ...);

// The candidate with the fewest edits from word, or "" if none is close enough to be a typing
// error.
std::string nearest_spelling(const std::string &word, const std::vector<std::string> &candidates);

} // namespace benchdnn
