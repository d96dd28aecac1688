// SPDX-License-Identifier: Apache-2.0
// --strides: layouts of src and dst by strides in elements, where tags say too little.
#pragma once

#include <string>

#include "common/command_line/knobs.hpp"
#include "common/tensor/dims.hpp"

namespace benchdnn {

// SRC:DST; an empty one leaves it to the tag.
struct stride_pair_t {
    dims_t src, dst;
};

// "SRC:DST", either may be empty; "SRC" alone is taken, too.
stride_pair_t parse_stride_pair(const std::string &text);
// "" when both are empty.
std::string stride_pair_text(const stride_pair_t &strides);

// bad_value_t when there are strides and not one for each dimension, or one is negative.
void require_strides(const dims_t &strides, const dims_t &dims);

void add_strides_knob(knob_set_t &knobs, std::vector<stride_pair_t> &strides);

} // namespace benchdnn
