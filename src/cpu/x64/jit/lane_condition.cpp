// SPDX-License-Identifier: Apache-2.0
// A truth value for each lane, and the choices made by it.

#include "cpu/x64/jit/lane_condition.hpp"

namespace kiln::x64::jit {

lane_condition_t::lane_condition_t(generator_t &g, const Xbyak::Xmm &left, comparison_t comparison,
        const Xbyak::Operand &right)
    : g_(g) {
    const auto predicate = static_cast<uint8_t>(comparison);
    if (g.is_avx512()) {
        mask_.emplace(g.mask("condition"));
        g.assembler().vcmpps(**mask_, left, right, predicate);
    } else {
        lanes_.emplace(g.vec("condition"));
        g.assembler().vcmpps(**lanes_, left, right, predicate);
    }
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
    if (mask_)
        g_.assembler().kmovw(bits32, **mask_);
    else
        g_.assembler().vmovmskps(bits32, g_.ymm(*lanes_));
    g_.assembler().test(bits32, (1u << count) - 1);
    g_.assembler().jnz(target, Xbyak::CodeGenerator::T_NEAR);
}

} // namespace kiln::x64::jit
