// SPDX-License-Identifier: Apache-2.0
// What matrix products multiply at a time along K.
#pragma once

#include <string>

#include "cpu/x64/isa.hpp"

namespace kiln::x64::matrix {

/// What one step along K multiplies in a 32-bit lane, and what the lanes add up.
enum class step_t {
    f32,    ///< One element of A and one of B, as floats.
    bf16,   ///< Two elements of bf16 each; floats (feature_t::avx512_bf16).
    u8s8,   ///< Four elements of 8 bits, one operand unsigned and the other signed; integers
            ///< (has_vnni()). Where both are alike, 128 is added to or subtracted from
            ///< B's elements, and 128 times the sums of A's rows is taken back.
    s16,    ///< Two elements of 16-bit integers each; integers.
    f32x4,  ///< Four floats of A; a lane of B holds four integers of 8 bits, which are converted.
    f32x8,  ///< Eight floats of A; a lane of B holds eight integers of 4 bits.
    bf16x8, ///< Eight elements of bf16 of A, in the order 0 4 1 5 2 6 3 7; a lane of B holds eight
            ///< integers of 4 bits, which become bf16 (feature_t::avx512_bf16).
    u8s8x8, ///< Eight elements of 8 bits of A, in the order 0 2 4 6 1 3 5 7; a lane of B holds
            ///< eight integers of 4 bits, which become bytes (has_vnni()).
    s16x8,  ///< Eight integers of 16 bits of A, in the order 0 4 1 5 2 6 3 7; a lane of B holds
            ///< eight integers of 4 bits.
};

/// Elements along K that a step takes.
constexpr int depth_of(step_t step) {
    switch (step) {
    case step_t::f32: return 1;
    case step_t::bf16:
    case step_t::s16: return 2;
    case step_t::u8s8:
    case step_t::f32x4: return 4;
    case step_t::f32x8:
    case step_t::bf16x8:
    case step_t::u8s8x8:
    case step_t::s16x8: return 8;
    }
    return 1;
}
/// The step that multiplies the same elements of A by elements of B that are not converted.
constexpr step_t base_of(step_t step) {
    switch (step) {
    case step_t::f32x4:
    case step_t::f32x8: return step_t::f32;
    case step_t::bf16x8: return step_t::bf16;
    case step_t::u8s8x8: return step_t::u8s8;
    case step_t::s16x8: return step_t::s16;
    default: return step;
    }
}
/// Whether the integers of a lane of B are converted one after the other.
constexpr bool converts_b(step_t step) { return base_of(step) != step; }
/// Bytes of an element in rows of A.
constexpr int element_bytes(step_t step) { return 4 / depth_of(base_of(step)); }
/// Bytes of a step in rows of A.
constexpr int a_bytes(step_t step) { return depth_of(step) * element_bytes(step); }
constexpr bool is_integer(step_t step) {
    return base_of(step) == step_t::u8s8 || base_of(step) == step_t::s16;
}
/// Whether the elements of a step in rows of A are in an order of their own, which packing makes.
constexpr bool has_octets(step_t step) { return converts_b(step) && base_of(step) != step_t::f32; }
/// Whether an ISA level has the instructions of a step.
inline bool has_step(isa_t isa, step_t step) {
    switch (base_of(step)) {
    case step_t::bf16: return has(isa, feature_t::avx512_bf16);
    case step_t::u8s8: return has_vnni(isa);
    default: return true;
    }
}

/// What names of kernels say of a step: "" for f32, "bf16_" and so on.
inline std::string prefix_of(step_t step) {
    switch (step) {
    case step_t::f32: return "";
    case step_t::bf16: return "bf16_";
    case step_t::u8s8: return "u8s8_";
    case step_t::s16: return "s16_";
    case step_t::f32x4: return "f32x4_";
    case step_t::f32x8: return "f32x8_";
    case step_t::bf16x8: return "bf16x8_";
    case step_t::u8s8x8: return "u8s8x8_";
    case step_t::s16x8: return "s16x8_";
    }
    return "";
}

} // namespace kiln::x64::matrix
