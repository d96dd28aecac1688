// SPDX-License-Identifier: Apache-2.0
// Concatenation by generated kernels on nests.
#pragma once

#include "common/operations/concat_pd.hpp"
#include "cpu/x64/isa.hpp"

namespace kiln::x64 {

/// Moves or converts the elements of each source to their part of dst by nests of loops. Takes
/// layouts whose blocks divide each other, without scales.
refusal_t nests_concat_accept(concat_pd_t &pd, isa_t isa, plan_ptr_t &plan);

} // namespace kiln::x64
