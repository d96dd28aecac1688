// SPDX-License-Identifier: Apache-2.0
// Format tags in benchdnn's spelling.
#include "common/tensor/tag.hpp"

#include <algorithm>
#include <cctype>

#include "common/command_line/text.hpp"
#include "common/command_line/usage_error.hpp"
#include "oneapi/dnnl/dnnl_types.h"

namespace benchdnn {

namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)); }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }
bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)); }

// The logical order of the axes in each family of names, and the axes that each member has.
struct axis_names_t {
    const char *order;
    const char *required;
};
constexpr axis_names_t name_families[] = {
        {"tnc", "tn"},
        {"ncdhw", "nc"},
        {"ldnc", "ldnc"},
        {"oidhw", "oi"},
        {"goidhw", "goi"},
        {"ldigo", "ldo"},
};

bool family_has(const axis_names_t &family, const std::string &tag) {
    const std::string order = family.order, letters = lowercase(tag);
    const bool all_known = std::all_of(letters.begin(), letters.end(),
            [&](char c) { return !is_letter(c) || order.find(c) != std::string::npos; });
    const std::string required = family.required;
    return all_known && std::all_of(required.begin(), required.end(), [&](char c) {
        return letters.find(c) != std::string::npos;
    });
}

// Names such as tnc or OIhw16i16o with the letters replaced by a, b, c; other tags as they are.
std::string without_names(const std::string &tag) {
    for (const axis_names_t &family : name_families) {
        if (!family_has(family, tag)) continue;
        std::string present;
        for (const char *c = family.order; *c; ++c)
            if (lowercase(tag).find(*c) != std::string::npos) present += *c;
        std::string mapped = tag;
        for (char &c : mapped) {
            if (!is_letter(c)) continue;
            const char letter = static_cast<char>('a' + present.find(lower(c)));
            c = is_upper(c) ? static_cast<char>(std::toupper(letter)) : letter;
        }
        return mapped;
    }
    return tag;
}

// 'x' stands for the letters after the last named one, starting at c or later.
std::string with_axes_spelled_out(const std::string &tag, int ndims) {
    const size_t at = tag.find('x');
    if (at == std::string::npos) return tag;
    char next = 'c';
    for (char c : tag)
        if (is_letter(c) && c != 'x') next = std::max(next, static_cast<char>(lower(c) + 1));
    std::string rest;
    for (; next < 'a' + ndims; ++next) rest += next;
    return tag.substr(0, at) + rest + tag.substr(at + 1);
}

// Without the axes that ndims dimensions do not have, and without their inner blocks.
std::string trimmed(const std::string &tag, int ndims) {
    std::string kept, number;
    for (char c : tag) {
        if (is_digit(c)) {
            number += c;
            continue;
        }
        if (lower(c) < 'a' + ndims) kept += number + c;
        number.clear();
    }
    return kept + number;
}

void require(bool condition, const std::string &tag, const char *why) {
    if (!condition) throw bad_value_t(tag, why);
}

} // namespace

bool is_special_tag(const std::string &tag) { return tag == "any" || tag == "undef"; }

std::string parse_tag(const std::string &tag) {
    if (is_special_tag(tag)) return tag;
    require(!tag.empty() && is_letter(tag[0]), tag, "not a format tag");
    require(std::count(tag.begin(), tag.end(), 'x') <= 1, tag, "more than one x");
    const bool is_meta = tag.find('x') != std::string::npos;
    const std::string letters = without_names(tag);
    int ndims = 0;
    for (char c : letters) {
        require(is_digit(c) || c == 'x' || (lower(c) >= 'a' && lower(c) < 'a' + DNNL_MAX_NDIMS),
                tag, "not a format tag");
        if (is_letter(c) && c != 'x') ndims = std::max(ndims, lower(c) - 'a' + 1);
    }
    parse_layout_tag(is_meta ? with_axes_spelled_out(letters, ndims) : letters, ndims);
    return tag;
}

std::string normalized_tag(const std::string &tag, int ndims) {
    if (is_special_tag(tag)) return tag;
    if (tag == "x") return "a";
    if (tag.find('x') != std::string::npos)
        return trimmed(with_axes_spelled_out(tag, ndims), ndims);
    return without_names(tag);
}

parsed_tag_t parse_layout_tag(const std::string &tag, int ndims) {
    parsed_tag_t parsed;
    std::vector<bool> seen(ndims), capital(ndims), blocked(ndims);
    const auto axis_of = [&](char c) {
        const int axis = lower(c) - 'a';
        require(axis >= 0 && axis < ndims, tag, "it names an axis that the tensor does not have");
        return axis;
    };
    size_t i = 0;
    for (; i < tag.size() && is_letter(tag[i]); ++i) {
        const int axis = axis_of(tag[i]);
        require(!seen[axis], tag, "an axis occurs twice");
        seen[axis] = true;
        capital[axis] = is_upper(tag[i]);
        parsed.order.push_back(axis);
    }
    require(static_cast<int>(parsed.order.size()) == ndims, tag,
            "its axes are not those of the tensor");
    while (i < tag.size()) {
        int size = 0;
        for (; i < tag.size() && is_digit(tag[i]) && size < 100000; ++i)
            size = size * 10 + (tag[i] - '0');
        require(size > 0 && i < tag.size() && is_letter(tag[i]) && !is_upper(tag[i]), tag,
                "an inner block must be a number and a lower-case letter");
        parsed.blocks.push_back({axis_of(tag[i++]), size});
        blocked[parsed.blocks.back().axis] = true;
    }
    require(capital == blocked, tag, "exactly the blocked axes must be capitals");
    return parsed;
}

} // namespace benchdnn
