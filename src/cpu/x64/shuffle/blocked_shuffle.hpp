// SPDX-License-Identifier: Apache-2.0
// Shuffle along a blocked axis by generated kernels.
#pragma once

#include "common/operations/shuffle_pd.hpp"
#include "cpu/x64/isa.hpp"

namespace kiln::x64::shuffle {

/// Takes elements of up to 4 bytes in layouts whose only block of the axis is innermost and a
/// multiple of 16 bytes, if 16 bytes of dst come from few places of src.
refusal_t blocked_shuffle_accept(shuffle_pd_t &pd, isa_t isa, plan_ptr_t &plan);

} // namespace kiln::x64::shuffle
