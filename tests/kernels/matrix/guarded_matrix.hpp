// SPDX-License-Identifier: Apache-2.0
// An operand of the kernels of matrix products between unmapped pages.
#pragma once

#include <cstring>

#include "cpu/x64/matrix/step.hpp"
#include "kernels/rows_buffer.hpp"

namespace kiln::x64::matrix::test {

using namespace kiln::test;

/// Elements of a step's packed operand are those of their type or, for step s16, integers of 16
/// bits.
class guarded_matrix_t : public x64::test::rows_buffer_t {
public:
    guarded_matrix_t(data_type_t type, step_t step, dim_t rows, dim_t columns, dim_t gap,
            placement_t placement)
        : rows_buffer_t(step == step_t::s16 ? dnnl_bf16 : type, rows, columns, gap, placement)
        , step_(step) {}

    float value(dim_t row, dim_t column) const {
        return step_ == step_t::s16 ? static_cast<int16_t>(code(row, column)) : get(row, column);
    }
    void set(dim_t row, dim_t column, float value) {
        if (step_ != step_t::s16) return rows_buffer_t::set(row, column, value);
        const auto integer = static_cast<int16_t>(value);
        std::memcpy(at(row, column), &integer, sizeof(integer));
    }

private:
    step_t step_;
};

} // namespace kiln::x64::matrix::test
