// SPDX-License-Identifier: Apache-2.0
// Binary algorithms of the interface.

#include "cpu/x64/jit/math/binary.hpp"

#include <cassert>

#include "cpu/x64/jit/lane_condition.hpp"

namespace kiln::x64::jit {
namespace {

/// x = the maximum or minimum, which `write(first, second)` emits, or NaN if either operand is NaN.
/// If an operand is NaN, vmaxps and vminps return the second one.
template <typename write_t>
void extreme(generator_t &g, const Xmm &x, const Xmm &y, numbers_t numbers, const write_t &write) {
    if (numbers.x) return write(x, y);
    if (numbers.y) return write(y, x);
    const lane_condition_t y_is_nan(g, y, comparison_t::ne, y);
    write(y, x);
    y_is_nan.select(x, y);
}

void compare(generator_t &g, const Xmm &x, comparison_t comparison, const Xmm &y) {
    const lane_condition_t holds(g, x, comparison, y);
    holds.set(x, g.constant(1));
}

} // namespace

void binary(generator_t &g, alg_kind_t alg, const Xmm &first, const Xmm &second,
        const Xmm *condition, numbers_t numbers) {
    assert((alg == dnnl_binary_select) == (condition != nullptr));
    const Xmm x = g.full(first), y = g.full(second);
    const auto maximum = [&](const Xmm &one, const Xmm &other) { g.vmaxps(x, one, other); };
    const auto minimum = [&](const Xmm &one, const Xmm &other) { g.vminps(x, one, other); };
    switch (alg) {
    case dnnl_binary_add: return g.vaddps(x, x, y);
    case dnnl_binary_mul: return g.vmulps(x, x, y);
    case dnnl_binary_max: return extreme(g, x, y, numbers, maximum);
    case dnnl_binary_min: return extreme(g, x, y, numbers, minimum);
    case dnnl_binary_div: return g.vdivps(x, x, y);
    case dnnl_binary_sub: return g.vsubps(x, x, y);
    case dnnl_binary_ge: return compare(g, x, comparison_t::ge, y);
    case dnnl_binary_gt: return compare(g, x, comparison_t::gt, y);
    case dnnl_binary_le: return compare(g, x, comparison_t::le, y);
    case dnnl_binary_lt: return compare(g, x, comparison_t::lt, y);
    case dnnl_binary_eq: return compare(g, x, comparison_t::eq, y);
    case dnnl_binary_ne: return compare(g, x, comparison_t::ne, y);
    case dnnl_binary_select:
        return lane_condition_t(g, g.full(*condition), comparison_t::eq, g.constant(0))
                .select(x, y);
    default: assert(!"a binary algorithm");
    }
}

} // namespace kiln::x64::jit
