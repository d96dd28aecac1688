// SPDX-License-Identifier: Apache-2.0
// A tensor that the driver owns: a layout and bytes.
#include "common/tensor/tensor.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/command_line/text.hpp"
#include "common/tensor/data_type.hpp"

namespace benchdnn {

tensor_t::tensor_t(layout_t layout)
    : layout_(std::move(layout))
    , buffer_(layout_.bytes()) {
    const std::vector<layout_t::owner_t> owners = layout_.owners();
    for (size_t slot = 0; slot < owners.size(); ++slot)
        if (owners[slot] == layout_t::owner_t::padding)
            store_element(layout_.data_type(), data(), static_cast<int64_t>(slot), 0.0);
}

void tensor_t::load_span(dim_t row, dim_t first, dim_t count, double *values) const {
    const dim_t begin = layout_.row_offset(row);
    const int last = layout_.ndims() - 1;
    if (layout_.has_plain_cols()) {
        const dim_t stride = layout_.col_stride();
        load_strided(layout_.data_type(), data(), begin + first * stride, stride, count, values);
        return;
    }
    for (dim_t i = 0; i < count; ++i)
        values[i] = load_element(
                layout_.data_type(), data(), begin + layout_.axis_offset(last, first + i));
}

void tensor_t::store_span(dim_t row, dim_t first, dim_t count, const double *values) {
    const dim_t begin = layout_.row_offset(row);
    const int last = layout_.ndims() - 1;
    if (layout_.has_plain_cols()) {
        const dim_t stride = layout_.col_stride();
        store_strided(layout_.data_type(), data(), begin + first * stride, stride, count, values);
        return;
    }
    for (dim_t i = 0; i < count; ++i)
        store_element(layout_.data_type(), data(), begin + layout_.axis_offset(last, first + i),
                values[i]);
}

dim_t tensor_t::offset_of(dim_t index) const {
    const dim_t row_offset = layout_.row_offset(index / cols());
    return row_offset + layout_.axis_offset(layout_.ndims() - 1, index % cols());
}

double tensor_t::load(dim_t index) const { return load_as(layout_.data_type(), index); }

void tensor_t::store(dim_t index, double value) { store_as(layout_.data_type(), index, value); }

double tensor_t::load_as(dnnl_data_type_t type, dim_t index) const {
    return load_element(type, data(), offset_of(index));
}

void tensor_t::store_as(dnnl_data_type_t type, dim_t index, double value) {
    store_element(type, data(), offset_of(index), value);
}

tensor_t tensor_t::copy() const {
    tensor_t other;
    other.layout_ = layout_;
    other.buffer_ = buffer_t(buffer_.bytes());
    std::memcpy(other.data(), data(), buffer_.bytes());
    return other;
}

void tensor_t::assign(const tensor_t &other) { std::memcpy(data(), other.data(), buffer_.bytes()); }

void tensor_t::spoil() { std::memset(data(), buffer_t::garbage, buffer_.bytes()); }

bool tensor_t::has_bits(size_t slot, unsigned char byte) const {
    const dnnl_data_type_t type = layout_.data_type();
    if (is_half_byte(type)) {
        const unsigned half = slot % 2 == 0 ? 0x0f : 0xf0;
        return (data()[slot / 2] & half) == (byte & half);
    }
    const size_t size = data_type_size(type);
    const unsigned char *begin = data() + slot * size;
    return std::all_of(begin, begin + size, [=](unsigned char got) { return got == byte; });
}

std::string tensor_t::damage() const {
    if (!buffer_.slack_intact()) return "bytes before or after the buffer were written";
    const std::vector<layout_t::owner_t> owners = layout_.owners();
    for (size_t slot = 0; slot < owners.size(); ++slot) {
        if (owners[slot] == layout_t::owner_t::tensor) continue;
        const bool is_padding = owners[slot] == layout_t::owner_t::padding;
        if (has_bits(slot, is_padding ? 0 : buffer_t::garbage)) continue;
        return formatted(is_padding ? "padding at offset %zu is not zero"
                                    : "the gap at offset %zu was written",
                slot);
    }
    return "";
}

} // namespace benchdnn
