// SPDX-License-Identifier: Apache-2.0
// Rows of elements in guarded memory.
#include "kernels/row_tensor.hpp"

#include <algorithm>
#include <cstring>

#include "support/data_type.hpp"

namespace kiln::x64::layer_normalization::test {

namespace {

constexpr auto canary = std::byte{0xff};

size_t bytes(data_type_t type, dim_t count) {
    return kiln::test::size_of(type) * static_cast<size_t>(count);
}

bool are_canaries(const std::byte *first, size_t count) {
    return std::all_of(first, first + count, [](std::byte value) { return value == canary; });
}

} // namespace

row_tensor_t::row_tensor_t(
        data_type_t type, dim_t rows, dim_t cols, dim_t pitch, placement_t placement)
    : type_(type)
    , rows_(rows)
    , cols_(cols)
    , pitch_(pitch)
    , buffer_(static_cast<size_t>((rows - 1) * pitch) + bytes(type, cols), placement) {
    std::memset(buffer_.data(), static_cast<int>(canary), buffer_.size());
    std::memset(buffer_.slack(), static_cast<int>(canary), buffer_.slack_size());
}

size_t row_tensor_t::row_size() const { return bytes(type_, cols_); }

void row_tensor_t::set(dim_t at, dim_t col, double value) {
    kiln::test::encode(type_, value, row(at) + bytes(type_, col));
}

double row_tensor_t::get(dim_t at, dim_t col) const {
    return kiln::test::decode(type_, row(at) + bytes(type_, col));
}

void row_tensor_t::fill(const std::vector<double> &values) {
    auto value = values.begin();
    for (dim_t at = 0; at < rows_; ++at)
        for (dim_t col = 0; col < cols_; ++col) set(at, col, *value++);
}

std::vector<std::byte> row_tensor_t::row_bits(dim_t at) const {
    return {row(at), row(at) + row_size()};
}

std::vector<std::byte> row_tensor_t::bits() const {
    std::vector<std::byte> all;
    for (dim_t at = 0; at < rows_; ++at) all.insert(all.end(), row(at), row(at) + row_size());
    return all;
}

bool row_tensor_t::has_intact_gaps() const {
    for (dim_t at = 0; at + 1 < rows_; ++at)
        if (!are_canaries(row(at) + row_size(), static_cast<size_t>(pitch_) - row_size()))
            return false;
    return are_canaries(buffer_.slack(), buffer_.slack_size());
}

} // namespace kiln::x64::layer_normalization::test
