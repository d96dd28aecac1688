// SPDX-License-Identifier: Apache-2.0
// Binary algorithms of the interface: the table of their instructions.

#include "cpu/x64/jit/binary.hpp"

#include <cassert>

#include "cpu/x64/jit/lane_condition.hpp"

namespace kiln::x64::jit {
namespace {

/// The arguments of an algorithm's function, with short names for the table. All registers are
/// full().
struct call_t {
    generator_t &g;
    Xbyak::CodeGenerator &a;
    const Xbyak::Xmm &x;
    const Xbyak::Xmm &y;
    const Xbyak::Xmm &condition;
};

/// x = the maximum or minimum, NaN if either operand is NaN. If an operand is NaN, vmaxps and
/// vminps return the last one, which is x; NaN of y are selected afterwards.
template <typename write_t> void extreme(const call_t &c, const write_t &write) {
    const lane_condition_t y_is_nan(c.g, c.y, comparison_t::ne, c.y);
    write();
    y_is_nan.select(c.x, c.y);
}

void compare(const call_t &c, comparison_t comparison) {
    const lane_condition_t holds(c.g, c.x, comparison, c.y);
    c.g.broadcast(c.x, 1);
    holds.keep(c.x);
}

void select(const call_t &c) {
    lane_condition_t(c.g, c.condition, comparison_t::eq, c.g.constant(0)).select(c.x, c.y);
}

struct algorithm_t {
    alg_kind_t alg;
    void (*write)(const call_t &c);
};

constexpr algorithm_t algorithms[] = {
        {dnnl_binary_add, [](const call_t &c) { c.a.vaddps(c.x, c.x, c.y); }},
        {dnnl_binary_mul, [](const call_t &c) { c.a.vmulps(c.x, c.x, c.y); }},
        {dnnl_binary_max, [](const call_t &c) { extreme(c, [&] { c.a.vmaxps(c.x, c.y, c.x); }); }},
        {dnnl_binary_min, [](const call_t &c) { extreme(c, [&] { c.a.vminps(c.x, c.y, c.x); }); }},
        {dnnl_binary_div, [](const call_t &c) { c.a.vdivps(c.x, c.x, c.y); }},
        {dnnl_binary_sub, [](const call_t &c) { c.a.vsubps(c.x, c.x, c.y); }},
        {dnnl_binary_ge, [](const call_t &c) { compare(c, comparison_t::ge); }},
        {dnnl_binary_gt, [](const call_t &c) { compare(c, comparison_t::gt); }},
        {dnnl_binary_le, [](const call_t &c) { compare(c, comparison_t::le); }},
        {dnnl_binary_lt, [](const call_t &c) { compare(c, comparison_t::lt); }},
        {dnnl_binary_eq, [](const call_t &c) { compare(c, comparison_t::eq); }},
        {dnnl_binary_ne, [](const call_t &c) { compare(c, comparison_t::ne); }},
        {dnnl_binary_select, select},
};

const algorithm_t *find(alg_kind_t alg) {
    for (const algorithm_t &algorithm : algorithms)
        if (algorithm.alg == alg) return &algorithm;
    return nullptr;
}

} // namespace

bool can_binary(alg_kind_t alg) { return find(alg) != nullptr; }

void binary(generator_t &g, alg_kind_t alg, const Xbyak::Xmm &x, const Xbyak::Xmm &y,
        const Xbyak::Xmm *condition) {
    const algorithm_t *const algorithm = find(alg);
    assert(algorithm && "ask can_binary() first");
    assert((alg == dnnl_binary_select) == (condition != nullptr));
    algorithm->write({g, g.assembler(), g.full(x), g.full(y), g.full(condition ? *condition : y)});
}

} // namespace kiln::x64::jit
