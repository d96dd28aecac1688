// SPDX-License-Identifier: Apache-2.0
#include "differential/layouts.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "support/data_type.hpp"

extern "C" dnnl_status_t dnnl_memory_desc_create_with_string_tag(
        dnnl_memory_desc_t *, int, const dnnl_dims_t, dnnl_data_type_t, const char *);

namespace kiln::test::differential {
namespace {

using order_t = std::vector<size_t>;

/// Outermost first: row-major, the second axis innermost, or any.
order_t random_order(random_t &random, size_t ndims, style_t style) {
    order_t order(ndims);
    std::iota(order.begin(), order.end(), size_t(0));
    if (style == style_t::any)
        style = random.pick({style_t::any, style_t::row_major, style_t::channels_last});
    if (style == style_t::channels_last && ndims > 1)
        std::rotate(order.begin() + 1, order.begin() + 2, order.end());
    if (style != style_t::any) return order;
    for (size_t i = ndims; i > 1; --i)
        std::swap(order[i - 1], order[static_cast<size_t>(random.below(int64_t(i)))]);
    return order;
}

memory_desc_handle_t random_strides(
        random_t &random, const dims_t &dims, dnnl_data_type_t type, const layout_rules_t &rules) {
    const order_t order = random_order(random, dims.size(), rules.style);
    const bool is_any = rules.style == style_t::any;
    const bool has_gaps = random.chance(is_any ? 0.4 : 0.2);
    const bool is_spaced = is_any && random.chance(0.1);
    const bool repeats = rules.may_repeat && random.chance(0.06);
    dims_t strides(dims.size());
    dnnl_dim_t stride = is_spaced ? 2 + random.below(3) : 1;
    for (size_t i = dims.size(); i-- > 0;) {
        const size_t axis = order[i];
        strides[axis] = repeats && random.chance(0.3) ? 0 : stride;
        if (dims[axis] == 1 && random.chance(0.1)) // means nothing
            strides[axis] = random.pick({dnnl_dim_t(0), dnnl_dim_t(7), dnnl_dim_t(-3),
                    std::numeric_limits<dnnl_dim_t>::max()});
        stride *= dims[axis];
        if (has_gaps && random.chance(0.5)) stride += random.below(12);
    }
    return make_desc(dims, type, strides);
}

/// The letters of all axes and the blocks.
std::string random_tag(random_t &random, size_t ndims, style_t style) {
    std::string name;
    const bool is_usual = style == style_t::blocked && ndims > 1;
    for (const size_t axis : random_order(random, ndims, is_usual ? style_t::row_major : style))
        name += static_cast<char>('a' + axis);
    if (is_usual) return name + random.pick({"8b", "16b"});
    for (int64_t blocks = random.pick({1, 1, 1, 2, 2, 3}); blocks > 0; --blocks) {
        const int64_t axis =
                ndims > 1 && random.chance(0.6) ? 1 : random.below(static_cast<int64_t>(ndims));
        name += std::to_string(random.pick({2, 3, 4, 4, 5, 8, 8, 16, 16, 16, 32}));
        name += static_cast<char>('a' + axis);
    }
    return name;
}

memory_desc_handle_t random_blocks(
        random_t &random, const dims_t &dims, dnnl_data_type_t type, const layout_rules_t &rules) {
    const std::string name = random_tag(random, dims.size(), rules.style);
    memory_desc_handle_t desc;
    require(dnnl_memory_desc_create_with_string_tag(
                    desc.out(), static_cast<int>(dims.size()), dims.data(), type, name.c_str()),
            name);
    return desc;
}

memory_desc_handle_t random_whole(
        random_t &random, const dims_t &dims, dnnl_data_type_t type, const layout_rules_t &rules) {
    const bool is_blocked =
            rules.style == style_t::any ? random.chance(0.35) : rules.style == style_t::blocked;
    return is_blocked ? random_blocks(random, dims, type, rules)
                      : random_strides(random, dims, type, rules);
}

/// A part of a tensor that is greater along some axes. Null if the library cannot cut it out.
memory_desc_handle_t random_part(
        random_t &random, const dims_t &dims, dnnl_data_type_t type, const layout_rules_t &rules) {
    dims_t whole = dims, offsets(dims.size());
    for (size_t axis = 0; axis < dims.size(); ++axis) {
        if (random.chance(0.5)) continue;
        offsets[axis] = random.pick({0, 0, 1, 2, 4, 8, 16});
        whole[axis] += offsets[axis] + random.pick({0, 0, 1, 3, 16});
    }
    const memory_desc_handle_t from = random_whole(random, whole, type, rules);
    memory_desc_handle_t part;
    dnnl_memory_desc_create_submemory(part.out(), from, dims.data(), offsets.data());
    return part;
}

bool fits(const_dnnl_memory_desc_t desc) {
    const layout_t layout(desc);
    return volume(layout.padded_dims()) <= 60000
           && static_cast<size_t>(layout.span()) * size_of(layout.type()) <= size_t(1) << 20;
}

} // namespace

memory_desc_handle_t random_layout(
        random_t &random, const dims_t &dims, dnnl_data_type_t type, const layout_rules_t &rules) {
    if (rules.may_be_open && random.chance(0.2)) return make_desc(dims, type, "any");
    for (int trial = 0; trial < 3; ++trial) {
        const bool is_part = random.chance(0.25);
        memory_desc_handle_t desc = is_part ? random_part(random, dims, type, rules)
                                            : random_whole(random, dims, type, rules);
        if (desc != nullptr && fits(desc)) return desc;
    }
    return make_desc(dims, type);
}

bool repeats(const_dnnl_memory_desc_t desc) {
    const layout_t layout(desc);
    for (size_t axis = 0; axis < layout.dims().size(); ++axis)
        if (layout.dims()[axis] > 1 && layout.strides()[axis] == 0) return true;
    return false;
}

style_t random_style(random_t &random) {
    return random.pick({style_t::any, style_t::any, style_t::row_major, style_t::row_major,
            style_t::channels_last, style_t::blocked});
}

int64_t random_extent(random_t &random, int64_t most) {
    const int64_t extent = random.chance(0.6)
                                   ? 1 + random.below(9)
                                   : random.pick({8, 16, 16, 24, 32, 32, 48, 64, 96, 128, 256})
                                             + random.pick({-1, 0, 0, 0, 1, 3});
    return std::clamp(extent, int64_t(1), most);
}

dims_t random_dims(random_t &random, size_t ndims, int64_t most_elements) {
    dims_t dims(ndims, 1);
    order_t order(ndims);
    std::iota(order.begin(), order.end(), size_t(0));
    for (size_t i = ndims; i > 1; --i)
        std::swap(order[i - 1], order[static_cast<size_t>(random.below(int64_t(i)))]);
    for (const size_t axis : order) {
        dims[axis] = random_extent(random, most_elements);
        most_elements /= dims[axis];
    }
    return dims;
}

std::string to_text(const_dnnl_memory_desc_t desc) {
    const layout_t layout(desc);
    std::string text = dnnl_dt2str(layout.type()) + (" " + to_string(layout.dims()));
    if (layout.padded_dims() != layout.dims()) text += " in " + to_string(layout.padded_dims());
    text += " by " + to_string(layout.strides());
    for (size_t i = 0; i < layout.inner_blocks().size(); ++i)
        text += (i == 0 ? " blocks " : "") + std::to_string(layout.inner_blocks()[i])
                + static_cast<char>('a' + layout.inner_axes()[i]);
    if (layout.offset(dims_t(layout.dims().size(), 0)) != 0)
        text += " at " + std::to_string(layout.offset(dims_t(layout.dims().size(), 0)));
    return text;
}

} // namespace kiln::test::differential
