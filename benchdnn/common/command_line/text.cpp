// SPDX-License-Identifier: Apache-2.0
// String functions shared by the parsers and printers.
#include "common/command_line/text.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

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
    : std::runtime_error(explanation(piece, why, candidates)) {}

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

int64_t parse_integer(const std::string &text) {
    if (!is_integer_text(text)) throw bad_value_t(text, "an integer is expected");
    errno = 0;
    const long long value = std::strtoll(text.c_str(), nullptr, 10);
    if (errno == ERANGE) throw bad_value_t(text, "it does not fit 64 bits");
    return value;
}

double parse_number(const std::string &text) {
    char *end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    const bool starts_well = !text.empty() && !std::isspace(static_cast<unsigned char>(text[0]));
    if (!starts_well || *end != '\0') throw bad_value_t(text, "a number is expected");
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
