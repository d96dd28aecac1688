// SPDX-License-Identifier: Apache-2.0
// Elementwise algorithms of the interface: the table of their functions.

#include "cpu/x64/jit/eltwise.hpp"

#include <cassert>

#include "cpu/x64/jit/activation.hpp"
#include "cpu/x64/jit/exponent.hpp"
#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/math.hpp"

namespace kiln::x64::jit {
namespace {

/// The arguments of an algorithm's function, with short names for the table.
struct call_t {
    generator_t &g;
    const Xbyak::Xmm &x;
    float alpha;
    float beta;
};

void relu(const call_t &c) {
    auto &a = c.g.assembler();
    if (c.alpha == 0) return at_least(c.g, c.x, 0);
    const vec_t below = c.g.vec("below zero");
    a.vmulps(below, c.x, c.g.constant(c.alpha));
    lane_condition_t(c.g, c.x, comparison_t::not_gt, c.g.constant(0)).select(c.x, *below);
}

struct algorithm_t {
    alg_kind_t alg;
    void (*write)(const call_t &c);
};

// The *_use_dst_for_bwd forms differ in the backward pass only.
constexpr algorithm_t algorithms[] = {
        {dnnl_eltwise_relu, relu},
        {dnnl_eltwise_relu_use_dst_for_bwd, relu},
        {dnnl_eltwise_tanh, [](const call_t &c) { tanh(c.g, c.x); }},
        {dnnl_eltwise_tanh_use_dst_for_bwd, [](const call_t &c) { tanh(c.g, c.x); }},
        {dnnl_eltwise_elu, [](const call_t &c) { elu(c.g, c.x, c.alpha); }},
        {dnnl_eltwise_elu_use_dst_for_bwd, [](const call_t &c) { elu(c.g, c.x, c.alpha); }},
        {dnnl_eltwise_square, [](const call_t &c) { c.g.assembler().vmulps(c.x, c.x, c.x); }},
        {dnnl_eltwise_abs, [](const call_t &c) { take_magnitude(c.g, c.x); }},
        {dnnl_eltwise_sqrt, [](const call_t &c) { c.g.assembler().vsqrtps(c.x, c.x); }},
        {dnnl_eltwise_sqrt_use_dst_for_bwd,
                [](const call_t &c) { c.g.assembler().vsqrtps(c.x, c.x); }},
        {dnnl_eltwise_linear, [](const call_t &c) { linear(c.g, c.x, c.alpha, c.beta); }},
        {dnnl_eltwise_soft_relu, [](const call_t &c) { soft_relu(c.g, c.x, c.alpha); }},
        {dnnl_eltwise_hardsigmoid, [](const call_t &c) { hardsigmoid(c.g, c.x, c.alpha, c.beta); }},
        {dnnl_eltwise_logistic, [](const call_t &c) { logistic(c.g, c.x); }},
        {dnnl_eltwise_logistic_use_dst_for_bwd, [](const call_t &c) { logistic(c.g, c.x); }},
        {dnnl_eltwise_exp, [](const call_t &c) { exp(c.g, c.x); }},
        {dnnl_eltwise_exp_use_dst_for_bwd, [](const call_t &c) { exp(c.g, c.x); }},
        {dnnl_eltwise_gelu_tanh, [](const call_t &c) { gelu_tanh(c.g, c.x); }},
        {dnnl_eltwise_swish, [](const call_t &c) { swish(c.g, c.x, c.alpha); }},
        {dnnl_eltwise_log, [](const call_t &c) { log(c.g, c.x); }},
        {dnnl_eltwise_clip, [](const call_t &c) { clamp(c.g, c.x, c.alpha, c.beta); }},
        {dnnl_eltwise_clip_v2, [](const call_t &c) { clamp(c.g, c.x, c.alpha, c.beta); }},
        {dnnl_eltwise_clip_v2_use_dst_for_bwd,
                [](const call_t &c) { clamp(c.g, c.x, c.alpha, c.beta); }},
        {dnnl_eltwise_pow, [](const call_t &c) { scaled_pow(c.g, c.x, c.alpha, c.beta); }},
        {dnnl_eltwise_gelu_erf, [](const call_t &c) { gelu_erf(c.g, c.x); }},
        {dnnl_eltwise_round, [](const call_t &c) { round_to_integer(c.g, c.x, c.x); }},
        {dnnl_eltwise_mish, [](const call_t &c) { mish(c.g, c.x); }},
        {dnnl_eltwise_hardswish, [](const call_t &c) { hardswish(c.g, c.x, c.alpha, c.beta); }},
};

const algorithm_t *find(alg_kind_t alg) {
    for (const algorithm_t &algorithm : algorithms)
        if (algorithm.alg == alg) return &algorithm;
    return nullptr;
}

} // namespace

bool can_eltwise(alg_kind_t alg) { return find(alg) != nullptr; }

void eltwise(generator_t &g, alg_kind_t alg, float alpha, float beta, const Xbyak::Xmm &vec) {
    const algorithm_t *const algorithm = find(alg);
    assert(algorithm && "ask can_eltwise() first");
    algorithm->write({g, g.full(vec), alpha, beta});
}

} // namespace kiln::x64::jit
