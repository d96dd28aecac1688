// SPDX-License-Identifier: Apache-2.0
// Elements, padding and gaps of a tensor in its buffer.
#include "support/tensor.hpp"

#include <algorithm>

#include "support/data_type.hpp"

namespace kiln::test {

namespace {

constexpr std::byte mark_byte{0xff};

} // namespace

std::string index_text(const dims_t &index) {
    std::string text;
    for (const auto position : index) text += (text.empty() ? "[" : ",") + std::to_string(position);
    return text + "]";
}

tensor_t::tensor_t(const_dnnl_memory_desc_t desc, placement_t placement)
    : desc_(clone_desc(desc))
    , layout_(desc_)
    , buffer_(static_cast<size_t>(layout_.span()) * size_of(layout_.type()), placement) {
    if (is_sparse()) {
        for_each_index(dims(), [&](const dims_t &index) {
            const auto offset = static_cast<size_t>(layout_.offset(index));
            buffer_.open(offset * size_of(type()), size_of(type()));
        });
    } else {
        buffer_.open_all();
    }
    require(dnnl_memory_create(memory_.out(), desc_, cpu_engine(), buffer_.data()),
            "dnnl_memory_create");
    mark();
}

std::byte *tensor_t::place(const dims_t &index) const {
    return buffer_.data() + static_cast<size_t>(layout_.offset(index)) * size_of(type());
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
    if (is_sparse()) {
        for_each_index(dims(), [&](const dims_t &index) {
            std::fill_n(place(index), size_of(type()), mark_byte);
        });
        return;
    }
    std::fill_n(buffer_.data(), buffer_.size(), mark_byte);
    std::fill_n(buffer_.slack(), buffer_.slack_size(), mark_byte);
}

void tensor_t::fill(const std::vector<double> &values) {
    if (static_cast<int64_t>(values.size()) != elements())
        throw std::logic_error("a tensor is filled with another number of values");
    auto next = values.begin();
    for_each_index(dims(), [&](const dims_t &index) { encode(type(), *next++, place(index)); });
    for_each_padding([&](const dims_t &index) { encode(type(), 0, place(index)); });
}

std::vector<double> tensor_t::values() const {
    std::vector<double> result;
    result.reserve(static_cast<size_t>(elements()));
    for_each_index(dims(), [&](const dims_t &index) { result.push_back(value(index)); });
    return result;
}

double tensor_t::value(const dims_t &index) const { return decode(type(), place(index)); }

std::vector<std::byte> tensor_t::bits() const {
    std::vector<std::byte> result;
    result.reserve(static_cast<size_t>(elements()) * size_of(type()));
    for_each_index(dims(), [&](const dims_t &index) {
        const std::byte *const from = place(index);
        result.insert(result.end(), from, from + size_of(type()));
    });
    return result;
}

testing::AssertionResult tensor_t::is_tidy() const {
    if (is_sparse()) return testing::AssertionSuccess(); // its gaps are not even mapped
    std::vector<bool> belongs(buffer_.size());
    const auto claim = [&](const dims_t &index) {
        const auto from = place(index) - buffer_.data();
        std::fill_n(belongs.begin() + from, size_of(type()), true);
    };
    for_each_index(dims(), claim);

    dims_t unclean;
    for_each_padding([&](const dims_t &index) {
        claim(index);
        if (unclean.empty() && value(index) != 0) unclean = index;
    });
    if (!unclean.empty())
        return testing::AssertionFailure() << "padding at " << index_text(unclean) << " holds "
                                           << value(unclean) << ", not zero";

    for (size_t at = 0; at < belongs.size(); ++at)
        if (!belongs[at] && buffer_.data()[at] != mark_byte)
            return testing::AssertionFailure()
                   << "byte " << at << " of the buffer is no element's, but was written";
    for (size_t at = 0; at < buffer_.slack_size(); ++at)
        if (buffer_.slack()[at] != mark_byte)
            return testing::AssertionFailure()
                   << "a byte beside the buffer was written, at " << at << " of its slack";
    return testing::AssertionSuccess();
}

} // namespace kiln::test
