// SPDX-License-Identifier: Apache-2.0
// Format tags in benchdnn's spelling: letters of the axes in memory order, capitals for blocked
// axes, then the inner blocks; 'x' for the remaining axes; names such as tnc or nChw16c.
#pragma once

#include <string>
#include <vector>

namespace benchdnn {

struct parsed_tag_t {
    struct block_t {
        int axis;
        int size;
    };
    std::vector<int> order;      // axes, outermost in memory first
    std::vector<block_t> blocks; // outermost first
};

bool is_special_tag(const std::string &tag); // "any" or "undef"

// Checks a tag as far as possible without the number of dimensions, and returns it; bad_value_t if
// it is wrong.
std::string parse_tag(const std::string &tag);

// The tag in letters a, b, c, ... for this many dimensions: abx, 4 -> abcd; ntc -> bac. Axes beyond
// ndims are dropped, so that one tag serves problems of several ranks.
std::string normalized_tag(const std::string &tag, int ndims);

// The parts of a normalized tag; bad_value_t if it is not a layout of exactly ndims axes.
parsed_tag_t parse_layout_tag(const std::string &normalized, int ndims);

} // namespace benchdnn
