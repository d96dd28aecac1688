// SPDX-License-Identifier: Apache-2.0
// A chain of post-ops on a vector.

#include "cpu/x64/jit/post_op_chain.hpp"

#include <algorithm>
#include <cassert>
#include <deque>
#include <optional>
#include <utility>

#include "common/attributes/alg_kind.hpp"
#include "common/memory/data_type.hpp"
#include "common/memory/type_set.hpp"
#include "cpu/x64/jit/divisor.hpp"
#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/math/binary.hpp"

namespace kiln::x64::jit {
namespace {

constexpr int max_operands = 3;

const vec_t *held_at(const held_post_op_operands_t &held, size_t index) {
    return index < held.size() && held[index] ? &*held[index] : nullptr;
}

/// Selects by the sign of the value.
void prelu(generator_t &g, const Xmm &value, const Xmm &slope, bool is_derivative) {
    const Xmm x = g.full(value);
    const lane_condition_t is_low(g, x, comparison_t::not_gt, g.constant(0));
    if (is_derivative) {
        g.broadcast(x, 1);
        return is_low.select(x, g.full(slope));
    }
    is_low.multiply(x, g.full(slope), g.vec("product"));
}

static_assert(max_operands + 1 + max_binary_temporaries <= max_post_op_temporaries);
static_assert(max_binary_masks <= max_post_op_masks);

} // namespace

refusal_t check_post_op(const post_op_link_t &link) {
    if (!is_eltwise_alg(link.alg) && !is_binary_alg(link.alg))
        return refused("a post-op is neither eltwise nor binary nor a sum");
    if (link.is_derivative && !link.is_prelu && !can_derive(link.alg))
        return refused("a post-op has no derivative");
    assert(link.operands.size()
            == size_t(is_binary_alg(link.alg)) + (link.alg == dnnl_binary_select) + link.is_scaled
                       + link.has_reciprocal());
    for (const post_op_operand_t &operand : link.operands)
        if (!lanes_io_t::can_convert(operand.type))
            return refused("the operand of a post-op is not f32, bf16, f16, f8, s32, s8 or u8");
    return accepted();
}

std::vector<post_op_operand_t> operands_of(const std::vector<post_op_link_t> &links) {
    std::vector<post_op_operand_t> operands;
    for (const post_op_link_t &link : links)
        operands.insert(operands.end(), link.operands.begin(), link.operands.end());
    return operands;
}

int post_op_temporaries(const std::vector<post_op_link_t> &links) {
    int most = 0;
    for (const post_op_link_t &link : links) {
        const int eltwise = link.is_derivative ? max_derivative_temporaries : max_math_temporaries;
        const int binary = static_cast<int>(link.operands.size()) + link.is_scaled + link.is_prelu
                           + max_binary_temporaries;
        most = std::max(most, link.operands.empty() ? eltwise : binary);
    }
    return most;
}

post_op_chain_t::post_op_chain_t(generator_t &g, lanes_io_t &io, std::vector<post_op_link_t> links)
    : g_(g)
    , io_(io)
    , links_(std::move(links)) {}

void post_op_chain_t::apply(const Xmm &value, int count, const operand_address_t &address,
        const held_post_op_operands_t &held, post_op_range_t range) const {
    const size_t all = operands_of(links_).size();
    size_t index = 0, number = 0;
    for (const post_op_link_t &link : links_) {
        if (!range.contains(number++)) {
            index += link.operands.size();
            continue;
        }
        std::deque<vec_t> loaded;
        std::vector<Xmm> operands;
        for (const post_op_operand_t &operand : link.operands) {
            const size_t i = index++;
            const vec_t *const first = held_at(held, i), *second = held_at(held, i + all);
            if (!first) loaded.push_back(load(operand, address(static_cast<int>(i)), count));
            operands.push_back(first ? **first : *loaded.back());
            if (second) operands.push_back(**second);
        }
        apply_link(link, value, operands);
    }
}

void post_op_chain_t::apply_to_pair(const Xmm &even, const Xmm &odd, int count,
        const bf16_pairs_t &pairs, const operand_address_t &address,
        const held_post_op_operands_t &held) const {
    size_t index = 0;
    const size_t all = operands_of(links_).size();
    for (const post_op_link_t &link : links_) {
        std::deque<vec_t> loaded;
        std::vector<Xmm> of_even, of_odd;
        for (const post_op_operand_t &operand : link.operands) {
            const size_t i = index++;
            if (const vec_t *const first = held_at(held, i)) {
                const vec_t *const second = held_at(held, i + all);
                const bool is_of_odd = second && operand.per_lane;
                of_even.push_back(**first);
                of_odd.push_back(is_of_odd ? **second : **first);
                if (second && !is_of_odd)
                    for (std::vector<Xmm> *operands : {&of_even, &of_odd})
                        operands->push_back(**second);
                continue;
            }
            of_even.push_back(*loaded.emplace_back(g_.vec("even operand")));
            of_odd.push_back(*loaded.emplace_back(g_.vec("odd operand")));
            const RegExp at = address(static_cast<int>(i));
            if (!operand.is_of_row()) {
                pairs.load(of_even.back(), of_odd.back(), at, count);
                continue;
            }
            load_operand(io_, of_odd.back(), operand, at, g_.lanes());
            if (operand.per_lane)
                pairs.repeat(of_even.back(), of_odd.back());
            else
                g_.vmovaps(g_.full(of_even.back()), g_.full(of_odd.back()));
        }
        apply_link(link, even, of_even);
        apply_link(link, odd, of_odd);
    }
}

void post_op_chain_t::apply_link(
        const post_op_link_t &link, const Xmm &value, const std::vector<Xmm> &operands) const {
    if (operands.empty()) {
        if (link.is_derivative) return derivative(g_, link.alg, link.alpha, link.beta, value);
        return eltwise(g_, link.alg, link.alpha, link.beta, value, link.rounded_to);
    }
    if (link.is_sum) {
        if (link.beta != 0) g_.vsubps(operands[0], operands[0], g_.constant(link.beta));
        return g_.vfmadd231ps(g_.full(value), operands[0], g_.constant(link.alpha));
    }
    if (link.is_by_scale && operands.size() > 1)
        return multiply_by_reciprocal(g_, g_.full(value), operands[0], operands[1]);
    std::optional<vec_t> scaled;
    if (link.is_scaled) {
        scaled.emplace(g_.vec("scaled operand"));
        g_.vmulps(*scaled, operands.front(), operands.back());
    }
    const Xmm &operand = scaled ? **scaled : operands.front();
    if (link.is_prelu) return prelu(g_, value, operand, link.is_derivative);
    const bool has_condition = link.alg == dnnl_binary_select;
    const numbers_t numbers{.x = link.is_of_numbers,
            .y = !link.is_scaled && contains(integer_types, link.operands.front().type)};
    binary(g_, link.alg, value, operand, has_condition ? &operands[1] : nullptr, numbers);
}

held_post_op_operands_t post_op_chain_t::hold(const function_ref_t<bool(size_t operand)> &is_held,
        const operand_address_t &address) const {
    constexpr int value = 1, of_store = 4;
    const int needed = value + std::max(post_op_temporaries(links_), of_store);
    held_post_op_operands_t held;
    for (const post_op_link_t &link : links_)
        for (const post_op_operand_t &operand : link.operands) {
            const size_t index = held.size();
            std::optional<vec_t> &loaded = held.emplace_back();
            const bool suits = !operand.per_lane && !link.is_sum && is_held(index);
            if (suits && g_.free_vecs() > needed)
                loaded.emplace(load(operand, address(static_cast<int>(index)), g_.lanes()));
        }
    return held;
}

void load_operand(lanes_io_t &io, const Xmm &to, const post_op_operand_t &operand, const RegExp &at,
        int count) {
    if (!operand.per_lane)
        io.load_broadcast(to, operand.type, at);
    else if (operand.is_strided())
        io.load_strided(to, operand.type, at,
                operand.stride * static_cast<dim_t>(data_type_size(operand.type)), count);
    else
        io.load(to, operand.type, at, count);
}

vec_t post_op_chain_t::load(const post_op_operand_t &operand, const RegExp &at, int count) const {
    vec_t vec = g_.vec("operand of a post-op");
    load_operand(io_, vec, operand, at, count);
    return vec;
}

} // namespace kiln::x64::jit
