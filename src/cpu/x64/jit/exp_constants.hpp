// SPDX-License-Identifier: Apache-2.0
// Constants of e^x = 2^n * e^r, where n is the integer nearest to x / ln(2) and r = x - n * ln(2).
#pragma once

namespace kiln::x64::jit {

// ln(2) as the sum of two floats. Both are positive, so that the sum of their infinite multiples is
// infinite and not NaN.
constexpr float ln2_high = 0x1.62e42ep-1f;
constexpr float ln2_low = 0x1.efa39ep-25f;
constexpr float log2_of_e = 0x1.715476p0f;

} // namespace kiln::x64::jit
