// SPDX-License-Identifier: Apache-2.0
// A condition on each lane and selections by it.

#include "cpu/x64/jit/lane_condition.hpp"

namespace kiln::x64::jit {
namespace {

constexpr int bits_in_byte = 8;

} // namespace

lane_condition_t::lane_condition_t(generator_t &g, const Xbyak::Xmm &left, comparison_t comparison,
        const Xbyak::Operand &right)
    : g_(g) {
    const auto predicate = static_cast<uint8_t>(comparison);
    if (g.has_avx512()) {
        mask_.emplace(g.mask("condition"));
        g.assembler().vcmpps(**mask_, left, right, predicate);
    } else {
        lanes_.emplace(g.vec("condition"));
        g.assembler().vcmpps(**lanes_, left, right, predicate);
    }
}

lane_condition_t::lane_condition_t(generator_t &g, const Xbyak::RegExp &at, int count)
    : g_(g) {
    Xbyak::CodeGenerator &a = g.assembler();
    if (g.has_avx512()) {
        mask_.emplace(g.mask("condition"));
        if (count > bits_in_byte)
            a.kmovw(**mask_, a.word[at]);
        else
            a.kmovb(**mask_, a.byte[at]);
        return;
    }
    lanes_.emplace(g.vec("condition"));
    std::vector<uint32_t> bit_of_lane;
    for (int i = 0; i < g.lanes(); ++i) bit_of_lane.push_back(1u << i);
    const Xbyak::Address bits = g.constant_lanes(bit_of_lane);
    a.vpbroadcastb(**lanes_, a.byte[at]);
    a.vpand(**lanes_, **lanes_, bits);
    a.vpcmpeqd(**lanes_, **lanes_, bits);
}

void lane_condition_t::store_bits(const Xbyak::RegExp &at, int count) const {
    Xbyak::CodeGenerator &a = g_.assembler();
    if (mask_ && count == g_.lanes()) return a.kmovw(a.word[at], **mask_);
    const gpr_t bits = g_.gpr("condition");
    move_bits((*bits).cvt32());
    if (count < g_.lanes()) a.and_((*bits).cvt32(), (1u << count) - 1);
    if (count > bits_in_byte)
        a.mov(a.word[at], (*bits).cvt16());
    else
        a.mov(a.byte[at], (*bits).cvt8());
}

void lane_condition_t::move_bits(const Xbyak::Reg32 &to) const {
    if (mask_)
        g_.assembler().kmovw(to, **mask_);
    else
        g_.assembler().vmovmskps(to, g_.ymm(*lanes_));
}

void lane_condition_t::select(const Xbyak::Xmm &vec, const Xbyak::Operand &other) const {
    if (mask_)
        g_.assembler().vblendmps(vec | **mask_, vec, other);
    else
        g_.assembler().vblendvps(vec, vec, other, **lanes_);
}

void lane_condition_t::keep(const Xbyak::Xmm &vec) const {
    if (mask_)
        g_.assembler().vmovaps(vec | **mask_ | Xbyak::util::T_z, vec);
    else
        g_.assembler().vandps(vec, vec, **lanes_);
}

void lane_condition_t::jump_if_any(int count, const Xbyak::Label &target) const {
    const gpr_t bits = g_.gpr("condition");
    const Xbyak::Reg32 bits32 = (*bits).cvt32();
    move_bits(bits32);
    g_.assembler().test(bits32, (1u << count) - 1);
    g_.assembler().jnz(target, Xbyak::CodeGenerator::T_NEAR);
}

} // namespace kiln::x64::jit
