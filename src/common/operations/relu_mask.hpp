// SPDX-License-Identifier: Apache-2.0
// Where the mask of a fused ReLU lies in the workspace: a bit for each element of src. It must not
// know who writes or reads it.
#pragma once

#include "common/memory/memory_desc.hpp"

namespace kiln {

/// Makes `bits` a layout of src's elements in which an element's offset counts bits: bit b stands
/// in byte b / 8 and has the value 1 << b % 8. It follows from `src` alone, a blocked tensor whose
/// kept axis (the channel) is axis 1. Elements of src that lie next to each other and belong to one
/// channel, or to neighbouring channels, make a run; the bits of a run lie next to each other and
/// begin on a byte, so that runs can be written by different threads. Runs follow each other as in
/// src.
void init_relu_mask(memory_desc_t &bits, const memory_desc_t &src);

/// Bytes of the whole mask.
dim_t relu_mask_bytes(const memory_desc_t &bits);

} // namespace kiln
