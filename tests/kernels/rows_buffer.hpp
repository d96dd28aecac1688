// SPDX-License-Identifier: Apache-2.0
// The rows of a kernel's operand between unmapped pages, with marked gaps from row to row.
#pragma once

#include "unit/jit/element_model.hpp"
#include "unit/jit/marked_buffer.hpp"

namespace kiln::x64::test {

using kiln::test::marked_buffer_t;
using kiln::test::placement_t;

/// Places of `size` bytes in rows that are `pitch` bytes apart. It knows no types.
class marked_rows_t {
public:
    /// `stride`: elements from one of a row to the next.
    marked_rows_t(int size, int64_t rows, int64_t columns, int64_t pitch, placement_t placement,
            int64_t stride = 1, std::byte mark = marked_buffer_t::mark)
        : size_(size)
        , rows_(rows)
        , columns_(columns)
        , pitch_(pitch)
        , stride_(stride)
        , buffer_(static_cast<size_t>((rows - 1) * pitch + ((columns - 1) * stride + 1) * size),
                  placement, mark) {}

    std::byte *data() const { return buffer_.data(); }
    std::byte *at(int64_t row, int64_t column) const {
        return data() + row * pitch_ + column * stride_ * size_;
    }
    int64_t rows() const { return rows_; }
    int64_t columns() const { return columns_; }
    int64_t pitch() const { return pitch_; }
    int element_size() const { return size_; }

    /// Whether nothing was written between rows, between elements and beside them.
    bool has_intact_gaps() const {
        for (int64_t row = 0; row < rows_; ++row) {
            for (int64_t i = 0; stride_ > 1 && i + 1 < columns_; ++i)
                if (!buffer_.is_untouched(end_of(row, i), at(row, i + 1))) return false;
            if (row + 1 < rows_ && !buffer_.is_untouched(end_of(row, columns_ - 1), at(row + 1, 0)))
                return false;
        }
        return buffer_.slack_is_untouched();
    }

protected:
    std::byte *end_of(int64_t row, int64_t column) const { return at(row, column) + size_; }

private:
    int size_;
    int64_t rows_, columns_, pitch_, stride_;
    marked_buffer_t buffer_;
};

/// Elements as floats and as bits.
class rows_buffer_t : public marked_rows_t {
public:
    /// `gap`: elements from the end of a row to the next.
    rows_buffer_t(dnnl_data_type_t type, int64_t rows, int64_t columns, int64_t gap,
            placement_t placement, int64_t stride = 1)
        : marked_rows_t(kiln::test::model_size(type), rows, columns,
                ((columns - 1) * stride + 1 + gap) * kiln::test::model_size(type), placement,
                stride)
        , type_(type) {}

    uint32_t code(int64_t row, int64_t column) const {
        return kiln::test::read_code(at(row, column), 0, element_size());
    }
    float get(int64_t row, int64_t column) const {
        return kiln::test::model_load(type_, code(row, column));
    }
    /// Stores the value as the type rounds it.
    void set(int64_t row, int64_t column, float value) {
        kiln::test::write_code(
                at(row, column), 0, element_size(), kiln::test::model_store(type_, value));
    }

private:
    dnnl_data_type_t type_;
};

} // namespace kiln::x64::test
