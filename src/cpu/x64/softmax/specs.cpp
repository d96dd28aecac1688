// SPDX-License-Identifier: Apache-2.0
// What distinguishes one kernel of softmax from another.

#include "cpu/x64/softmax/specs.hpp"

#include "cpu/x64/jit/math/functions.hpp"

namespace kiln::x64::softmax {
namespace {

std::string kernel_of(bool is_log, const char *direction, const char *shape, stage_t stage) {
    std::string name = std::string(is_log ? "logsoftmax_" : "softmax_") + direction + shape;
    if (stage == stage_t::chunk) name += "_chunk";
    if (stage == stage_t::result) name += "_result";
    return name;
}

} // namespace

std::vector<jit::post_op_operand_t> elements_of(
        std::span<const data_type_t> types, size_t stepped) {
    std::vector<jit::post_op_operand_t> elements;
    for (size_t i = 0; i < types.size(); ++i) elements.push_back({types[i], i < stepped});
    return elements;
}

void find_gradient(jit::generator_t &g, const Xbyak::Xmm &gradient, const Xbyak::Xmm &y,
        const Xbyak::Xmm &sum, bool is_log) {
    if (is_log) {
        jit::exp(g, y);
        return g.vfnmadd231ps(gradient, y, sum);
    }
    g.vsubps(gradient, gradient, sum);
    g.vmulps(gradient, gradient, y);
}

bool forward_spec_t::is_in_registers() const {
    const bool is_wide = jit::vectors_of(isa) == 32;
    const bool takes_logarithm = is_log || has(stats);
    const dim_t vectors = !post_ops.empty() ? (is_wide ? 6 : 2)
                          : takes_logarithm ? (is_wide ? 8 : 4)
                                            : (is_wide ? 13 : 6);
    return line <= vectors * jit::lanes_of(isa);
}

bool forward_spec_t::is_delayed() const { return is_non_temporal && !is_in_registers(); }

std::string forward_spec_t::name(const char *shape) const {
    return jit::kernel_name(kernel_of(is_log, "fwd_", shape, stage), {types[src], types[dst]}, isa);
}

bool backward_spec_t::is_in_registers() const {
    const bool is_wide = jit::vectors_of(isa) == 32;
    const dim_t most = is_log ? (is_wide ? 8 : 2) : (is_wide ? 13 : 5);
    return !sweeps_twice && vectors() == vectors_t::single && line <= most * jit::lanes_of(isa);
}

vectors_t backward_spec_t::vectors() const {
    const auto is_bf16 = [&](operand i) { return !has(i) || types[i] == dnnl_bf16; };
    const bool are_paired = is_bf16(dst) && is_bf16(diff_dst) && is_bf16(diff_src)
                            && jit::bf16_pairs_t::exists(isa)
                            && line >= jit::bf16_pairs_t::elements_of(isa);
    return are_paired ? vectors_t::paired : vectors_t::single;
}

std::string backward_spec_t::name(const char *shape) const {
    return jit::kernel_name(
            kernel_of(is_log, "bwd_", shape, stage), {types[diff_dst], types[diff_src]}, isa);
}

} // namespace kiln::x64::softmax
