// SPDX-License-Identifier: Apache-2.0
// What matrix products multiply at a time along K.
#pragma once

#include <cstddef>
#include <string>

#include "cpu/x64/isa.hpp"

namespace kiln::x64::matrix {

/// What one step along K multiplies in a 32-bit lane, and what the lanes add up.
enum class step_t {
    f32,     ///< One element of A and one of B, as floats.
    bf16,    ///< Two elements of bf16 each; floats (feature_t::avx512_bf16).
    u8s8,    ///< Four elements of 8 bits, one operand unsigned and the other signed; integers
             ///< (has_vnni()). If both are signed or both unsigned, 128 is added to or
             ///< subtracted from B's elements, and 128 times the sums of A's rows is taken back.
    s16,     ///< Two elements of 16-bit integers each; integers.
    f32x4,   ///< Four floats of A; a lane of B holds four integers of 8 bits, which are converted.
    f32x8,   ///< Eight floats of A; a lane of B holds eight integers of 4 bits.
    bf16x8,  ///< Eight elements of bf16 of A, in the order 0 4 1 5 2 6 3 7; a lane of B holds eight
             ///< integers of 4 bits, which become bf16 (feature_t::avx512_bf16).
    u8s8x8,  ///< Eight elements of 8 bits of A, in the order 0 2 4 6 1 3 5 7; a lane of B holds
             ///< eight integers of 4 bits, which become bytes (has_vnni()).
    s16x8,   ///< Eight integers of 16 bits of A, in the order 0 4 1 5 2 6 3 7; a lane of B holds
             ///< eight integers of 4 bits.
    digits8, ///< Eight floats of A as integers of three digits (digit_kernel_t), which their row
             ///< and group scale; a lane of B holds eight integers of 4 bits, which become bytes
             ///< (has_vnni()).
    digits4, ///< Four such integers of A; a lane of B holds four integers of 8 bits.
    split,   ///< One element of A and one of B, each as the sum of two of bf16 (feature_t::amx): in
             ///< rows of A in both orders, of each 16 elements one after the other.
};

struct step_info_t {
    step_t step;
    step_t base;        ///< What multiplies the same elements of A by elements of B as they are.
    int depth;          ///< Elements along K that it takes.
    const char *prefix; ///< What names of kernels say of it.
};
/// Every step at the index step_t.
inline constexpr step_info_t all_steps[] = {
        {step_t::f32, step_t::f32, 1, ""},
        {step_t::bf16, step_t::bf16, 2, "bf16_"},
        {step_t::u8s8, step_t::u8s8, 4, "u8s8_"},
        {step_t::s16, step_t::s16, 2, "s16_"},
        {step_t::f32x4, step_t::f32, 4, "f32x4_"},
        {step_t::f32x8, step_t::f32, 8, "f32x8_"},
        {step_t::bf16x8, step_t::bf16, 8, "bf16x8_"},
        {step_t::u8s8x8, step_t::u8s8, 8, "u8s8x8_"},
        {step_t::s16x8, step_t::s16, 8, "s16x8_"},
        {step_t::digits8, step_t::u8s8, 8, "digits8_"},
        {step_t::digits4, step_t::u8s8, 4, "digits4_"},
        {step_t::split, step_t::split, 1, "split_"},
};
constexpr const step_info_t &info_of(step_t step) { return all_steps[static_cast<size_t>(step)]; }
constexpr int depth_of(step_t step) { return info_of(step).depth; }
constexpr step_t base_of(step_t step) { return info_of(step).base; }
inline std::string prefix_of(step_t step) { return info_of(step).prefix; }
/// Whether the integers of a lane of B are converted one after the other.
constexpr bool converts_b(step_t step) { return base_of(step) != step; }
/// Bytes of an element of B.
constexpr int b_element_bytes(step_t step) { return 4 / depth_of(base_of(step)); }
constexpr bool has_digits(step_t step) {
    return step == step_t::digits8 || step == step_t::digits4;
}
/// Signed bytes of an element of A that has digits, and the places that they take.
constexpr int digits_of_element = 3, digit_places = 4;
/// Parts of an element of A whose products have accumulators of their own.
constexpr int a_parts(step_t step) { return has_digits(step) ? digits_of_element : 1; }
/// Places of b_element_bytes() that an element has in rows of A: both orders of its terms, or one
/// for each digit and an unused one.
constexpr int a_copies(step_t step) {
    return step == step_t::split ? 2 : has_digits(step) ? digit_places : 1;
}
/// Bytes of an element in rows of A.
constexpr int element_bytes(step_t step) { return a_copies(step) * b_element_bytes(step); }
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
    case step_t::split: return has(isa, feature_t::amx);
    default: return true;
    }
}

} // namespace kiln::x64::matrix
