// SPDX-License-Identifier: Apache-2.0
#include "differential/operand.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "support/data_type.hpp"
#include "support/tensor.hpp"

namespace kiln::test::differential {
namespace {

constexpr std::byte mark{0xff}; // NaN in floating-point types

/// Offsets of the positions along one axis, relative to position 0.
std::vector<int64_t> offsets_along(const layout_t &layout, size_t axis) {
    dims_t index(layout.dims().size(), 0);
    const int64_t first = layout.offset(index);
    std::vector<int64_t> offsets;
    for (; index[axis] < layout.padded_dims()[axis]; ++index[axis])
        offsets.push_back(layout.offset(index) - first);
    return offsets;
}

/// Calls `visit(offset, is_element)` for all positions in row-major order.
template <typename visitor_t> void for_each_offset(const layout_t &layout, const visitor_t &visit) {
    const size_t ndims = layout.dims().size();
    std::vector<std::vector<int64_t>> along;
    for (size_t axis = 0; axis < ndims; ++axis) along.push_back(offsets_along(layout, axis));
    const int64_t first = layout.offset(dims_t(ndims, 0));
    const auto walk = [&](const auto &self, size_t axis, int64_t offset, bool is_element) -> void {
        if (axis == ndims) return visit(offset, is_element);
        for (size_t i = 0; i < along[axis].size(); ++i)
            self(self, axis + 1, offset + along[axis][i],
                    is_element && static_cast<int64_t>(i) < layout.dims()[axis]);
    };
    walk(walk, 0, first, true);
}

} // namespace

std::string place_text(const dims_t &dims, size_t element) {
    return index_text(index_at(dims, static_cast<int64_t>(element)));
}

operand_t::operand_t(int arg, std::string name, const_dnnl_memory_desc_t desc, regions_t &regions,
        random_t &random)
    : arg_(arg)
    , name_(std::move(name))
    , desc_(clone_desc(desc)) {
    const layout_t layout(desc_);
    type_ = layout.type();
    dims_ = layout.dims();
    has_halves_ = type_ == dnnl_s4 || type_ == dnnl_u4;
    size_ = has_halves_ ? 1 : size_of(type_);
    size_t bytes = 0;
    for_each_offset(layout, [&](int64_t offset, bool is_element) {
        const size_t place = static_cast<size_t>(offset) * size_;
        (is_element ? elements_ : padding_).push_back(place);
        bytes = std::max(bytes, place + size_);
    });
    has_sums_ = has_sums_behind(desc_, bytes);
    if (has_sums_) bytes = dnnl_memory_desc_get_size(desc_);
    place_ = regions.take(has_halves_ ? (bytes + 1) / 2 : bytes, random);
    std::fill(place_.begin, place_.end, mark);
    keep();
    require(dnnl_memory_create(memory_.out(), desc_, cpu_engine(), place_.data),
            "dnnl_memory_create");
}

void operand_t::put_half(size_t place, int code) const {
    const int shift = place % 2 == 0 ? 0 : 4; // the first element is the low half
    std::byte &byte = place_.data[place / 2];
    byte = (byte & std::byte(0xf0 >> shift)) | std::byte((code & 15) << shift);
}

int operand_t::half(size_t place) const {
    const int code = std::to_integer<int>(place_.data[place / 2]) >> (place % 2 * 4) & 15;
    return type_ == dnnl_s4 && code > 7 ? code - 16 : code;
}

void operand_t::fill(const std::vector<double> &values) {
    for (size_t i = 0; i < elements_.size(); ++i)
        has_halves_ ? put_half(elements_[i], static_cast<int>(values[i]))
                    : encode(type_, values[i], at(i));
    for (const size_t place : padding_)
        if (has_halves_)
            put_half(place, 0);
        else
            std::memset(place_.data + place, 0, size_);
    if (has_sums_) store_with_sums(memory_, values);
    keep();
}

void operand_t::copy(const operand_t &from) {
    std::copy(from.place_.data, from.place_.data + elements_.size() * size_, place_.data);
    keep();
}

std::vector<double> operand_t::values() const {
    std::vector<double> values(elements_.size());
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = has_halves_ ? half(elements_[i]) : decode(type_, at(i));
    return values;
}

std::vector<std::byte> operand_t::bits() const {
    std::vector<std::byte> bits;
    for (size_t i = 0; i < elements_.size(); ++i) bits.insert(bits.end(), at(i), at(i) + size_);
    return bits;
}

void operand_t::restore() { std::copy(image_.begin(), image_.end(), place_.begin); }

bool operand_t::is_unchanged() const {
    return std::equal(image_.begin(), image_.end(), place_.begin);
}

std::string operand_t::damage() const {
    std::vector<std::byte> expected = image_;
    std::byte *const data = expected.data() + (place_.data - place_.begin);
    for (const size_t place : elements_) std::copy_n(place_.data + place, size_, data + place);
    for (const size_t place : padding_) std::memset(data + place, 0, size_);
    const auto [wrong, found] = std::mismatch(expected.begin(), expected.end(), place_.begin);
    if (wrong == expected.end()) return "";
    const auto offset = found - place_.data;
    const bool is_padding = std::any_of(padding_.begin(), padding_.end(),
            [&](size_t place) { return static_cast<size_t>(offset) - place < size_; });
    return name_ + ": byte " + std::to_string(offset)
           + (is_padding ? " is padding, but not zero" : " is no element's, but was written");
}

} // namespace kiln::test::differential
