// SPDX-License-Identifier: Apache-2.0
// A condition on each lane and selections by it. It is a mask register with AVX-512 and a vector
// whose lanes are all ones or all zeros with AVX2.
#pragma once

#include <cstdint>
#include <optional>

#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

/// Predicates of vcmpps. None of them raises an exception for a quiet NaN. If an operand is NaN,
/// the first five are false and the others true.
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
    unordered = 0x03, ///< either operand is NaN
};

/// Takes a mask (AVX-512) or a vector (AVX2) while the object exists. Operands are full() registers
/// or constant().
class lane_condition_t {
public:
    /// The condition of no lane, until conditions are added.
    explicit lane_condition_t(generator_t &g);
    lane_condition_t(
            generator_t &g, const Xmm &left, comparison_t comparison, const Xbyak::Operand &right);
    /// The condition of lane i, for i < count, is bit i of the bytes at `at`; that of the other
    /// lanes is undefined.
    lane_condition_t(generator_t &g, const RegExp &at, int count);

    /// It holds in the lanes in which it held and in those in which the other one holds.
    void add(const lane_condition_t &other);

    /// Bit i of the bytes at `at` = the condition of lane i, for i < count; the remaining bits of
    /// the last byte become 0. Needs a general register.
    void store_bits(const RegExp &at, int count) const;
    /// vec = condition ? other : vec
    void select(const Xmm &vec, const Xbyak::Operand &other) const;
    /// vec = condition ? vec : 0
    void keep(const Xmm &vec) const;
    /// vec = condition ? other : 0
    void set(const Xmm &vec, const Xbyak::Operand &other) const;
    /// vec = condition ? vec * factor : vec. `product`, which may be the factor, becomes undefined.
    void multiply(const Xmm &vec, const Xbyak::Operand &factor, const Xmm &product) const;
    /// vec = condition ? vec * factor : 0
    void multiply_or_zero(const Xmm &vec, const Xmm &factor) const;
    /// sum = condition ? sum + vec * factor : sum. `vec` becomes undefined.
    void add_product(const Xmm &sum, const Xmm &vec, const Xmm &factor) const;
    /// Jumps if the condition holds in any of the first `count` lanes, count <= 8; or if it holds
    /// in none of them. Needs a general register.
    void jump_if_any(int count, const Xbyak::Label &target) const;
    void jump_unless_any(int count, const Xbyak::Label &target) const;
    /// Jumps if the condition holds in no lane.
    void jump_if_none(const Xbyak::Label &target) const;

private:
    void take_register();
    /// Tests the condition of the first `count` lanes.
    void test_first(int count) const;
    /// Bit i of `to` = the condition of lane i.
    void move_bits(const Xbyak::Reg32 &to) const;

    generator_t &g_;
    std::optional<mask_t> mask_;
    std::optional<vec_t> lanes_;
};

/// x = max(x, 0), NaN for NaN; the condition of the lanes that pass.
lane_condition_t relu(generator_t &g, const Xmm &x);

} // namespace kiln::x64::jit
