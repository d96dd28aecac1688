// SPDX-License-Identifier: Apache-2.0
// Single bits of a fused ReLU's mask.
#pragma once

#include <cstdint>

#include "common/types.hpp"

namespace kiln::cpu::reference {

inline bool load_bit(const void *mask, dim_t bit) {
    return static_cast<const uint8_t *>(mask)[bit / 8] >> bit % 8 & 1;
}

/// The write is not atomic; all bits of a byte are written by one thread.
inline void store_bit(void *mask, dim_t bit, bool value) {
    uint8_t &byte = static_cast<uint8_t *>(mask)[bit / 8];
    const auto one = static_cast<uint8_t>(1 << bit % 8);
    byte = static_cast<uint8_t>(value ? byte | one : byte & ~one);
}

} // namespace kiln::cpu::reference
