// SPDX-License-Identifier: Apache-2.0
// An operand of the kernels of matrix products between unmapped pages.
#pragma once

#include <algorithm>
#include <cstring>

#include "cpu/x64/matrix/step.hpp"
#include "support/marked_buffer.hpp"
#include "unit/jit/element_model.hpp"

namespace kiln::x64::matrix::test {

using namespace kiln::test;

/// Rows at a pitch. Its last byte, or its first one, is beside an unmapped page.
class guarded_matrix_t {
public:
    guarded_matrix_t(data_type_t type, step_t step, dim_t rows, dim_t columns, dim_t gap,
            placement_t placement)
        : type_(type)
        , step_(step)
        , size_(step == step_t::s16 ? 2 : model_size(type))
        , rows_(rows)
        , columns_(columns)
        , pitch_((columns + gap) * size_)
        , buffer_(static_cast<size_t>((rows - 1) * pitch_ + columns * size_), placement) {}

    std::byte *data() const { return buffer_.data(); }
    dim_t pitch() const { return pitch_; }
    dim_t columns() const { return columns_; }
    int element_size() const { return size_; }
    std::byte *at(dim_t row, dim_t column) const { return data() + row * pitch_ + column * size_; }
    uint32_t code(dim_t row, dim_t column) const { return read_code(at(row, column), 0, size_); }
    float get(dim_t row, dim_t column) const { return model_load(type_, code(row, column)); }
    /// The same for the step's elements, which may be integers of 16 bits.
    float value(dim_t row, dim_t column) const {
        return step_ == step_t::s16 ? static_cast<int16_t>(code(row, column)) : get(row, column);
    }
    void set(dim_t row, dim_t column, float value) {
        if (step_ == step_t::s16) {
            const auto integer = static_cast<int16_t>(value);
            std::memcpy(at(row, column), &integer, sizeof(integer));
        } else {
            write_code(at(row, column), 0, size_, model_store(type_, value));
        }
    }
    bool has_intact_gaps() const {
        if (!buffer_.slack_is_untouched()) return false;
        for (dim_t row = 0; row + 1 < rows_; ++row)
            if (std::any_of(at(row, columns_), at(row + 1, 0),
                        [](std::byte byte) { return byte != marked_buffer_t::mark; }))
                return false;
        return true;
    }

private:
    const data_type_t type_;
    const step_t step_;
    const int size_;
    const dim_t rows_, columns_, pitch_;
    const marked_buffer_t buffer_;
};

} // namespace kiln::x64::matrix::test
