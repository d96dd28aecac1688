// SPDX-License-Identifier: Apache-2.0
// Detection of NaN among operands of instructions that do not propagate it.

#include "cpu/x64/jit/nan_detector.hpp"

#include <limits>

namespace kiln::x64::jit {

namespace {

constexpr int is_unordered = 3; // predicate of vcmpps

} // namespace

nan_detector_t::nan_detector_t(generator_t &g)
    : g_(g) {
    if (g.has_avx512())
        mask_.emplace(g.mask("NaN found"));
    else
        lanes_.emplace(g.vec("NaN found"));
}

void nan_detector_t::reset() {
    if (mask_)
        g_.assembler().kxorw(*mask_, *mask_, *mask_);
    else
        g_.set_zero(*lanes_);
}

void nan_detector_t::check(const Xbyak::Xmm &one, const Xbyak::Xmm &other) {
    Xbyak::CodeGenerator &a = g_.assembler();
    if (mask_) {
        const mask_t found = g_.mask("NaN");
        a.vcmpps(found, g_.full(one), g_.full(other), is_unordered);
        a.korw(*mask_, *mask_, found);
    } else {
        const vec_t found = g_.vec("NaN");
        a.vcmpps(found, g_.full(one), g_.full(other), is_unordered);
        a.vorps(*lanes_, *lanes_, *found);
    }
}

void nan_detector_t::propagate(const Xbyak::Xmm &vec) {
    Xbyak::CodeGenerator &a = g_.assembler();
    Xbyak::Label end;
    if (mask_)
        a.kortestw(*mask_, *mask_);
    else
        a.vptest(**lanes_, **lanes_);
    a.jz(end);
    g_.broadcast(vec, std::numeric_limits<float>::quiet_NaN());
    a.L(end);
}

} // namespace kiln::x64::jit
