// SPDX-License-Identifier: Apache-2.0
// The rows of a kernel's operand between unmapped pages, with marked gaps from row to row.
#pragma once

#include "support/marked_buffer.hpp"
#include "unit/jit/element_model.hpp"

namespace kiln::x64::test {

class rows_buffer_t {
public:
    /// `rows` rows of `elements` elements, `stride` elements from one to the next and `gap`
    /// elements from the end of a row to the next.
    rows_buffer_t(dnnl_data_type_t type, int64_t rows, int64_t elements, int64_t gap,
            kiln::test::placement_t placement, int64_t stride = 1)
        : type_(type)
        , size_(kiln::test::model_size(type))
        , rows_(rows)
        , elements_(elements)
        , stride_(stride)
        , length_((elements - 1) * stride + 1)
        , pitch_(length_ + gap)
        , buffer_(static_cast<size_t>(((rows - 1) * pitch_ + length_) * size_), placement) {}

    void *data() const { return buffer_.data(); }
    int64_t rows() const { return rows_; }
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

    /// Whether nothing was written between rows, between elements and beside them.
    bool has_intact_gaps() const {
        if (!buffer_.slack_is_untouched()) return false;
        for (int64_t row = 0; row < rows_; ++row) {
            for (int64_t i = 0; stride_ > 1 && i + 1 < elements_; ++i)
                if (!is_marked(row * pitch_ + i * stride_ + 1, stride_ - 1)) return false;
            if (row + 1 < rows_ && !is_marked(row * pitch_ + length_, pitch_ - length_))
                return false;
        }
        return true;
    }

private:
    size_t index(int64_t row, int64_t column) const {
        return static_cast<size_t>(row * pitch_ + column * stride_);
    }
    /// Whether so many elements from there on are as they were marked.
    bool is_marked(int64_t first, int64_t count) const {
        const std::byte *const gap = buffer_.data() + first * size_;
        return std::all_of(gap, gap + count * size_,
                [](std::byte byte) { return byte == kiln::test::marked_buffer_t::mark; });
    }

    dnnl_data_type_t type_;
    int size_;
    int64_t rows_, elements_, stride_;
    int64_t length_; // of a row, from its first element to its last
    int64_t pitch_;
    kiln::test::marked_buffer_t buffer_;
};

} // namespace kiln::x64::test
