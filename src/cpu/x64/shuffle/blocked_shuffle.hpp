// SPDX-License-Identifier: Apache-2.0
// Shuffle along an axis whose elements are adjacent, or are in blocks, by generated kernels.
#pragma once

#include "common/operations/shuffle_pd.hpp"
#include "cpu/x64/isa.hpp"

namespace kiln::x64::shuffle {

/// Takes elements of up to 4 bytes along an axis that is dense, innermost and of 16 bytes or more,
/// or whose only block is innermost and a multiple of 16 bytes, if 16 bytes of dst come from few
/// places of src.
refusal_t blocked_shuffle_accept(shuffle_pd_t &pd, isa_t isa, plan_ptr_t &plan);

} // namespace kiln::x64::shuffle
