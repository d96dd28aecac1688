// SPDX-License-Identifier: Apache-2.0
// Dropout in the reference: which elements are kept, and their values.
#pragma once

#include <vector>

#include "common/attributes/attributes.hpp"
#include "common/tensor/arguments.hpp"
#include "common/tensor/comparison.hpp"
#include "common/tensor/estimate.hpp"

namespace benchdnn {

// Whether the element of dst with this logical index is kept.
bool is_kept(const dropout_t &dropout, dim_t index);

// value / (1 - probability), or 0.
estimate_t dropped_out(const dropout_t &dropout, dim_t index, estimate_t value);

// Appends the comparison of the mask if the attributes have one.
void compare_mask(const attributes_t &attributes, const arguments_t &arguments,
        std::vector<comparison_t> &comparisons);

} // namespace benchdnn
