// SPDX-License-Identifier: Apache-2.0
#include "differential/chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/data_type.hpp"
#include "support/post_op_functions.hpp"
#include "support/post_op_lists.hpp"

namespace kiln::test::differential {
namespace {

constexpr dnnl_data_type_t operand_types[] = {
        dnnl_f32, dnnl_f32, dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s32, dnnl_s8, dnnl_u8};

/// The element of an operand, which is broadcast along its axes of one element, for each of dst.
std::vector<uint32_t> broadcast_indices(const dims_t &dst_dims, const dims_t &dims) {
    std::vector<uint32_t> indices;
    indices.reserve(static_cast<size_t>(volume(dst_dims)));
    const auto walk = [&](const auto &self, size_t axis, int64_t index) -> void {
        if (axis == dims.size()) return indices.push_back(static_cast<uint32_t>(index));
        for (int64_t i = 0; i < dst_dims[axis]; ++i)
            self(self, axis + 1, index * dims[axis] + (dims[axis] == 1 ? 0 : i));
    };
    walk(walk, 0, 0);
    return indices;
}

/// Values to multiply or compare with: not near 0, of the size of a few units.
std::vector<double> operand_values(random_t &random, const operand_t &operand) {
    std::vector<double> values(operand.elements());
    for (double &value : values) {
        value = random.between(0.5, 3.5);
        if (is_integer(operand.type())) value = std::round(value);
        if (operand.type() != dnnl_u8 && random.chance(0.5)) value = -value;
    }
    return values;
}

bool needs_positive(dnnl_alg_kind_t alg) {
    return alg == dnnl_eltwise_sqrt || alg == dnnl_eltwise_sqrt_use_dst_for_bwd
           || alg == dnnl_eltwise_log || alg == dnnl_eltwise_pow;
}

/// Beyond this, f32 may overflow on the way where the truth does not.
bool is_ordinary(const interval_t &value) {
    constexpr long double most = 1e18L;
    return std::fabs(value.low) < most && std::fabs(value.high) < most
           && std::fabs(value.value) < most;
}

/// The values of a function on an interval, from some of its points and 0, where functions turn.
/// Unknown on a wide interval: the function may turn between the points.
interval_t apply_eltwise(dnnl_alg_kind_t alg, float alpha, float beta, const interval_t &x) {
    if (needs_positive(alg) && !(x.low > 1e-6L)) return anything();
    interval_t result = eltwise(alg, alpha, beta, x);
    if (x.high - x.low < 1e-5L * (1 + std::fabs(x.value)) && x.low * x.high > 0) return result;
    if (x.high - x.low > 0.1L) return anything();
    const auto include = [&](long double at) {
        const interval_t there = eltwise(alg, alpha, beta, interval_t::exactly(at));
        result.low = std::min(result.low, there.low);
        result.high = std::max(result.high, there.high);
    };
    for (const long double part : {0.2L, 0.4L, 0.6L, 0.8L})
        include(x.low + part * (x.high - x.low));
    if (x.low < 0 && x.high > 0) include(0);
    return result.widened((x.high - x.low) * 0.05L);
}

interval_t apply_binary(dnnl_alg_kind_t alg, const interval_t &x, double y) {
    const bool may_equal = x.low <= y && y <= x.high && x.low < x.high;
    if ((alg == dnnl_binary_eq || alg == dnnl_binary_ne) && may_equal) return {0, 0, 1};
    return binary(alg, x, static_cast<long double>(y));
}

/// x + scale * (y - zero_point); y, which may be f64, is rounded to f32.
interval_t apply_sum(const interval_t &x, float scale, double y, float zero_point) {
    const auto before = static_cast<long double>(y);
    const long double added = scale * (before - zero_point);
    const auto sum = x.map([&](long double v) { return v + added; });
    return sum.widened(unit_roundoff(dnnl_f32)
                       * (sum.size() + 2 * std::fabs(added) + std::fabs(scale * before)));
}

} // namespace

interval_t anything() {
    constexpr auto infinity = std::numeric_limits<long double>::infinity();
    return {-infinity, 0, infinity};
}

bool is_anything(const interval_t &value) { return std::isinf(value.high - value.low); }

chain_t::chain_t(random_t &random, const dims_t &dst_dims, dnnl_data_type_t dst_type,
        const chain_rules_t &rules)
    : dst_dims_(dst_dims)
    , dst_type_(dst_type) {
    if (!random.chance(0.35)) return;
    if (rules.may_be_eltwise && is_integer(dst_type)
            && random.chance(0.7)) // integers are large arguments for exp
        links_.push_back({.alg = dnnl_eltwise_linear, .alpha = 0.0625f, .beta = 0.5f});
    for (int64_t count = 1 + random.below(3); count > 0; --count)
        links_.push_back(random_link(random, rules));
}

chain_t::link_t chain_t::random_link(random_t &random, const chain_rules_t &rules) const {
    if (rules.may_sum && random.chance(0.25)) {
        const float zero_point = random.chance(0.3) ? static_cast<float>(random.below(7)) - 3 : 0;
        return {.alpha = random.pick({1.f, 0.5f, -0.75f, 0.f}), .beta = zero_point};
    }
    if (rules.may_be_eltwise && (!rules.may_be_binary || random.chance(0.5))) {
        const post_op_t &op = eltwise_ops()[static_cast<size_t>(
                random.below(static_cast<int64_t>(eltwise_ops().size())))];
        return {.alg = op.alg, .alpha = op.alpha, .beta = op.beta};
    }
    link_t link{.alg = random.pick(binary_algs())};
    link.src1 = random_operand(random, random.pick(operand_types), rules);
    if (link.alg == dnnl_binary_select) link.condition = random_operand(random, dnnl_s8, rules);
    return link;
}

memory_desc_handle_t chain_t::random_operand(
        random_t &random, dnnl_data_type_t type, const chain_rules_t &rules) const {
    dims_t dims = dst_dims_;
    const double kind = random.between(0, 1);
    for (size_t axis = 0; axis < dims.size(); ++axis) {
        const bool is_kept = kind < 0.2 ? false : kind < 0.5 ? axis == 1 : random.chance(0.6);
        if (!is_kept) dims[axis] = 1;
    }
    return random_layout(
            random, dims, type, {.style = rules.style, .may_be_open = true, .may_repeat = true});
}

bool chain_t::has_sum() const {
    return std::any_of(links_.begin(), links_.end(),
            [](const link_t &link) { return link.is_sum() && link.alpha != 0; });
}

std::string chain_t::text() const {
    std::string text;
    for (const link_t &link : links_) {
        text += link.is_sum() ? " sum" : std::string(" ") + dnnl_alg_kind2str(link.alg);
        if (!link.is_binary())
            text += "(" + std::to_string(link.alpha) + ", " + std::to_string(link.beta) + ")";
    }
    return text;
}

void chain_t::set(dnnl_primitive_attr_t attr) const {
    if (links_.empty()) return;
    post_ops_handle_t post_ops;
    require(dnnl_post_ops_create(post_ops.out()), "dnnl_post_ops_create");
    for (const link_t &link : links_) {
        dnnl_status_t status = dnnl_success;
        if (link.is_sum())
            status = dnnl_post_ops_append_sum(
                    post_ops, link.alpha, static_cast<int32_t>(link.beta), dnnl_data_type_undef);
        else if (!link.is_binary())
            status = dnnl_post_ops_append_eltwise(post_ops, link.alg, link.alpha, link.beta);
        else if (link.condition != nullptr)
            status = dnnl_post_ops_append_binary_v2(post_ops, link.alg, link.src1, link.condition);
        else
            status = dnnl_post_ops_append_binary(post_ops, link.alg, link.src1);
        require(status, "appending a post-op");
    }
    require(dnnl_primitive_attr_set_post_ops(attr, post_ops), "dnnl_primitive_attr_set_post_ops");
}

void chain_t::add_operands(std::deque<operand_t> &operands, const_dnnl_primitive_desc_t pd,
        regions_t &regions, random_t &random) {
    for (size_t i = 0; i < links_.size(); ++i) {
        link_t &link = links_[i];
        if (!link.is_binary()) continue;
        const int base = DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(i));
        const auto add = [&](int role) -> operand_t & {
            const auto *desc =
                    dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, base | role);
            return operands.emplace_back(
                    base | role, "operand of post-op " + std::to_string(i), desc, regions, random);
        };
        operand_t &src1 = add(DNNL_ARG_SRC_1);
        src1.fill(operand_values(random, src1));
        link.src1_operand = &src1;
        if (link.condition == nullptr) continue;
        operand_t &condition = add(DNNL_ARG_SRC_2);
        std::vector<double> conditions(condition.elements());
        for (double &value : conditions) value = static_cast<double>(random.below(3));
        condition.fill(conditions);
        link.condition_operand = &condition;
    }
}

void chain_t::apply(std::vector<interval_t> &values, const std::vector<double> &before) const {
    if (links_.empty()) return;
    for (interval_t &value : values) // post-ops compute in f32, whatever came before
        value = is_ordinary(value) ? value.widened(unit_roundoff(dnnl_f32) * value.size())
                                   : anything();
    // A sum whose scale is 0 computes nothing.
    const auto computes = [](const link_t &link) { return !link.is_sum() || link.alpha != 0; };
    const auto found = std::find_if(links_.rbegin(), links_.rend(), computes);
    const link_t *const last = found == links_.rend() ? nullptr : &*found;
    for (const link_t &link : links_) {
        std::vector<double> src1, condition;
        std::vector<uint32_t> src1_index, condition_index;
        if (link.is_binary()) {
            src1 = link.src1_operand->values();
            src1_index = broadcast_indices(dst_dims_, link.src1_operand->dims());
        }
        if (link.condition_operand) {
            condition = link.condition_operand->values();
            condition_index = broadcast_indices(dst_dims_, link.condition_operand->dims());
        }
        for (size_t i = 0; i < values.size(); ++i) {
            interval_t &value = values[i];
            if (link.condition_operand) {
                if (condition[condition_index[i]] == 0)
                    value = interval_t::exactly(src1[src1_index[i]]);
            } else if (is_anything(value)) {
                continue;
            } else if (link.is_binary()) {
                value = apply_binary(link.alg, value, src1[src1_index[i]]);
            } else if (!link.is_sum()) {
                value = apply_eltwise(link.alg, link.alpha, link.beta, value);
                if (&link == last) value = before_rounding(value, link.alg, dst_type_);
            } else if (link.alpha != 0) {
                value = apply_sum(value, link.alpha, before[i], link.beta);
            }
            if (!is_ordinary(value)) value = anything();
        }
    }
}

} // namespace kiln::test::differential
