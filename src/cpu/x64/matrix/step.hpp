// SPDX-License-Identifier: Apache-2.0
// What matrix products multiply at a time along K.
#pragma once

namespace kiln::x64::matrix {

/// What one step along K multiplies in a 32-bit lane, and what the lanes add up.
enum class step_t {
    f32,  ///< One element of A and one of B, as floats.
    bf16, ///< Two elements of bf16 each; floats (feature_t::avx512_bf16).
    u8s8, ///< Four elements, u8 in A and s8 in B; integers (feature_t::avx512_vnni). An A of s8 is
          ///< shifted by 128, and 128 times the sums of B's columns are subtracted.
    s16,  ///< Two elements of 16-bit integers each; integers.
};

/// Elements along K that a step takes.
constexpr int depth_of(step_t step) {
    return step == step_t::f32 ? 1 : step == step_t::u8s8 ? 4 : 2;
}
/// Bytes of an element in rows of A.
constexpr int element_bytes(step_t step) { return 4 / depth_of(step); }
/// What step_t::u8s8 adds to elements of s8.
constexpr int s8_shift = 128;
constexpr bool is_integer(step_t step) { return step == step_t::u8s8 || step == step_t::s16; }

} // namespace kiln::x64::matrix
