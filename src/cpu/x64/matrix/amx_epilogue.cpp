// SPDX-License-Identifier: Apache-2.0
// The epilogue of results by AMX: a multiply-add, and what follows it.

#include <algorithm>
#include <optional>
#include <utility>

#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/matrix/amx_results.hpp"

namespace kiln::x64::matrix {

using Xbyak::Xmm;

void amx_results_t::apply_epilogue(const Xmm &x, int column, int count) {
    auto &of_columns = held_columns_[static_cast<size_t>(column / g_.lanes())].operands;
    const auto move = [&](auto &from, auto &to) {
        for (size_t i = 0; i < operands_.size(); ++i) {
            if (!operands_[i].per_lane || !from[i]) continue;
            to[i].emplace(std::move(*from[i]));
            from[i].reset();
        }
    };
    move(of_columns, held_);
    const auto apply = [&](post_op_range_t links) {
        epilogue_.apply(
                x, count, [&](int index) { return operand_at(static_cast<size_t>(index), column); },
                held_, links);
    };
    for (size_t link = 0; link < scaling_.end; ++link)
        if (scaling_.is_of_row(link)) apply({link, link + 1});
    if (scaling_.has_factors()) scale(x, column);
    const bool multiplies = multiplies_by_reciprocal();
    apply({scaling_.end, spec_.epilogue.size() - multiplies});
    if (multiplies) multiply_by_reciprocal(x, column);
    move(held_, of_columns);
}

/// Whether results of 8 bits end with a division by a scale, which one product replaces.
bool amx_results_t::multiplies_by_reciprocal() const {
    return data_type_size(spec_.dst_type) == 1 && scaling_.end < spec_.epilogue.size()
           && spec_.epilogue.back().has_reciprocal();
}

/// By the sum of the last link's operands, the reciprocal rounded to f32.
void amx_results_t::multiply_by_reciprocal(const Xmm &x, int column) {
    const size_t high = operands_.size() - 2, low = high + 1;
    if (held_[high]) return g_.vmulps(x, x, **held_[high]);
    const jit::vec_t reciprocal =
            epilogue_.load(operands_[high], operand_at(high, column), g_.lanes());
    g_.vaddps(*reciprocal, *reciprocal, g_.ptr_b[operand_at(low, column)]);
    g_.vmulps(x, x, *reciprocal);
}

/// Nothing but a multiply-add with values that all rows share, to s8.
bool amx_results_t::may_have_bounded_results() const {
    return spec_.are_integers && spec_.dst_type == dnnl_s8 && scaling_.has_factors()
           && scaling_.end == spec_.epilogue.size()
           && scaling_.factors.size() + scaling_.has_addends() == scaling_.end;
}

void amx_results_t::store_scaling(int columns) {
    std::optional<jit::lane_condition_t> exceeds;
    if (may_have_bounded_results()) exceeds.emplace(g_);
    for (int column = 0; column < columns; column += g_.lanes()) {
        const int count = std::min(g_.lanes(), columns - column);
        const auto apply = [&](const Xmm &x, size_t link) {
            epilogue_.apply(x, count,
                    [&](int index) { return operand_at(static_cast<size_t>(index), column); }, {},
                    {link, link + 1});
        };
        const jit::vec_t factors = g_.vec("factors"), addends = g_.vec("addends");
        g_.broadcast(factors, 1);
        g_.broadcast(addends, 0);
        if (scaling_.has_addends()) apply(addends, scaling_.addition);
        for (const size_t link : scaling_.factors) {
            apply(factors, link);
            if (scaling_.has_addends() && link > scaling_.addition) apply(addends, link);
        }
        g_.vmovups(factors_at(column), *factors);
        if (scaling_.has_addends()) g_.vmovups(addends_at(column), *addends);
        if (!exceeds) continue;
        // No sum of 32 bits has a result of a greater magnitude, rounded as this one is.
        constexpr uint32_t magnitude = 0x7fffffff;
        constexpr float limit = 0x1p31f;
        for (const jit::vec_t *values : {&factors, &addends})
            g_.vandps(**values, **values, g_.constant_bits(magnitude));
        g_.vfmadd132ps(*factors, *addends, g_.constant(limit));
        exceeds->add({g_, *factors, jit::comparison_t::not_lt, g_.constant(limit)});
    }
    if (!exceeds) return;
    Xbyak::Label end;
    g_.mov(field(offsetof(amx_results_args_t, are_bounded)), 1);
    exceeds->jump_if_none(end);
    g_.mov(field(offsetof(amx_results_args_t, are_bounded)), 0);
    g_.L(end);
}

void amx_results_t::scale(const Xmm &x, int column) {
    const held_columns_t &held = held_columns_[static_cast<size_t>(column / g_.lanes())];
    std::optional<jit::vec_t> loaded;
    if (!held.factors) {
        loaded.emplace(g_.vec("factors"));
        g_.vmovups(**loaded, factors_at(column));
    }
    const Xmm factors = loaded ? **loaded : **held.factors;
    if (!scaling_.has_addends()) return g_.vmulps(x, x, factors);
    if (held.addends) return g_.vfmadd213ps(x, factors, **held.addends);
    g_.vfmadd213ps(x, factors, addends_at(column));
}

} // namespace kiln::x64::matrix
