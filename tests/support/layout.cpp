// SPDX-License-Identifier: Apache-2.0
// Format texts to descriptors, and descriptors to offsets.
#include "support/layout.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <numeric>
#include <sstream>
#include <string_view>

namespace kiln::test {

namespace {

template <typename answer_t> answer_t ask(const_dnnl_memory_desc_t desc, dnnl_query_t what) {
    answer_t answer{};
    require(dnnl_memory_desc_query(desc, what, &answer), "dnnl_memory_desc_query");
    return answer;
}

dims_t ask_dims(const_dnnl_memory_desc_t desc, dnnl_query_t what, int count) {
    if (count == 0) return {};
    const auto &values = *ask<const dnnl_dims_t *>(desc, what);
    return {values, values + count};
}

dnnl_format_tag_t tag_of(const std::string &name) {
    for (int tag = dnnl_format_tag_any; tag < dnnl_format_tag_last; ++tag)
        if (dnnl_fmt_tag2str(static_cast<dnnl_format_tag_t>(tag)) == name)
            return static_cast<dnnl_format_tag_t>(tag);
    return dnnl_format_tag_undef;
}

dims_t strides_of(const dims_t &dims, const std::string &format) {
    const size_t ndims = dims.size();
    const bool is_tag = std::any_of(format.begin(), format.end(),
            [](unsigned char letter) { return std::isupper(letter); });
    if (is_tag || format.size() < ndims)
        throw std::logic_error("no format " + format + " of " + to_string(dims));
    const char kind = format.size() > ndims ? format[ndims] : '\0';
    const std::string repeated = kind == '/' ? format.substr(ndims + 1) : "";
    const dnnl_dim_t number = kind && kind != '/' ? std::stoll(format.substr(ndims + 1)) : 0;
    dims_t strides(ndims);
    dnnl_dim_t stride = kind == '*' ? number : 1;
    for (size_t place = ndims; place-- > 0;) {
        if (repeated.find(format[place]) != std::string::npos) continue;
        const size_t axis = static_cast<size_t>(format[place] - 'a');
        strides.at(axis) = stride;
        stride *= std::max<dnnl_dim_t>(dims.at(axis), 1);
        if (place == ndims - 1 && kind == '+') stride += number;
    }
    return strides;
}

/// The inverse of to_string().
dims_t dims_of(const std::string &text) {
    dims_t dims;
    std::istringstream from(text);
    for (std::string dim; std::getline(from, dim, 'x');) dims.push_back(std::stoll(dim));
    return dims;
}

/// `place`: "<dims of the parent> at <index of the first element>".
memory_desc_handle_t make_part(const dims_t &dims, dnnl_data_type_t type,
        const std::string &parent_format, const std::string &place) {
    constexpr std::string_view at = " at ";
    const size_t split = place.find(at);
    const auto parent = make_desc(dims_of(place.substr(0, split)), type, parent_format);
    const dims_t offsets = dims_of(place.substr(split + at.size()));
    memory_desc_handle_t desc;
    require(dnnl_memory_desc_create_submemory(desc.out(), parent, dims.data(), offsets.data()),
            "dnnl_memory_desc_create_submemory of " + parent_format + " of " + place);
    return desc;
}

} // namespace

std::string to_string(const dims_t &dims) {
    std::string text;
    for (const auto dim : dims) text += (text.empty() ? "" : "x") + std::to_string(dim);
    return text;
}

int64_t volume(const dims_t &dims) {
    return std::accumulate(dims.begin(), dims.end(), int64_t(1), std::multiplies<>());
}

dims_t index_at(const dims_t &dims, int64_t position) {
    dims_t index(dims.size());
    for (size_t axis = dims.size(); axis-- > 0;) {
        index[axis] = position % dims[axis];
        position /= dims[axis];
    }
    return index;
}

memory_desc_handle_t make_desc(
        const dims_t &dims, dnnl_data_type_t type, const std::string &format) {
    if (format.empty()) return make_desc(dims, type, dims_t());
    constexpr std::string_view of = " of ";
    if (const size_t split = format.find(of); split != std::string::npos)
        return make_part(dims, type, format.substr(0, split), format.substr(split + of.size()));
    const dnnl_format_tag_t tag = tag_of(format);
    if (tag == dnnl_format_tag_undef) return make_desc(dims, type, strides_of(dims, format));
    memory_desc_handle_t desc;
    require(dnnl_memory_desc_create_with_tag(
                    desc.out(), static_cast<int>(dims.size()), dims.data(), type, tag),
            "dnnl_memory_desc_create_with_tag " + format);
    return desc;
}

memory_desc_handle_t make_desc(const dims_t &dims, dnnl_data_type_t type, const dims_t &strides) {
    memory_desc_handle_t desc;
    require(dnnl_memory_desc_create_with_strides(desc.out(), static_cast<int>(dims.size()),
                    dims.data(), type, strides.empty() ? nullptr : strides.data()),
            "dnnl_memory_desc_create_with_strides " + to_string(strides));
    return desc;
}

memory_desc_handle_t clone_desc(const_dnnl_memory_desc_t desc) {
    memory_desc_handle_t copy;
    require(dnnl_memory_desc_clone(copy.out(), desc), "dnnl_memory_desc_clone");
    return copy;
}

std::vector<std::string> part_formats(const dims_t &dims, const std::string &format) {
    const layout_t layout(make_desc(dims, dnnl_u8, format));
    dims_t blocks(dims.size(), 1);
    for (size_t i = 0; i < layout.inner_blocks().size(); ++i)
        blocks[static_cast<size_t>(layout.inner_axes()[i])] *= layout.inner_blocks()[i];
    std::vector<std::string> formats;
    // Elements before the part and behind it along each axis: none, few, and whole blocks.
    for (const auto &[before, behind] : {std::pair{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 9}}) {
        dims_t offsets, whole;
        for (size_t axis = 0; axis < dims.size(); ++axis) {
            const dnnl_dim_t block = blocks[axis];
            const bool can_end_early = dims[axis] % block == 0 || dims[axis] < block;
            offsets.push_back(before * block);
            whole.push_back(offsets.back() + dims[axis] + (can_end_early ? behind : 0));
        }
        formats.push_back(format + " of " + to_string(whole) + " at " + to_string(offsets));
    }
    return formats;
}

layout_t::layout_t(const_dnnl_memory_desc_t desc)
    : type_(ask<dnnl_data_type_t>(desc, dnnl_query_data_type))
    , offset0_(ask<int64_t>(desc, dnnl_query_submemory_offset_s64)) {
    if (ask<dnnl_format_kind_t>(desc, dnnl_query_format_kind) != dnnl_blocked)
        throw std::logic_error("a descriptor has no layout");
    const int ndims = ask<int>(desc, dnnl_query_ndims_s32);
    const int blocks = ask<int>(desc, dnnl_query_inner_nblks_s32);
    dims_ = ask_dims(desc, dnnl_query_dims, ndims);
    padded_dims_ = ask_dims(desc, dnnl_query_padded_dims, ndims);
    padded_offsets_ = ask_dims(desc, dnnl_query_padded_offsets, ndims);
    strides_ = ask_dims(desc, dnnl_query_strides, ndims);
    inner_blocks_ = ask_dims(desc, dnnl_query_inner_blks, blocks);
    inner_axes_ = ask_dims(desc, dnnl_query_inner_idxs, blocks);
}

int64_t layout_t::offset(const dims_t &index) const {
    std::array<dnnl_dim_t, DNNL_MAX_NDIMS> outer;
    for (size_t axis = 0; axis < index.size(); ++axis)
        outer[axis] = index[axis] + padded_offsets_[axis];
    int64_t offset = offset0_;
    int64_t inner_stride = 1;
    for (size_t block = inner_blocks_.size(); block-- > 0;) {
        auto &position = outer[static_cast<size_t>(inner_axes_[block])];
        offset += position % inner_blocks_[block] * inner_stride;
        position /= inner_blocks_[block];
        inner_stride *= inner_blocks_[block];
    }
    for (size_t axis = 0; axis < index.size(); ++axis) offset += outer[axis] * strides_[axis];
    return offset;
}

bool layout_t::is_row_major() const {
    if (offset0_ != 0 || !inner_blocks_.empty() || padded_dims_ != dims_) return false;
    int64_t stride = 1;
    for (size_t axis = dims_.size(); axis-- > 0; stride *= dims_[axis])
        if (dims_[axis] > 1 && strides_[axis] != stride) return false;
    return true;
}

std::vector<int64_t> layout_t::offsets() const {
    // The offset of an index is the sum of what its positions along each axis add.
    dims_t index(dims_.size());
    const int64_t first = offset(index);
    std::vector<int64_t> offsets{first};
    for (size_t axis = 0; axis < dims_.size(); ++axis) {
        std::vector<int64_t> steps;
        for (index[axis] = 0; index[axis] < dims_[axis]; ++index[axis])
            steps.push_back(offset(index) - first);
        index[axis] = 0;
        std::vector<int64_t> outer;
        outer.swap(offsets);
        offsets.reserve(outer.size() * steps.size());
        for (const int64_t from : outer)
            for (const int64_t step : steps) offsets.push_back(from + step);
    }
    return offsets;
}

int64_t layout_t::span() const {
    if (volume(padded_dims_) == 0) return 0;
    dims_t last = padded_dims_;
    for (auto &position : last) --position;
    return offset(last) + 1;
}

} // namespace kiln::test
