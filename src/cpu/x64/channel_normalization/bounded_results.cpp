// SPDX-License-Identifier: Apache-2.0
// Results of s8 that take fewer instructions where a channel's coefficients bound them.

#include "cpu/x64/channel_normalization/bounded_results.hpp"

namespace kiln::x64::channel_normalization {

void add_unbounded(
        jit::generator_t &g, jit::lane_condition_t &lanes, const jit::Xmm &a, const jit::Xmm &b) {
    constexpr float greatest_x = 128, limit = 0x1p13f;
    constexpr uint32_t without_sign = 0x7fffffff;
    const jit::vec_t bound = g.vec("greatest result");
    g.vandps(bound, a, g.constant_bits(without_sign));
    g.vandps(b, b, g.constant_bits(without_sign));
    g.vfmadd132ps(bound, b, g.constant(greatest_x));
    lanes.add({g, bound, jit::comparison_t::not_lt, g.constant(limit)});
}

} // namespace kiln::x64::channel_normalization
