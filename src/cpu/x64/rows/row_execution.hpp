// SPDX-License-Identifier: Apache-2.0
// Addresses of rows.
#pragma once

#include <cstddef>

#include "common/memory/data_type.hpp"
#include "common/memory/memory_desc.hpp"
#include "cpu/x64/layout/row_plan.hpp"

namespace kiln::x64 {

/// Bytes of an element.
inline dim_t size_of(const memory_desc_t &md) {
    return static_cast<dim_t>(data_type_size(md.data_type));
}

/// The address of the element `elements` after `base`; `size` is the bytes of an element. Null if
/// `base` is null.
inline std::byte *moved(const void *base, dim_t elements, dim_t size) {
    if (base == nullptr) return nullptr;
    return static_cast<std::byte *>(const_cast<void *>(base)) + elements * size;
}

} // namespace kiln::x64
