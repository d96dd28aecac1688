// SPDX-License-Identifier: Apache-2.0
#include "descriptors/model.hpp"

#include <cctype>
#include <numeric>

namespace kiln::fuzz {

namespace {

constexpr dnnl_dim_t runtime = DNNL_RUNTIME_DIM_VAL;
constexpr int64_t most_visited = 4096;

/// A product that saturates.
struct product_t {
    __int128 value = 1;
    void operator*=(__int128 factor) {
        constexpr __int128 most = __int128(1) << 100;
        value = factor != 0 && value > most / factor ? most : value * factor;
    }
    bool fits() const { return value <= std::numeric_limits<int64_t>::max(); }
};

bool has_runtime(const dims_t &values, int count) {
    return std::count(values.begin(), values.begin() + count, runtime) != 0;
}

/// A layout's name taken apart, e.g. "aBcd16b".
struct spelling_t {
    std::vector<int> order;
    std::vector<int64_t> blocks;
    std::vector<int> block_axes;
    bool is_legal = false;
};

spelling_t spell(const std::string &name) {
    spelling_t s;
    size_t at = 0;
    std::vector<bool> seen(26);
    for (; at < name.size() && std::isalpha(static_cast<unsigned char>(name[at])); ++at) {
        const int axis = std::tolower(static_cast<unsigned char>(name[at])) - 'a';
        if (seen[static_cast<size_t>(axis)]) return s;
        seen[static_cast<size_t>(axis)] = true;
        s.order.push_back(axis);
    }
    const auto ndims = static_cast<int>(s.order.size());
    if (ndims == 0 || ndims > DNNL_MAX_NDIMS
            || *std::max_element(s.order.begin(), s.order.end()) != ndims - 1)
        return s;
    while (at < name.size()) {
        int64_t block = 0;
        for (; at < name.size() && std::isdigit(static_cast<unsigned char>(name[at])); ++at)
            block = std::min<int64_t>(block * 10 + (name[at] - '0'), 1 << 20);
        const int axis = at < name.size() ? name[at++] - 'a' : -1;
        constexpr int64_t most_block = 4096;
        if (block < 1 || block > most_block || axis < 0 || axis >= ndims) return s;
        if (block == 1) continue;
        s.blocks.push_back(block);
        s.block_axes.push_back(axis);
    }
    s.is_legal = s.blocks.size() <= DNNL_MAX_NDIMS;
    return s;
}

verdict_t verdict_of_spelling(const creation_t &creation, const spelling_t &spelling) {
    if (!is_tensor(creation)) return verdict_t::refusal;
    if (!spelling.is_legal || static_cast<int>(spelling.order.size()) != creation.ndims)
        return verdict_t::refusal;
    // Elements with padding; an empty or unknown dimension counts as one block.
    product_t bytes;
    for (const int64_t block : spelling.blocks) bytes *= block;
    const product_t block_elements = bytes;
    for (int d = 0; d < creation.ndims; ++d) {
        int64_t block = 1;
        for (size_t b = 0; b < spelling.blocks.size(); ++b)
            if (spelling.block_axes[b] == d && block < (int64_t(1) << 40))
                block *= spelling.blocks[b];
        const dnnl_dim_t dim = creation.dims[static_cast<size_t>(d)];
        if (dim > 0) bytes *= dim / block + (dim % block != 0);
    }
    bytes *= static_cast<int64_t>(dnnl_data_type_size(creation.type));
    constexpr int most_block_elements = 1 << 20;
    if (block_elements.value > most_block_elements) return verdict_t::refusal;
    if (bytes.fits()) return verdict_t::success;
    // What a product is worth that zeros or unknown values cut short is not said anywhere.
    const bool is_cut_short =
            has_runtime(creation.dims, creation.ndims)
            || std::count(creation.dims.begin(), creation.dims.begin() + creation.ndims, 0);
    return is_cut_short ? verdict_t::unknown : verdict_t::refusal;
}

dims_t ask_dims(const_dnnl_memory_desc_t desc, dnnl_query_t what, int count) {
    const auto &values = *ask<const dnnl_dims_t *>(desc, what);
    return {values, values + count};
}

} // namespace

bool is_tensor(const creation_t &creation) {
    if (creation.ndims < 1 || creation.ndims > DNNL_MAX_NDIMS) return false;
    if (creation.type == dnnl_boolean || dnnl_data_type_size(creation.type) == 0) return false;
    product_t elements;
    for (int d = 0; d < creation.ndims; ++d) {
        const dnnl_dim_t dim = creation.dims[static_cast<size_t>(d)];
        if (dim == runtime) continue;
        if (dim < 0) return false;
        if (dim > 0) elements *= dim;
    }
    return elements.fits();
}

verdict_t verdict_of_tag(const creation_t &creation, dnnl_format_tag_t tag) {
    if (creation.ndims == 0 || tag == dnnl_format_tag_undef) return verdict_t::success;
    if (!is_tensor(creation)) return verdict_t::refusal;
    if (tag == dnnl_format_tag_any) return legal_if(!has_runtime(creation.dims, creation.ndims));
    const bool is_tag = dnnl_format_tag_any < tag && tag < dnnl_format_tag_last;
    return is_tag ? verdict_of_spelling(creation, spell(dnnl_fmt_tag2str(tag)))
                  : verdict_t::refusal;
}

verdict_t verdict_of_tag_name(const creation_t &creation, const std::string &name) {
    const spelling_t spelling = spell(name);
    // Other names are aliases ("nchw"), which a list of their own tests.
    return spelling.is_legal && creation.ndims > 0 ? verdict_of_spelling(creation, spelling)
                                                   : verdict_t::unknown;
}

verdict_t verdict_of_strides(const creation_t &creation, const dims_t &strides) {
    if (creation.ndims == 0) return verdict_t::success;
    if (!is_tensor(creation)) return verdict_t::refusal;
    const int ndims = creation.ndims;
    const bool is_empty = std::count(creation.dims.begin(), creation.dims.begin() + ndims, 0);
    if (has_runtime(creation.dims, ndims) || has_runtime(strides, ndims) || is_empty)
        return verdict_t::success; // checked at execution, or there is nothing to check
    std::vector<size_t> axes;
    for (size_t d = 0; d < static_cast<size_t>(ndims); ++d) {
        if (creation.dims[d] == 1) continue;
        if (strides[d] < 0) return verdict_t::refusal;
        if (strides[d] > 0) axes.push_back(d);
    }
    std::sort(
            axes.begin(), axes.end(), [&](size_t a, size_t b) { return strides[a] < strides[b]; });
    __int128 reach = 1; // elements that the axes with smaller strides span
    for (const size_t d : axes) {
        if (strides[d] < reach) return verdict_t::refusal;
        product_t span{strides[d]};
        span *= creation.dims[d];
        reach = span.value;
    }
    product_t bytes{reach};
    bytes *= static_cast<int64_t>(dnnl_data_type_size(creation.type));
    return legal_if(bytes.fits());
}

known_layout_t::known_layout_t(const_dnnl_memory_desc_t desc)
    : kind_(ask<dnnl_format_kind_t>(desc, dnnl_query_format_kind))
    , type_(ask<dnnl_data_type_t>(desc, dnnl_query_data_type))
    , offset0_(ask<int64_t>(desc, dnnl_query_submemory_offset_s64)) {
    const int ndims = ask<int>(desc, dnnl_query_ndims_s32);
    EXPECT_THAT(0 <= ndims && ndims <= DNNL_MAX_NDIMS, "%d dimensions", ndims);
    dims_ = ask_dims(desc, dnnl_query_dims, ndims);
    padded_dims_ = ask_dims(desc, dnnl_query_padded_dims, ndims);
    padded_offsets_ = ask_dims(desc, dnnl_query_padded_offsets, ndims);
    if (!is_blocked()) return;
    strides_ = ask_dims(desc, dnnl_query_strides, ndims);
    const int blocks = ask<int>(desc, dnnl_query_inner_nblks_s32);
    EXPECT_THAT(0 <= blocks && blocks <= DNNL_MAX_NDIMS, "%d inner blocks", blocks);
    inner_blocks_ = ask_dims(desc, dnnl_query_inner_blks, blocks);
    inner_axes_ = ask_dims(desc, dnnl_query_inner_idxs, blocks);
    is_settled_ = ndims > 0 && !has_runtime(dims_, ndims) && !has_runtime(strides_, ndims);
    product_t elements;
    for (const dnnl_dim_t dim : padded_dims_) elements *= std::max<dnnl_dim_t>(dim, 1);
    for (const dnnl_dim_t block : inner_blocks_) elements *= block;
    is_small_ = is_settled_ && elements.value <= most_visited;
}

bool known_layout_t::has_front_padding() const {
    return std::any_of(padded_offsets_.begin(), padded_offsets_.end(),
            [](dnnl_dim_t offset) { return offset != 0; });
}

bool known_layout_t::has_axis_of_stride_0() const {
    for (size_t d = 0; d < dims_.size(); ++d)
        if (padded_dims_[d] > 1 && strides_[d] == 0) return true;
    return false;
}

bool known_layout_t::has_place(const dims_t &index) const {
    int64_t place = offset0_;
    for (size_t d = 0; d < index.size(); ++d) {
        int64_t part = 0;
        if (__builtin_mul_overflow(index[d], strides_[d], &part) || part < 0
                || __builtin_add_overflow(place, part, &place))
            return false;
    }
    return true;
}

int64_t known_layout_t::offset(const dims_t &index) const {
    dims_t outer(index);
    for (size_t d = 0; d < outer.size(); ++d) outer[d] += padded_offsets_[d];
    int64_t offset = offset0_, inner_stride = 1;
    for (size_t b = inner_blocks_.size(); b-- > 0;) {
        dnnl_dim_t &position = outer[static_cast<size_t>(inner_axes_[b])];
        offset += position % inner_blocks_[b] * inner_stride;
        position /= inner_blocks_[b];
        inner_stride *= inner_blocks_[b];
    }
    for (size_t d = 0; d < outer.size(); ++d) offset += outer[d] * strides_[d];
    return offset;
}

void known_layout_t::expect_sound(const_dnnl_memory_desc_t desc) const {
    EXPECT_THAT(offset0_ >= 0, "offset %lld", static_cast<long long>(offset0_));
    for (size_t d = 0; d < dims_.size(); ++d)
        EXPECT_THAT(dims_[d] == runtime || (0 <= dims_[d] && dims_[d] <= padded_dims_[d]),
                "axis %zu: dim %lld, padded dim %lld", d, static_cast<long long>(dims_[d]),
                static_cast<long long>(padded_dims_[d]));
    const size_t size = dnnl_memory_desc_get_size(desc);
    const bool is_empty = std::count(dims_.begin(), dims_.end(), 0) || dims_.empty();
    if (is_settled_ && is_empty) EXPECT_THAT(size == 0, "no elements, size %zu", size);
    if (is_small_ && !is_empty) expect_elements_within(size);
}

void known_layout_t::expect_elements_within(size_t bytes) const {
    const size_t element = dnnl_data_type_size(type_);
    // Two elements of 4 bits share a byte.
    const bool is_half =
            type_ == dnnl_s4 || type_ == dnnl_u4 || type_ == dnnl_f4_e2m1 || type_ == dnnl_f4_e3m0;
    const size_t count = is_half ? bytes * 2 : bytes / element;
    std::vector<int64_t> offsets;
    test::for_each_index(dims_, [&](const dims_t &index) {
        offsets.push_back(offset(index) - offset0_);
        EXPECT_THAT(offsets.back() >= 0 && static_cast<size_t>(offsets.back()) < count,
                "an element at %lld, beyond the size of %zu elements",
                static_cast<long long>(offsets.back()), count);
    });
    if (has_axis_of_stride_0()) return;
    std::sort(offsets.begin(), offsets.end());
    EXPECT_THAT(std::adjacent_find(offsets.begin(), offsets.end()) == offsets.end(),
            "two elements lie at the same place");
}

void expect_part(const known_layout_t &part, const known_layout_t &whole, const dims_t &offsets) {
    if (!part.is_small() || !whole.is_settled()) return;
    test::for_each_index(part.dims(), [&](const dims_t &index) {
        dims_t there(index);
        for (size_t d = 0; d < there.size(); ++d) there[d] += offsets[d];
        EXPECT_THAT(part.offset(index) == whole.offset(there),
                "an element at %lld, not at %lld as in the parent",
                static_cast<long long>(part.offset(index)),
                static_cast<long long>(whole.offset(there)));
    });
}

void expect_reshaped(const known_layout_t &to, const known_layout_t &from) {
    if (!to.is_small() || !from.is_small()) return;
    const int64_t count = test::volume(to.dims());
    EXPECT_THAT(count == test::volume(from.dims()), "the number of elements changed");
    for (int64_t i = 0; i < count; ++i)
        EXPECT_THAT(to.offset(test::index_at(to.dims(), i))
                            == from.offset(test::index_at(from.dims(), i)),
                "element %lld moved", static_cast<long long>(i));
}

void expect_permuted(
        const known_layout_t &to, const known_layout_t &from, const std::vector<int> &permutation) {
    if (!to.is_small() || !from.is_small()) return;
    test::for_each_index(from.dims(), [&](const dims_t &index) {
        dims_t there(index.size());
        for (size_t d = 0; d < index.size(); ++d)
            there[static_cast<size_t>(permutation[d])] = index[d];
        EXPECT_THAT(to.offset(there) == from.offset(index), "an element moved");
    });
}

} // namespace kiln::fuzz
