// SPDX-License-Identifier: Apache-2.0
// Addresses of rows.
#pragma once

#include <cstddef>

#include "cpu/x64/operands.hpp"

namespace kiln::x64 {

/// The address of the element `elements` after `base`; `size` is the bytes of an element. Null if
/// `base` is null.
inline std::byte *moved(const void *base, dim_t elements, dim_t size) {
    if (base == nullptr) return nullptr;
    return static_cast<std::byte *>(const_cast<void *>(base)) + elements * size;
}

} // namespace kiln::x64
