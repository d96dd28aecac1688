// SPDX-License-Identifier: Apache-2.0
// The function gelu_erf and its derivative with AVX-512, by tables of the normal distribution.
#pragma once

#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

/// The tail of the normal distribution beyond it, times any float, rounds to zero.
constexpr float farthest_normal = 14.9f;
/// A segment is a quarter of an octave of t + 1: the lowest four bits of its bits shifted by this
/// are the segment's index.
constexpr int normal_segment_shift = 21;

/// x = x * (1 + erf(x / sqrt(2))) / 2. Needs six vectors.
void gelu_erf_by_tables(generator_t &g, const Xbyak::Xmm &x);
/// The derivative of that. Needs six vectors and a mask.
void gelu_erf_derivative_by_tables(generator_t &g, const Xbyak::Xmm &x);

} // namespace kiln::x64::jit
