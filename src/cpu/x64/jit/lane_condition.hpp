// SPDX-License-Identifier: Apache-2.0
// A truth value for each lane, and the choices made by it: a mask register with AVX-512, a vector
// of all ones and zeros with AVX2. Comparisons stand here alone.
#pragma once

#include <cstdint>
#include <optional>

#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

/// The immediate of vcmpps; none of them signals on a quiet NaN. With a NaN the first five are
/// false, the others true.
enum class comparison_t : uint8_t {
    eq = 0x00,
    lt = 0x11,
    le = 0x12,
    ge = 0x1d,
    gt = 0x1e,
    ne = 0x04,
    not_gt = 0x1a,
    not_lt = 0x15,
    not_le = 0x16,
};

/// Takes a mask (AVX-512) or a vector (AVX2) for as long as it lives. Operands may be registers or
/// constant(); registers are full().
class lane_condition_t {
public:
    lane_condition_t(generator_t &g, const Xbyak::Xmm &left, comparison_t comparison,
            const Xbyak::Operand &right);
    /// Lane i holds where bit i of the bytes at `at` is set, for `count` lanes; the others are
    /// open.
    lane_condition_t(generator_t &g, const Xbyak::RegExp &at, int count);

    /// Bit i of the bytes at `at` = lane i, for `count` lanes; what is left of the last byte
    /// becomes 0. Needs a general register.
    void store_bits(const Xbyak::RegExp &at, int count) const;
    /// vec = condition ? other : vec
    void select(const Xbyak::Xmm &vec, const Xbyak::Operand &other) const;
    /// vec = condition ? vec : 0
    void keep(const Xbyak::Xmm &vec) const;
    /// Jumps if it holds in one of the first `count` lanes, count <= 8. Needs a general register.
    void jump_if_any(int count, const Xbyak::Label &target) const;

private:
    /// Lane i in bit i.
    void move_bits(const Xbyak::Reg32 &to) const;

    generator_t &g_;
    std::optional<mask_t> mask_;
    std::optional<vec_t> lanes_;
};

} // namespace kiln::x64::jit
