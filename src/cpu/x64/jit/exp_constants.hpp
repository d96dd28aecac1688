// SPDX-License-Identifier: Apache-2.0
// Constants of e^x = 2^n * e^r, where n is the integer nearest to x / ln(2) and r = x - n * ln(2).
#pragma once

namespace kiln::x64::jit {

// ln(2) as the sum of two floats. Both are positive, so that the sum of their infinite multiples is
// infinite and not NaN.
constexpr float ln2_high = 0x1.62e42ep-1f;
constexpr float ln2_low = 0x1.efa39ep-25f;
constexpr float log2_of_e = 0x1.715476p0f;

/// (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2, highest power first, so that e^r - 1 is known to
/// 2^-26.1.
constexpr float exp_coefficients[] = {
        0x1.6b7c98p-10f, 0x1.122688p-7f, 0x1.55570ep-5f, 0x1.5554b2p-3f, 0x1.fffffep-2f};

} // namespace kiln::x64::jit
