// SPDX-License-Identifier: Apache-2.0
// Sums of more sources than a kernel takes, as passes over some of them each.
#pragma once

#include "common/operations/sum_pd.hpp"

namespace kiln::cpu {

/// The first pass adds `sources_of_pass` sources, at least two, each other one the sum so far, in
/// f32, and as many of the next sources as are left. Terms are added in the order of the sources.
/// Refuses where a pass would be a reference implementation.
refusal_t sum_passes_accept(sum_pd_t &pd, plan_ptr_t &plan, size_t sources_of_pass);

} // namespace kiln::cpu
