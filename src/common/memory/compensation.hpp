// SPDX-License-Identifier: Apache-2.0
// Sums of s8 weights that lie behind them in their buffer. A convolution of s8 or of shifted data
// adds them to its results. No function of the interface makes such a layout; programs that write
// the descriptor's bytes do, among them oneDNN's benchdnn.
#pragma once

#include "common/memory/memory_desc.hpp"

namespace kiln {

// Flags of extra_desc_t.
constexpr uint64_t has_s8s8_compensation = 1;       // -128 * sum, by compensation_mask
constexpr uint64_t has_scale_adjustment = 2;        // weights are multiplied by scale_adjust
constexpr uint64_t has_zero_point_compensation = 8; // -sum, by asymm_compensation_mask

/// Whether the flags are a sum of these, and the masks name axes of the tensor.
bool has_known_extra(const memory_desc_t &md);
/// Bytes from offset0 to the sums: those of the elements, a multiple of the size of s32.
size_t compensation_offset(const memory_desc_t &md);
/// Bytes of all sums; 0 without the flags. First those of the flag 1, then those of the flag 8.
size_t compensation_bytes(const memory_desc_t &md);
/// The sums for the positions along the axes of `mask`: s32, dense, in the order of these axes in
/// `md`, with the blocks that it has along them.
memory_desc_t compensation_desc(const memory_desc_t &md, int mask);

} // namespace kiln
