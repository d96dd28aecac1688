// SPDX-License-Identifier: Apache-2.0
// The first questions of every implementation with generated kernels: is there an ISA level for
// them, and are there attributes that none of them honours?
#pragma once

#include "common/primitive/primitive_desc.hpp"
#include "cpu/x64/isa.hpp"

namespace kiln::x64 {

/// Asks `accept(pd, isa, plan)` with the level that best_isa() is; refuses the problem if there is
/// none, or if dropout is set.
template <auto accept, typename pd_t> refusal_t with_kernels(pd_t &pd, plan_ptr_t &plan) {
    const isa_t isa = best_isa();
    if (pd.attr().dropout.requested) return refused("dropout is set, which the reference computes");
    return isa == isa_t::none ? refused(no_kernels_reason()) : accept(pd, isa, plan);
}

} // namespace kiln::x64
