// SPDX-License-Identifier: Apache-2.0
// Elements, padding and gaps of a tensor in its buffer.
#include "support/tensor.hpp"

#include <algorithm>

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
    for_each_index(dims(), [&](const dims_t &index) {
        places_.push_back(static_cast<size_t>(layout_.offset(index)) * size());
    });
    if (is_sparse())
        for (const size_t place : places_) buffer_.open(place, size());
    else
        buffer_.open_all();
    require(dnnl_memory_create(memory_.out(), desc_, cpu_engine(), buffer_.data()),
            "dnnl_memory_create");
    mark();
}

std::byte *tensor_t::place(const dims_t &index) const {
    return buffer_.data() + static_cast<size_t>(layout_.offset(index)) * size();
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
        for (const size_t place : places_) std::fill_n(buffer_.data() + place, size(), mark_byte);
        return;
    }
    std::fill_n(buffer_.data(), buffer_.size(), mark_byte);
    std::fill_n(buffer_.slack(), buffer_.slack_size(), mark_byte);
}

void tensor_t::fill(const std::vector<double> &values) {
    if (static_cast<int64_t>(values.size()) != elements())
        throw std::logic_error("a tensor is filled with another number of values");
    for (size_t at = 0; at < places_.size(); ++at)
        encode(type(), values[at], buffer_.data() + places_[at]);
    for_each_padding([&](const dims_t &index) { encode(type(), 0, place(index)); });
}

std::vector<double> tensor_t::values() const {
    std::vector<double> result;
    result.reserve(places_.size());
    for (const size_t place : places_) result.push_back(decode(type(), buffer_.data() + place));
    return result;
}

double tensor_t::value(const dims_t &index) const { return decode(type(), place(index)); }

std::vector<std::byte> tensor_t::bits() const {
    std::vector<std::byte> result;
    result.reserve(places_.size() * size());
    for (const size_t place : places_)
        for (size_t byte = 0; byte < size(); ++byte) result.push_back(buffer_.data()[place + byte]);
    return result;
}

testing::AssertionResult tensor_t::is_tidy() const {
    if (is_sparse()) return testing::AssertionSuccess(); // its gaps are not even mapped
    std::vector<char> belongs(buffer_.size());
    const auto claim = [&](size_t place) {
        std::fill_n(belongs.begin() + ptrdiff_t(place), size(), 1);
    };
    for (const size_t place : places_) claim(place);

    dims_t unclean;
    for_each_padding([&](const dims_t &index) {
        claim(static_cast<size_t>(place(index) - buffer_.data()));
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
