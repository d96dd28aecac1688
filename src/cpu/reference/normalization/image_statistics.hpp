// SPDX-License-Identifier: Apache-2.0
// Mean and variance of a range of samples and channels.
#pragma once

#include "cpu/reference/normalization/image_lines.hpp"

namespace kiln::cpu::reference {

struct statistics_t {
    double mean;
    double variance;
};

statistics_t statistics_of(const image_lines_t &lines, const image_part_t &part,
        const tensor_t &tensor, const void *data);

} // namespace kiln::cpu::reference
