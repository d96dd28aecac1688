// SPDX-License-Identifier: Apache-2.0
// Reorders of integers of half a byte by way of bytes: src becomes bytes in its own layout, these
// are reordered, and bytes in dst's layout become dst.
#pragma once

#include "common/operations/reorder_pd.hpp"

namespace kiln::cpu {

/// Takes s4 and u4 in any layouts in which reorders of s8 and u8 have kernels, with all attributes.
refusal_t half_byte_reorder_accept(reorder_pd_t &pd, plan_ptr_t &plan);

} // namespace kiln::cpu
