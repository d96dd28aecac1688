// SPDX-License-Identifier: Apache-2.0
// What problems with any number of sources have for each of them: data types, layouts, scales. In
// texts, values are joined by colons; a single one is that of all sources.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "common/command_line/text.hpp"
#include "common/command_line/usage_error.hpp"

namespace benchdnn {

template <typename value_t> struct source_list_t {
    std::vector<value_t> of;

    const value_t &operator[](size_t source) const { return of[of.size() == 1 ? 0 : source]; }
};

template <typename parser_t> auto parse_source_list(const std::string &text, parser_t &&parse) {
    source_list_t<std::decay_t<decltype(parse(text))>> list;
    for (const std::string &piece : split(text, ':')) list.of.push_back(parse(piece));
    return list;
}

// Equal values are written once if there may be one for all.
template <typename value_t, typename text_t>
std::string source_list_text(
        const source_list_t<value_t> &list, text_t &&text, bool one_for_all = true) {
    const bool are_equal = std::all_of(list.of.begin(), list.of.end(),
            [&](const value_t &value) { return text(value) == text(list.of.front()); });
    if (one_for_all && are_equal) return text(list.of.front());
    std::vector<std::string> pieces;
    for (const value_t &value : list.of) pieces.push_back(text(value));
    return join(pieces, ":");
}

// bad_value_t unless there is one value, or one for each source.
template <typename value_t>
void require_one_for_each(
        const source_list_t<value_t> &list, size_t sources, const std::string &text) {
    if (list.of.size() != 1 && list.of.size() != sources)
        throw bad_value_t(text, "one value is expected, or one for each of the "
                                        + std::to_string(sources) + " sources");
}

} // namespace benchdnn
