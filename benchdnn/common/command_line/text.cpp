// SPDX-License-Identifier: Apache-2.0
// String functions shared by the parsers and printers.
#include "common/command_line/text.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "common/command_line/usage_error.hpp"

namespace benchdnn {

namespace {

std::string explanation(const std::string &piece, const std::string &why,
        const std::vector<std::string> &candidates) {
    std::string text = "'" + piece + "'" + (why.empty() ? "" : " (" + why + ")");
    const std::string close = nearest_spelling(piece, candidates);
    return close.empty() ? text : text + "; did you mean " + close + "?";
}

} // namespace

bad_value_t::bad_value_t(const std::string &piece, const std::string &why,
        const std::vector<std::string> &candidates)
    : std::runtime_error(printable(explanation(piece, why, candidates))) {}

usage_error_t::usage_error_t(const std::string &message)
    : std::runtime_error(printable(message)) {}

std::vector<std::string> split(const std::string &text, char delimiter) {
    std::vector<std::string> pieces;
    size_t begin = 0;
    for (;;) {
        const size_t end = text.find(delimiter, begin);
        pieces.push_back(text.substr(begin, end - begin));
        if (end == std::string::npos) return pieces;
        begin = end + 1;
    }
}

std::string join(const std::vector<std::string> &pieces, const std::string &delimiter) {
    std::string text;
    for (size_t i = 0; i < pieces.size(); ++i) text += (i ? delimiter : "") + pieces[i];
    return text;
}

std::string lowercase(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
            [](unsigned char c) { return std::tolower(c); });
    return text;
}

bool is_integer_text(const std::string &text) {
    const size_t first = !text.empty() && text[0] == '-' ? 1 : 0;
    return text.size() > first
           && std::all_of(text.begin() + first, text.end(),
                   [](unsigned char c) { return std::isdigit(c); });
}

std::string range_text(const integers_t &range) {
    return "from " + std::to_string(range.least) + " to " + std::to_string(range.most);
}

std::string range_text(const numbers_t &range) {
    return "from " + number_text(range.least) + " to " + number_text(range.most);
}

int64_t parse_number(const std::string &text, const integers_t &range) {
    errno = 0;
    const long long value = std::strtoll(text.c_str(), nullptr, 10);
    const bool fits = is_integer_text(text) && errno == 0;
    if (!fits || value < range.least || value > range.most)
        throw bad_value_t(text, "an integer " + range_text(range) + " is expected");
    return value;
}

double parse_number(const std::string &text, const numbers_t &range) {
    char *end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    const bool is_number = !text.empty() && !std::isspace(static_cast<unsigned char>(text[0]))
                           && end == text.c_str() + text.size();
    if (!is_number || !(value >= range.least && value <= range.most))
        throw bad_value_t(text, "a number " + range_text(range) + " is expected");
    return value;
}

bool parse_bool(const std::string &text) {
    const std::string value = lowercase(text);
    if (value == "true" || value == "1") return true;
    if (value == "false" || value == "0") return false;
    throw bad_value_t(text, "true or false is expected", {"true", "false"});
}

std::string number_text(double value) { return formatted("%g", value); }

std::string bool_text(bool value) { return value ? "true" : "false"; }

std::string formatted(const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    std::string text(std::vsnprintf(nullptr, 0, format, arguments), '\0');
    std::vsnprintf(text.data(), text.size() + 1, format, again);
    va_end(again);
    va_end(arguments);
    return text;
}

namespace {

// Bytes of the printable UTF-8 character at the beginning of the text; 0 if there is none.
size_t printable_length(std::string_view text) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return (first >= 0x20 && first != 0x7f) || first == '\t' ? 1 : 0;
    const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || length > text.size()) return 0;
    char32_t code = first & (0xff >> (length + 1));
    for (size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return 0;
        code = code << 6 | (byte(i) & 0x3f);
    }
    constexpr char32_t least[] = {0xa0, 0x800, 0x10000}; // below 0xa0: control characters
    const bool is_surrogate = code >= 0xd800 && code < 0xe000;
    return code >= least[length - 2] && code <= 0x10ffff && !is_surrogate ? length : 0;
}

} // namespace

std::string printable(const std::string &text) {
    std::string result;
    for (size_t at = 0; at < text.size();) {
        const size_t length = printable_length(std::string_view(text).substr(at));
        if (length == 0)
            result += formatted("\\x%02x", static_cast<unsigned char>(text[at]));
        else
            result.append(text, at, length);
        at += std::max<size_t>(length, 1);
    }
    return result;
}

namespace {

// Each added, dropped or replaced letter, and each swap of neighbours, counts as one edit.
size_t edit_distance(const std::string &from, const std::string &to) {
    const size_t width = to.size() + 1;
    std::vector<size_t> table((from.size() + 1) * width);
    const auto at = [&](size_t i, size_t j) -> size_t & { return table[i * width + j]; };
    for (size_t i = 0; i <= from.size(); ++i) at(i, 0) = i;
    for (size_t j = 0; j <= to.size(); ++j) at(0, j) = j;
    for (size_t i = 1; i <= from.size(); ++i)
        for (size_t j = 1; j <= to.size(); ++j) {
            const bool differs = from[i - 1] != to[j - 1];
            at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + differs});
            const bool swapped =
                    i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
            if (swapped) at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
        }
    return at(from.size(), to.size());
}

} // namespace

std::string nearest_spelling(const std::string &word, const std::vector<std::string> &candidates) {
    std::string best;
    // If more than a third of the letters differ, it is another word and not a typing error.
    size_t best_distance = std::max<size_t>(1, word.size() / 3) + 1;
    for (const std::string &candidate : candidates) {
        const size_t distance = edit_distance(lowercase(word), lowercase(candidate));
        if (distance < best_distance) {
            best_distance = distance;
            best = candidate;
        }
    }
    return best;
}

} // namespace benchdnn
