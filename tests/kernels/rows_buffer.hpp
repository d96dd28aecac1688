// SPDX-License-Identifier: Apache-2.0
// The rows of a kernel's operand between unmapped pages, with marked gaps from row to row.
#pragma once

#include "support/marked_buffer.hpp"
#include "unit/element_model.hpp"

namespace kiln::x64::test {

class rows_buffer_t {
public:
    /// `rows` rows of `elements` elements, `gap` elements from the end of a row to the next.
    rows_buffer_t(dnnl_data_type_t type, int64_t rows, int64_t elements, int64_t gap,
            kiln::test::placement_t placement)
        : type_(type)
        , size_(kiln::test::model_size(type))
        , rows_(rows)
        , elements_(elements)
        , pitch_(elements + gap)
        , buffer_(static_cast<size_t>(((rows - 1) * pitch_ + elements) * size_), placement) {}

    void *data() const { return buffer_.data(); }
    /// Bytes from a row to the next.
    int64_t pitch() const { return pitch_ * size_; }

    uint32_t code(int64_t row, int64_t column) const {
        return kiln::test::read_code(data(), index(row, column), size_);
    }
    float get(int64_t row, int64_t column) const {
        return kiln::test::model_load(type_, code(row, column));
    }
    /// Stores the value as the type rounds it.
    void set(int64_t row, int64_t column, float value) {
        kiln::test::write_code(
                data(), index(row, column), size_, kiln::test::model_store(type_, value));
    }

    /// Whether nothing was written between rows and beside them.
    bool has_intact_gaps() const {
        if (!buffer_.slack_is_untouched()) return false;
        for (int64_t row = 0; row + 1 < rows_; ++row) {
            const std::byte *const gap = buffer_.data() + (row * pitch_ + elements_) * size_;
            if (std::any_of(gap, gap + (pitch_ - elements_) * size_,
                        [](std::byte byte) { return byte != kiln::test::marked_buffer_t::mark; }))
                return false;
        }
        return true;
    }

private:
    size_t index(int64_t row, int64_t column) const {
        return static_cast<size_t>(row * pitch_ + column);
    }

    dnnl_data_type_t type_;
    int size_;
    int64_t rows_, elements_, pitch_;
    kiln::test::marked_buffer_t buffer_;
};

} // namespace kiln::x64::test
