// SPDX-License-Identifier: Apache-2.0
// Results of s8 that take fewer instructions where a channel's coefficients bound them.

#include "cpu/x64/channel_normalization/bounded_results.hpp"

#include "cpu/x64/jit/math/functions.hpp"

namespace kiln::x64::channel_normalization {

void add_unbounded(
        jit::generator_t &g, jit::lane_condition_t &lanes, const jit::Xmm &a, const jit::Xmm &b) {
    constexpr float greatest_x = 128, limit = 0x1p13f;
    const jit::vec_t bound = g.vec("greatest result");
    g.vmulps(bound, a, g.constant(greatest_x));
    jit::take_magnitude(g, bound);
    jit::take_magnitude(g, b);
    g.vaddps(bound, bound, b);
    lanes.add({g, bound, jit::comparison_t::not_lt, g.constant(limit)});
}

} // namespace kiln::x64::channel_normalization
