// SPDX-License-Identifier: Apache-2.0
// The layout of a fused ReLU's mask in the workspace: one bit for each element of src.
#pragma once

#include "common/memory/memory_desc.hpp"

namespace kiln {

/// Makes `bits` a layout of src's elements in which an element's offset counts bits: bit b stands
/// in byte b / 8 and has the value 1 << b % 8. It follows from `src` alone, a blocked tensor whose
/// kept axis (the channel) is axis 1. Elements of src that are adjacent and belong to one channel,
/// or to neighbouring channels, make a run. The bits of a run are adjacent and begin on a byte, so
/// that different threads can write different runs. Runs have the order that they have in src.
void init_relu_mask(memory_desc_t &bits, const memory_desc_t &src);

/// Bytes of the whole mask.
dim_t relu_mask_bytes(const memory_desc_t &bits);

} // namespace kiln
