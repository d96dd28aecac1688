// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cpu/x64/isa.hpp"

namespace kiln::x64 {

/// The levels that the machine has, of those that kernels on floats differ in.
inline std::vector<isa_t> machine_levels() {
    std::vector<isa_t> levels;
    for (const isa_t isa : float_kernel_isas)
        if (has_isa(isa)) levels.push_back(isa);
    return levels;
}

} // namespace kiln::x64
