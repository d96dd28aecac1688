// SPDX-License-Identifier: Apache-2.0
// Concatenation as reorders, one for each source to its part of dst.
#pragma once

#include "common/operations/concat_pd.hpp"

namespace kiln::cpu {

/// Reorders by their best implementations; refuses where each is a reference implementation.
refusal_t reordered_concat_accept(concat_pd_t &pd, plan_ptr_t &plan);
/// The same by reference implementations. Takes every problem.
refusal_t reference_concat_accept(concat_pd_t &pd, plan_ptr_t &plan);

} // namespace kiln::cpu
