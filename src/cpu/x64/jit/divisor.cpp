// SPDX-License-Identifier: Apache-2.0
// Division of many vectors by the same numbers.

#include "cpu/x64/jit/divisor.hpp"

namespace kiln::x64::jit {

void multiply_by_reciprocal(generator_t &g, const Xmm &x, const Xmm &high, const Xmm &low) {
    const vec_t rest = g.vec("rest of a quotient");
    g.vmulps(rest, x, low);
    g.vfmadd213ps(x, high, *rest);
}

divisor_t::divisor_t(generator_t &g, const Xmm &divisor)
    : g(g)
    , high(g.vec("reciprocal"))
    , low(g.vec("rest of a reciprocal")) {
    constexpr uint32_t minus_one = ~0u;
    g.broadcast(high, 1);
    g.broadcast(low, 1);
    g.vdivps(high, high, divisor);
    g.vpaddd(high, high, g.constant_bits(minus_one));
    g.vfnmadd231ps(low, divisor, high);
    g.vdivps(low, low, divisor);
}

void divisor_t::divide(const Xmm &x) const { multiply_by_reciprocal(g, x, high, low); }

} // namespace kiln::x64::jit
