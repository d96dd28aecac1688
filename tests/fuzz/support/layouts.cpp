// SPDX-License-Identifier: Apache-2.0
#include "support/layouts.hpp"

#include <array>
#include <cctype>
#include <numeric>
#include <string_view>

namespace kiln::fuzz {

namespace {

constexpr dnnl_data_type_t types[] = {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8, dnnl_s32,
        dnnl_f64, dnnl_f8_e5m2, dnnl_f8_e4m3, dnnl_boolean, dnnl_s64, dnnl_e8m0, dnnl_s4, dnnl_u4,
        dnnl_f4_e2m1, dnnl_f4_e3m0, dnnl_data_type_undef};
constexpr size_t element_type_count = 9;

using tags_t = std::vector<dnnl_format_tag_t>;

std::array<tags_t, DNNL_MAX_NDIMS + 1> find_tags() {
    std::array<tags_t, DNNL_MAX_NDIMS + 1> tags;
    for (int value = dnnl_format_tag_any + 1; value < dnnl_format_tag_last; ++value) {
        const auto tag = static_cast<dnnl_format_tag_t>(value);
        const std::string_view name = dnnl_fmt_tag2str(tag);
        size_t ndims = 0;
        while (ndims < name.size() && std::isalpha(static_cast<unsigned char>(name[ndims])))
            ++ndims;
        const bool is_layout = std::all_of(name.begin(), name.end(), [](unsigned char c) {
            return std::isdigit(c) || (std::tolower(c) >= 'a' && std::tolower(c) <= 'l');
        });
        if (is_layout && ndims <= DNNL_MAX_NDIMS) tags[ndims].push_back(tag);
    }
    return tags;
}

memory_desc_handle_t with_strides(const dims_t &dims, dnnl_data_type_t type, dims_t strides) {
    return test::make_desc(dims, type, strides);
}

/// Plain, the axes in any order; `most_gap` elements may follow those along each axis.
dims_t read_strides(input_t &input, const dims_t &dims, int most_gap) {
    dims_t strides(dims.size());
    dnnl_dim_t stride = 1;
    for (const int axis : read_permutation(input, static_cast<int>(dims.size()))) {
        const auto d = dims.size() - 1 - static_cast<size_t>(axis);
        strides[d] = stride;
        stride = stride * std::max<dnnl_dim_t>(dims[d], 1) + input.between(0, most_gap);
    }
    return strides;
}

/// The product of the inner blocks of each axis.
dims_t blocks_of(const_dnnl_memory_desc_t desc, size_t ndims) {
    dims_t blocks(ndims, 1);
    const int count = ask<int>(desc, dnnl_query_inner_nblks_s32);
    const auto &sizes = *ask<const dnnl_dims_t *>(desc, dnnl_query_inner_blks);
    const auto &axes = *ask<const dnnl_dims_t *>(desc, dnnl_query_inner_idxs);
    for (int b = 0; b < count; ++b) blocks[static_cast<size_t>(axes[b])] *= sizes[b];
    return blocks;
}

memory_desc_handle_t with_tag(const dims_t &dims, dnnl_data_type_t type, dnnl_format_tag_t tag) {
    memory_desc_handle_t desc;
    test::require(dnnl_memory_desc_create_with_tag(
                          desc.out(), static_cast<int>(dims.size()), dims.data(), type, tag),
            "dnnl_memory_desc_create_with_tag");
    return desc;
}

/// Part of a larger tensor, which starts and ends at whole blocks where it does not end with its
/// parent.
memory_desc_handle_t read_submemory(
        input_t &input, const dims_t &dims, dnnl_data_type_t type, dnnl_format_tag_t tag) {
    const dims_t blocks = blocks_of(with_tag(dims, type, tag), dims.size());
    dims_t parent_dims(dims), offsets(dims.size());
    for (size_t d = 0; d < dims.size(); ++d) {
        offsets[d] = input.between(0, 2) * blocks[d];
        const bool may_go_on = dims[d] % blocks[d] == 0 || dims[d] < blocks[d];
        parent_dims[d] += offsets[d] + (may_go_on ? input.between(0, 3) : 0);
    }
    const memory_desc_handle_t parent = with_tag(parent_dims, type, tag);
    memory_desc_handle_t desc;
    test::require(
            dnnl_memory_desc_create_submemory(desc.out(), parent, dims.data(), offsets.data()),
            "dnnl_memory_desc_create_submemory");
    return desc;
}

} // namespace

std::span<const dnnl_data_type_t> element_types() { return {types, element_type_count}; }
std::span<const dnnl_data_type_t> all_types() { return types; }

std::span<const dnnl_format_tag_t> tags_of(int ndims) {
    static const auto tags = find_tags();
    return tags[static_cast<size_t>(ndims)];
}

dnnl_dim_t read_extent(input_t &input) {
    constexpr dnnl_dim_t extents[] = {
            3, 1, 2, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 6, 64, 65, 12, 24, 11, 13, 0};
    return input.pick(extents);
}

dims_t read_dims(input_t &input, int least_ndims, int most_ndims, int64_t most_elements) {
    dims_t dims(static_cast<size_t>(input.between(least_ndims, most_ndims)));
    int64_t left = most_elements;
    for (dnnl_dim_t &dim : dims) {
        dim = std::min(read_extent(input), left);
        left /= std::max<int64_t>(dim, 1);
    }
    return dims;
}

std::vector<int> read_permutation(input_t &input, int count) {
    std::vector<int> order(static_cast<size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    if (!input.one_in(2)) return order;
    for (size_t left = order.size(); left > 1; --left)
        std::swap(order[left - 1], order[input.below(left)]);
    return order;
}

memory_desc_handle_t read_layout(
        input_t &input, const dims_t &dims, dnnl_data_type_t type, role_t role) {
    enum { dense, gaps, tag, submemory, blocked_submemory, any, broadcast, kinds };
    const auto tags = tags_of(static_cast<int>(dims.size()));
    const size_t kind = input.below(role == role_t::input ? kinds : broadcast);
    if (dims.empty()) return {};
    switch (kind) {
    case gaps: return with_strides(dims, type, read_strides(input, dims, 3));
    case tag: return with_tag(dims, type, input.pick(tags));
    case submemory: return read_submemory(input, dims, type, tags[0]);
    case blocked_submemory: return read_submemory(input, dims, type, input.pick(tags));
    case any: return with_tag(dims, type, dnnl_format_tag_any);
    case broadcast: {
        dims_t strides = read_strides(input, dims, 0);
        strides[input.below(dims.size())] = 0;
        return with_strides(dims, type, strides);
    }
    default: return with_strides(dims, type, read_strides(input, dims, 0));
    }
}

} // namespace kiln::fuzz
