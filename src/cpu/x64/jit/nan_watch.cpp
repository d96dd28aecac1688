// SPDX-License-Identifier: Apache-2.0
// Whether a NaN has been met.

#include "cpu/x64/jit/nan_watch.hpp"

#include <limits>

namespace kiln::x64::jit {

namespace {

constexpr int is_unordered = 3; // predicate of vcmpps

} // namespace

nan_watch_t::nan_watch_t(generator_t &g)
    : g_(g) {
    if (g.has_avx512())
        mask_.emplace(g.mask("NaN met"));
    else
        lanes_.emplace(g.vec("NaN met"));
}

void nan_watch_t::begin() {
    if (mask_)
        g_.assembler().kxorw(*mask_, *mask_, *mask_);
    else
        g_.set_zero(*lanes_);
}

void nan_watch_t::look_at(const Xbyak::Xmm &one, const Xbyak::Xmm &other) {
    Xbyak::CodeGenerator &a = g_.assembler();
    if (mask_) {
        const mask_t met = g_.mask("NaN");
        a.vcmpps(met, g_.full(one), g_.full(other), is_unordered);
        a.korw(*mask_, *mask_, met);
    } else {
        const vec_t met = g_.vec("NaN");
        a.vcmpps(met, g_.full(one), g_.full(other), is_unordered);
        a.vorps(*lanes_, *lanes_, *met);
    }
}

void nan_watch_t::make_nan(const Xbyak::Xmm &vec) {
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
