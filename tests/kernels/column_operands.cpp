// SPDX-License-Identifier: Apache-2.0
// The operands of a kernel on columns, between unmapped pages.
#include "kernels/column_operands.hpp"

#include <algorithm>

#include "cpu/x64/store_policy.hpp"
#include "kernels/row_model.hpp"
#include "support/data_type.hpp"
#include "support/random_values.hpp"

namespace kiln::x64::layer_normalization::test {

row_tensor_t &column_operands_t::add(
        size_t operand, data_type_t type, dim_t steps, dim_t columns, dim_t gap, bool is_aligned) {
    dim_t pitch = static_cast<dim_t>(kiln::test::size_of(type)) * (columns + gap);
    if (is_aligned) {
        const auto alignment = static_cast<dim_t>(non_temporal_alignment(call_.isa, type));
        pitch = (pitch + alignment - 1) / alignment * alignment;
    }
    types_[operand] = {type, steps == 1 ? 0 : pitch};
    return tensors_[operand].emplace(type, steps, columns, pitch, call_.placement);
}

std::vector<double> column_operands_t::add_random(size_t operand, data_type_t type, dim_t steps,
        dim_t columns, dim_t gap, double low, double high) {
    kiln::test::random_values_t random(call_.seed + 100 * operand);
    return fill(
            add(operand, type, steps, columns, gap), type, random.many(steps * columns, low, high));
}

void column_operands_t::spoil(size_t operand, std::vector<double> &values, dim_t column) {
    if (column < 0) return;
    values[static_cast<size_t>(column)] = kiln::test::full_nan;
    tensors_[operand]->set(0, column, values[static_cast<size_t>(column)]);
}

column_args_t column_operands_t::args(size_t stepped, dim_t first, dim_t count) const {
    column_args_t args{};
    for (size_t i = 0; i < tensors_.size(); ++i)
        if (tensors_[i]) {
            const auto size = static_cast<dim_t>(kiln::test::size_of(types_[i].type));
            args.operands[i] = tensors_[i]->data() + (is_shared_[i] ? 0 : first * size);
        }
    for (size_t i = 0; i < stepped; ++i) {
        args.spans[i] = types_[i].pitch * call_.steps;
    }
    args.columns = count;
    args.non_temporal = call_.non_temporal;
    return args;
}

bool column_operands_t::have_intact_gaps() const {
    return std::all_of(tensors_.begin(), tensors_.end(),
            [](const auto &tensor) { return !tensor || tensor->has_intact_gaps(); });
}

} // namespace kiln::x64::layer_normalization::test
