// SPDX-License-Identifier: Apache-2.0
// Results of s8 that take fewer instructions where a channel's coefficients bound them.
#pragma once

#include "cpu/x64/jit/lane_condition.hpp"

namespace kiln::x64::channel_normalization {

/// Whether (x - center) * a + b can be computed as x * a + (b - center * a) and stored by an
/// instruction that does not saturate.
enum class results_t { any, bounded };

/// Adds to the condition the lanes in which |x * a + b| can reach 2^13 for an x of 8 bits, or in
/// which a or b is not finite. In the others, b - center * a is rounded by at most 2^-12. Needs a
/// vector and a condition; b is overwritten.
void add_unbounded(
        jit::generator_t &g, jit::lane_condition_t &lanes, const jit::Xmm &a, const jit::Xmm &b);

} // namespace kiln::x64::channel_normalization
