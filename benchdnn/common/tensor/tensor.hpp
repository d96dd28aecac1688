// SPDX-License-Identifier: Apache-2.0
// A tensor that the driver owns: a layout and bytes. Elements are read and written with the
// driver's own address arithmetic and conversions.
#pragma once

#include <string>

#include "common/tensor/buffer.hpp"
#include "common/tensor/layout.hpp"

namespace benchdnn {

class tensor_t {
public:
    tensor_t() = default;
    // Elements hold garbage and padding holds zeros, as the interface requires of blocked inputs.
    explicit tensor_t(layout_t layout);

    const layout_t &layout() const { return layout_; }
    const buffer_t &buffer() const { return buffer_; }
    unsigned char *data() const { return buffer_.data(); }
    dim_t rows() const { return layout_.rows(); }
    dim_t cols() const { return layout_.cols(); }

    void load_row(dim_t row, double *values) const { load_span(row, 0, cols(), values); }
    void store_row(dim_t row, const double *values) { store_span(row, 0, cols(), values); }
    // A part of a row.
    void load_span(dim_t row, dim_t first, dim_t count, double *values) const;
    void store_span(dim_t row, dim_t first, dim_t count, const double *values);
    // One element; the index counts positions, last axis fastest.
    double load(dim_t index) const;
    void store(dim_t index, double value);
    // Its bytes as an element of another type of the same size.
    double load_as(dnnl_data_type_t type, dim_t index) const;
    void store_as(dnnl_data_type_t type, dim_t index, double value);

    // A tensor with the same layout and the same bytes in another buffer.
    tensor_t copy() const;
    // Fills elements and padding with garbage, so that the library has to write the zeros of the
    // padding.
    void spoil();
    // Copies the bytes of another tensor of the same layout.
    void assign(const tensor_t &other);
    // Moves the buffer to the other end of its pages; data() changes.
    void move_to(placement_t placement) { buffer_.move_to(placement); }

    // What was written outside the tensor's elements, or "" if nothing was.
    std::string damage() const;

private:
    dim_t offset_of(dim_t index) const;
    // Whether the element at an offset consists of such bytes.
    bool has_bits(size_t slot, unsigned char byte) const;

    layout_t layout_;
    buffer_t buffer_;
};

} // namespace benchdnn
