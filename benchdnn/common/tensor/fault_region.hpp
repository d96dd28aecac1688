// SPDX-License-Identifier: Apache-2.0
// The addresses at which a fault is attributed to one argument.
#pragma once

#include <cstddef>
#include <string>

namespace benchdnn {

// An argument's bytes and the guard pages on both sides of them.
struct fault_region_t {
    std::string name;
    const unsigned char *territory_begin, *territory_end;
    const unsigned char *data;
    size_t bytes;
};

} // namespace benchdnn
