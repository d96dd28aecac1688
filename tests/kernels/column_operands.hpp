// SPDX-License-Identifier: Apache-2.0
// The operands of a kernel on columns, between unmapped pages.
#pragma once

#include <optional>
#include <vector>

#include "cpu/x64/columns/column_kernel.hpp"
#include "kernels/row_tensor.hpp"

namespace kiln::x64::layer_normalization::test {

/// What a test asks of all operands of a call.
struct column_call_t {
    isa_t isa = isa_t::avx2;
    dim_t steps = 1;
    placement_t placement = placement_t::ends_at_guard;
    uint64_t seed = 1;
    bool non_temporal = false; // outputs are aligned for it
};

/// A kernel's operands by index: a tensor for each, absent ones apart. Rows of a tensor are the
/// steps of a column.
class column_operands_t {
public:
    column_operands_t(const column_call_t &call, size_t count)
        : call_(call)
        , tensors_(count)
        , types_(count)
        , is_shared_(count) {}

    /// An operand with elements for each step (or one step), for each column (or one).
    row_tensor_t &add(size_t operand, data_type_t type, dim_t steps, dim_t columns, dim_t gap,
            bool is_aligned = false);
    /// The same with random values in [low, high), as the type rounds them.
    std::vector<double> add_random(size_t operand, data_type_t type, dim_t steps, dim_t columns,
            dim_t gap, double low, double high);

    /// Replaces the first element of a column, if there is one, in the operand and in its values.
    void spoil(size_t operand, std::vector<double> &values, dim_t column);
    /// Says that the operand has one element for all columns.
    void share(size_t operand) { is_shared_[operand] = true; }
    /// So many random values that all columns share.
    std::vector<double> add_shared(
            size_t operand, data_type_t type, dim_t count, double low, double high) {
        share(operand);
        return add_random(operand, type, 1, count, 0, low, high);
    }

    row_tensor_t &operator[](size_t operand) { return *tensors_[operand]; }
    /// For the spec.
    const std::vector<row_operand_t> &types() const { return types_; }
    /// Arguments for `count` columns from `first` on.
    column_args_t args(size_t stepped, dim_t first, dim_t count) const;
    bool have_intact_gaps() const;

private:
    const column_call_t call_;
    std::vector<std::optional<row_tensor_t>> tensors_;
    std::vector<row_operand_t> types_; // pitch: bytes from a step to the next
    std::vector<bool> is_shared_;
};

} // namespace kiln::x64::layer_normalization::test
