// SPDX-License-Identifier: Apache-2.0
// A condition on each lane and selections by it.

#include "cpu/x64/jit/lane_condition.hpp"

namespace kiln::x64::jit {
namespace {

constexpr int bits_in_byte = 8;

} // namespace

lane_condition_t::lane_condition_t(
        generator_t &g, const Xmm &left, comparison_t comparison, const Xbyak::Operand &right)
    : g_(g) {
    const auto predicate = static_cast<uint8_t>(comparison);
    take_register();
    if (mask_)
        g.vcmpps(**mask_, left, right, predicate);
    else
        g.vcmpps(**lanes_, left, right, predicate);
}

lane_condition_t::lane_condition_t(generator_t &g)
    : g_(g) {
    take_register();
    if (mask_)
        g.kxorw(**mask_, **mask_, **mask_);
    else
        g.set_zero(**lanes_);
}

void lane_condition_t::take_register() {
    if (g_.has_avx512())
        mask_.emplace(g_.mask("condition"));
    else
        lanes_.emplace(g_.vec("condition"));
}

void lane_condition_t::add(const lane_condition_t &other) {
    if (mask_)
        g_.korw(**mask_, **mask_, **other.mask_);
    else
        g_.vorps(**lanes_, **lanes_, **other.lanes_);
}

lane_condition_t::lane_condition_t(generator_t &g, const RegExp &at, int count)
    : g_(g) {
    take_register();
    if (mask_) {
        if (count > bits_in_byte)
            g.kmovw(**mask_, g.word[at]);
        else
            g.kmovb(**mask_, g.byte[at]);
        return;
    }
    const Xbyak::Address bits = g.constant_lanes([](uint32_t lane) { return 1u << lane; });
    g.vpbroadcastb(**lanes_, g.byte[at]);
    g.vpand(**lanes_, **lanes_, bits);
    g.vpcmpeqd(**lanes_, **lanes_, bits);
}

void lane_condition_t::store_bits(const RegExp &at, int count) const {
    if (mask_ && count == g_.lanes()) return g_.kmovw(g_.word[at], **mask_);
    const gpr_t bits = g_.gpr("condition");
    move_bits((*bits).cvt32());
    if (count < g_.lanes()) g_.and_((*bits).cvt32(), (1u << count) - 1);
    if (count > bits_in_byte)
        g_.mov(g_.word[at], (*bits).cvt16());
    else
        g_.mov(g_.byte[at], (*bits).cvt8());
}

void lane_condition_t::move_bits(const Xbyak::Reg32 &to) const {
    if (mask_)
        g_.kmovw(to, **mask_);
    else
        g_.vmovmskps(to, g_.ymm(*lanes_));
}

void lane_condition_t::select(const Xmm &vec, const Xbyak::Operand &other) const {
    if (mask_)
        g_.vblendmps(vec | **mask_, vec, other);
    else
        g_.vblendvps(vec, vec, other, **lanes_);
}

void lane_condition_t::keep(const Xmm &vec) const {
    if (mask_)
        g_.vmovaps(vec | **mask_ | Xbyak::util::T_z, vec);
    else
        g_.vandps(vec, vec, **lanes_);
}

void lane_condition_t::set(const Xmm &vec, const Xbyak::Operand &other) const {
    if (mask_)
        g_.vblendmps(vec | **mask_ | Xbyak::util::T_z, vec, other);
    else
        g_.vandps(vec, **lanes_, other);
}

void lane_condition_t::multiply(
        const Xmm &vec, const Xbyak::Operand &factor, const Xmm &product) const {
    if (mask_) return g_.vmulps(vec | **mask_, vec, factor);
    g_.vmulps(product, vec, factor);
    select(vec, product);
}

void lane_condition_t::multiply_or_zero(const Xmm &vec, const Xmm &factor) const {
    if (mask_) return g_.vmulps(vec | **mask_ | Xbyak::util::T_z, vec, factor);
    g_.vmulps(vec, vec, factor);
    keep(vec);
}

void lane_condition_t::add_product(const Xmm &sum, const Xmm &vec, const Xmm &factor) const {
    if (mask_) return g_.vfmadd231ps(sum | **mask_, vec, factor);
    multiply_or_zero(vec, factor);
    g_.vaddps(sum, sum, vec);
}

void lane_condition_t::jump_if_none(const Xbyak::Label &target) const {
    if (mask_)
        g_.kortestw(**mask_, **mask_);
    else
        g_.vptest(**lanes_, **lanes_);
    g_.jz(target, Xbyak::CodeGenerator::T_NEAR);
}

void lane_condition_t::jump_if_any(int count, const Xbyak::Label &target) const {
    test_first(count);
    g_.jnz(target, Xbyak::CodeGenerator::T_NEAR);
}

void lane_condition_t::jump_unless_any(int count, const Xbyak::Label &target) const {
    test_first(count);
    g_.jz(target, Xbyak::CodeGenerator::T_NEAR);
}

void lane_condition_t::test_first(int count) const {
    const gpr_t bits = g_.gpr("condition");
    const Xbyak::Reg32 bits32 = (*bits).cvt32();
    move_bits(bits32);
    g_.test(bits32, (1u << count) - 1);
}

lane_condition_t relu(generator_t &g, const Xmm &x) {
    const vec_t zero = g.vec("0");
    g.set_zero(zero);
    lane_condition_t passes(g, x, comparison_t::not_le, *zero);
    passes.keep(x);
    return passes;
}

} // namespace kiln::x64::jit
