// SPDX-License-Identifier: Apache-2.0
// The first question of every implementation with generated kernels: is there an ISA level for
// them?
#pragma once

#include "common/primitive/implementation.hpp"
#include "cpu/x64/isa.hpp"

namespace kiln::x64 {

/// Asks `accept(pd, isa, plan)` with the level that best_isa() is; refuses the problem if there is
/// none.
template <auto accept, typename pd_t> refusal_t with_kernels(pd_t &pd, plan_ptr_t &plan) {
    const isa_t isa = best_isa();
    return isa == isa_t::none ? refused(no_kernels_reason()) : accept(pd, isa, plan);
}

} // namespace kiln::x64
