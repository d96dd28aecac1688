// SPDX-License-Identifier: Apache-2.0
// The library's environment variables.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace kiln {

/// The value of `ONEDNN_<name>`, or else of `DNNL_<name>`; of settings that oneDNN does not have,
/// that of the `<name>` itself, which begins with KILN_. It is in lower case, since all of these
/// variables hold keywords and numbers. A variable that is set but empty counts as not set.
std::optional<std::string> environment_value(const char *name);

/// The text for a field of a verbose line: in quotes, without commas and control characters, cut
/// off if it is long.
std::string quoted(const std::string &text);

/// Says in verbose mode that the variable's text is not one of those expected, and what is used
/// in its place.
void report_setting(const char *name, const std::string &expected, const std::string &used);

/// What a text means. If it is not one of those expected, `used` says what is used in its place.
template <typename value_t> struct reading_t {
    value_t value;
    std::string used = {};
};

/// Reads a setting: the value of `parse(text)`, a reading_t, where the text is the variable's in
/// lower case; `standard` if the variable is not set. A text that is not one of those expected is
/// reported.
template <typename value_t, typename parser_t>
value_t environment_setting(
        const char *name, value_t standard, const std::string &expected, parser_t &&parse) {
    const std::optional<std::string> text = environment_value(name);
    if (!text) return standard;
    reading_t<value_t> reading = parse(*text);
    if (!reading.used.empty()) report_setting(name, expected, reading.used);
    return std::move(reading.value);
}

struct int_range_t {
    int least, most;
};
/// A decimal number. Where the text is more than a number, what it begins with, 0 where that is no
/// digit; `standard` where the number is outside the range.
int environment_int(const char *name, int standard, std::optional<int_range_t> range = {});

/// One of a few words, in lower case; the first where the text is none of them.
template <typename value_t> struct setting_word_t {
    const char *word;
    value_t value;
};
template <typename value_t, size_t count>
value_t environment_word(const char *name, const setting_word_t<value_t> (&words)[count]) {
    std::string expected;
    for (const auto &row : words)
        expected += (expected.empty() ? "" : " or ") + std::string(row.word);
    return environment_setting(
            name, words[0].value, expected, [&](const std::string &text) -> reading_t<value_t> {
                for (const auto &row : words)
                    if (text == row.word) return {row.value};
                return {words[0].value, words[0].word};
            });
}

} // namespace kiln
