// SPDX-License-Identifier: Apache-2.0
// Elements, padding and gaps of a tensor in its buffer.
#include "support/tensor.hpp"

#include <algorithm>
#include <cstring>

#include "support/arguments.hpp"

namespace kiln::test {

namespace {

constexpr std::byte mark_byte{0xff};

constexpr size_t sparse_size = size_t(1) << 30;

size_t bytes_of(const layout_t &layout) {
    const auto count = static_cast<size_t>(layout.span());
    return is_half_byte(layout.type()) ? (count + 1) / 2 : count * size_of(layout.type());
}

/// The place of the first byte that is no mark; the number of bytes if all are.
size_t first_written(std::span<const std::byte> bytes) {
    const bool all_are_marks =
            bytes.empty()
            || (bytes[0] == mark_byte
                    && !std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1));
    if (all_are_marks) return bytes.size();
    const auto is_written = [](std::byte byte) { return byte != mark_byte; };
    return static_cast<size_t>(std::ranges::find_if(bytes, is_written) - bytes.begin());
}

} // namespace

std::string index_text(const dims_t &index) {
    std::string text;
    for (const auto position : index) text += (text.empty() ? "[" : ",") + std::to_string(position);
    return text + "]";
}

bool has_sums_behind(const_dnnl_memory_desc_t desc, size_t bytes) {
    int blocks = 0;
    return dnnl_memory_desc_query(desc, dnnl_query_inner_nblks_s32, &blocks) == dnnl_success
           && blocks != 0 && dnnl_memory_desc_get_size(desc) > bytes;
}

void store_with_sums(dnnl_memory_t weights, const std::vector<double> &values) {
    const_dnnl_memory_desc_t desc;
    require(dnnl_memory_get_memory_desc(weights, &desc), "dnnl_memory_get_memory_desc");
    const layout_t layout(desc);
    dims_t strides(layout.dims().size(), 1);
    for (size_t axis = strides.size() - 1; axis > 0; --axis)
        strides[axis - 1] = strides[axis] * layout.dims()[axis];
    tensor_t row_major(make_desc(layout.dims(), layout.type(), strides));
    row_major.fill(values);
    primitive_desc_handle_t reorder;
    require(dnnl_reorder_primitive_desc_create(
                    reorder.out(), row_major.desc(), cpu_engine(), desc, cpu_engine(), nullptr),
            "dnnl_reorder_primitive_desc_create");
    require(arguments_t()
                    .add(DNNL_ARG_FROM, row_major.memory())
                    .add(DNNL_ARG_TO, weights)
                    .execute(make_primitive(reorder)),
            "the reorder to weights with sums behind them");
}

tensor_t::tensor_t(const_dnnl_memory_desc_t desc, placement_t placement)
    : desc_(clone_desc(desc))
    , layout_(desc_)
    , size_(size_of(layout_.type()))
    , is_half_byte_(is_half_byte(layout_.type()))
    , is_sparse_(bytes_of(layout_) > sparse_size)
    , is_row_major_(layout_.is_row_major())
    , offsets_(is_row_major_ ? std::vector<int64_t>() : layout_.offsets())
    , has_sums_(has_sums_behind(desc_, bytes_of(layout_)))
    , buffer_(has_sums_ ? dnnl_memory_desc_get_size(desc_) : bytes_of(layout_), placement,
              is_sparse_ ? pages_t::closed : pages_t::open) {
    if (is_sparse_) for_each_offset([&](int64_t offset) { buffer_.open(byte_of(offset), size_); });
    require(dnnl_memory_create(memory_.out(), desc_, cpu_engine(), buffer_.data()),
            "dnnl_memory_create");
    mark();
}

bool tensor_t::is_dense() const {
    return layout_.padded_dims() == dims() && buffer_.size() == byte_of(elements());
}

void tensor_t::store(int64_t offset, double value) {
    std::byte *const at = buffer_.data() + byte_of(offset);
    is_half_byte_ ? encode_half(type(), value, at, offset % 2 != 0) : encode(type(), value, at);
}

double tensor_t::load(int64_t offset) const {
    const std::byte *const at = buffer_.data() + byte_of(offset);
    return is_half_byte_ ? decode_half(type(), at, offset % 2 != 0) : decode(type(), at);
}

template <typename visitor_t> void tensor_t::for_each_offset(visitor_t visit) const {
    if (is_row_major_)
        for (int64_t offset = 0, end = elements(); offset < end; ++offset) visit(offset);
    else
        for (const int64_t offset : offsets_) visit(offset);
}

template <typename visitor_t> void tensor_t::for_each_padding(visitor_t visit) const {
    const dims_t &padded = layout_.padded_dims();
    if (padded == dims()) return;
    for_each_index(padded, [&](const dims_t &index) {
        bool is_element = true;
        for (size_t axis = 0; axis < index.size(); ++axis)
            is_element = is_element && index[axis] < dims()[axis];
        if (!is_element) visit(index);
    });
}

void tensor_t::mark() {
    if (is_sparse_) {
        for_each_offset([&](int64_t offset) {
            std::fill_n(buffer_.data() + byte_of(offset), size_, mark_byte);
        });
        return;
    }
    std::fill_n(buffer_.data(), buffer_.size(), mark_byte);
    std::fill_n(buffer_.slack(), buffer_.slack_size(), mark_byte);
}

void tensor_t::mark_padding() {
    for_each_padding([&](const dims_t &index) {
        std::fill_n(buffer_.data() + byte_of(layout_.offset(index)), size_, mark_byte);
    });
}

void tensor_t::fill(const std::vector<double> &values) {
    if (static_cast<int64_t>(values.size()) != elements())
        throw std::logic_error("a tensor is filled with another number of values");
    auto value = values.begin();
    for_each_offset([&](int64_t offset) { store(offset, *value++); });
    for_each_padding([&](const dims_t &index) { store(layout_.offset(index), 0); });
    if (has_sums_) store_with_sums(memory_, values);
}

std::vector<double> tensor_t::values() const {
    std::vector<double> result;
    result.reserve(static_cast<size_t>(elements()));
    for_each_offset([&](int64_t offset) { result.push_back(load(offset)); });
    return result;
}

double tensor_t::value(const dims_t &index) const { return load(layout_.offset(index)); }

std::vector<std::byte> tensor_t::bits() const {
    const std::byte *const from = buffer_.data();
    if (has_bytes_in_order()) return {from, from + byte_of(elements())};
    std::vector<std::byte> result(static_cast<size_t>(elements()) * size_);
    std::byte *to = result.data();
    for_each_offset([&](int64_t offset) { to = std::copy_n(from + byte_of(offset), size_, to); });
    return result;
}

bool tensor_t::has_bits(const std::vector<std::byte> &bits) const {
    if (!has_bytes_in_order()) return this->bits() == bits;
    return bits.size() == byte_of(elements())
           && (bits.empty() || !std::memcmp(buffer_.data(), bits.data(), bits.size()));
}

testing::AssertionResult tensor_t::is_tidy() const {
    if (is_sparse_) return testing::AssertionSuccess(); // its gaps are not even mapped
    // What is left when elements and padding are marks again.
    std::vector<std::byte> rest;
    const auto clear = [&](size_t place) {
        for (size_t at = place; at < place + size_; ++at) rest[at] = mark_byte;
    };
    if (!is_dense()) {
        // Sums follow the elements of blocks.
        const size_t size = has_sums_ ? bytes_of(layout_) : buffer_.size();
        rest.assign(buffer_.data(), buffer_.data() + size);
        for_each_offset([&](int64_t offset) { clear(byte_of(offset)); });
    }

    dims_t unclean;
    for_each_padding([&](const dims_t &index) {
        const int64_t offset = layout_.offset(index);
        clear(byte_of(offset));
        if (unclean.empty() && load(offset) != 0) unclean = index;
    });
    if (!unclean.empty())
        return testing::AssertionFailure() << "padding at " << index_text(unclean) << " holds "
                                           << value(unclean) << ", not zero";

    if (const size_t at = first_written(rest); at < rest.size())
        return testing::AssertionFailure()
               << "byte " << at << " of the buffer is no element's, but was written";
    const std::span<const std::byte> slack(buffer_.slack(), buffer_.slack_size());
    if (const size_t at = first_written(slack); at < slack.size())
        return testing::AssertionFailure()
               << "a byte beside the buffer was written, at " << at << " of its slack";
    return testing::AssertionSuccess();
}

} // namespace kiln::test
