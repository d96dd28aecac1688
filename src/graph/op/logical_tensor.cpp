// SPDX-License-Identifier: Apache-2.0
#include "graph/op/logical_tensor.hpp"

#include <algorithm>
#include <cstdint>

#include "common/memory/data_type.hpp"
#include "common/memory/type_set.hpp"
#include "common/verbose/verbose.hpp"
#include "graph/op/layout_ids.hpp"

namespace kiln::graph {

#define REQUIRE(condition, ...)                                                                    \
    KILN_REQUIRE(condition, dnnl_invalid_arguments, "graph", __VA_ARGS__)

status_t check(const logical_tensor_t &lt) {
    constexpr type_set_t scalar_types = type_set({dnnl_f32, dnnl_s32, dnnl_s64});
    REQUIRE(unknown_ndims <= lt.ndims && lt.ndims <= max_ndims,
            "logical tensor %zu has %d dims, not 0 to %d, or %d for an unknown number", lt.id,
            lt.ndims, max_ndims, unknown_ndims);
    REQUIRE(is_absent(lt) || data_type_size(lt.data_type) != 0,
            "data type %d of logical tensor %zu is unknown", static_cast<int>(lt.data_type), lt.id);
    REQUIRE(static_cast<unsigned>(lt.layout_type) <= dnnl_graph_layout_type_opaque,
            "layout type %d of logical tensor %zu is unknown", static_cast<int>(lt.layout_type),
            lt.id);
    REQUIRE(static_cast<unsigned>(lt.property) <= dnnl_graph_tensor_property_host_scalar,
            "property %d of logical tensor %zu is unknown", static_cast<int>(lt.property), lt.id);
    if (!is_host_scalar(lt)) return dnnl_success;
    REQUIRE(lt.ndims == 0, "a host scalar has %d dims, not 0", lt.ndims);
    REQUIRE(contains(scalar_types, lt.data_type),
            "a host scalar has data type %s, not f32, s32 or s64", dnnl_dt2str(lt.data_type));
    return dnnl_success;
}

#undef REQUIRE

bool has_known_shape(const logical_tensor_t &lt) {
    return has_known_ndims(lt) && std::ranges::all_of(dims_of(lt), [](dim_t d) { return d >= 0; });
}

bool has_known_strides(const logical_tensor_t &lt) {
    return is_strided(lt) && has_known_ndims(lt)
           && std::find(lt.layout.strides, lt.layout.strides + lt.ndims, unknown_dim)
                      == lt.layout.strides + lt.ndims;
}

bool same_shape(const logical_tensor_t &lhs, const logical_tensor_t &rhs) {
    return lhs.ndims == rhs.ndims && std::ranges::equal(dims_of(lhs), dims_of(rhs));
}

namespace {

/// The product, or INT64_MAX if it overflows: a tensor of that size is refused when it is used.
dim_t times(dim_t lhs, dim_t rhs) {
    dim_t product = 0;
    return __builtin_mul_overflow(lhs, rhs, &product) ? INT64_MAX : product;
}

} // namespace

dim_t product_of(std::span<const dim_t> dims) {
    dim_t product = 1;
    for (const dim_t dim : dims) product = times(product, dim);
    return product;
}

dim_t number_of_elements(const logical_tensor_t &lt) {
    if (!has_known_ndims(lt)) return 0;
    if (!has_known_shape(lt)) return -1;
    return product_of(dims_of(lt));
}

namespace {

/// The largest product of an axis' extent and stride, in bytes, as in oneDNN. Programs allocate
/// buffers of this size.
size_t strided_bytes(const logical_tensor_t &lt) {
    dim_t elements = 1;
    for (int d = 0; d < lt.ndims; ++d) {
        if (lt.dims[d] == 0) return 0;
        if (lt.dims[d] > 1) elements = std::max(elements, times(lt.dims[d], lt.layout.strides[d]));
    }
    const dim_t bytes = times(elements, static_cast<dim_t>(data_type_size(lt.data_type)));
    if (bytes == INT64_MAX) return SIZE_MAX;
    return static_cast<size_t>(is_half_byte(lt.data_type) ? (bytes + 1) / 2 : bytes);
}

} // namespace

size_t bytes_of(const logical_tensor_t &lt) {
    if (is_opaque(lt)) {
        const memory_desc_t md = layout_ids::md(lt.layout.layout_id);
        return is_zero(md) ? SIZE_MAX : byte_size(md);
    }
    if (has_known_shape(lt) && has_known_strides(lt)) return strided_bytes(lt);
    return SIZE_MAX;
}

void fill_row_major_strides(logical_tensor_t &lt) {
    dim_t stride = 1;
    for (int d = lt.ndims - 1; d >= 0; --d) {
        lt.layout.strides[d] = stride;
        stride = times(stride, std::max<dim_t>(lt.dims[d], 1));
    }
}

void set_shape(logical_tensor_t &lt, const shape_t &shape) {
    lt.ndims = static_cast<int>(shape.size());
    std::ranges::copy(shape, lt.dims);
    if (is_strided(lt) && !has_known_strides(lt)) fill_row_major_strides(lt);
}

memory_desc_t md_of(const logical_tensor_t &lt) {
    static constexpr dim_t one = 1;
    const bool is_scalar = lt.ndims == 0;
    const int ndims = is_scalar ? 1 : lt.ndims;
    const dim_t *dims = is_scalar ? &one : lt.dims;
    const bool has_strides = is_strided(lt) || is_host_scalar(lt);
    // Primitives have no boolean type; its values are bytes of 0 or 1.
    const data_type_t type = lt.data_type == dnnl_boolean ? dnnl_u8 : lt.data_type;
    memory_desc_t md{};
    if (is_opaque(lt)) {
        md = layout_ids::md(lt.layout.layout_id);
        const bool is_of_lt = md.ndims == ndims && std::equal(dims, dims + ndims, md.dims)
                              && md.data_type == type;
        return is_of_lt ? md : zero_md;
    }
    const status_t status = has_strides ? init_by_strides(
                                    md, ndims, dims, type, is_scalar ? &one : lt.layout.strides)
                                        : init_by_tag(md, ndims, dims, type, dnnl_format_tag_any);
    return status == dnnl_success ? md : zero_md;
}

void set_layout(logical_tensor_t &lt, const memory_desc_t &md) {
    if (is_plain(md) && !has_padding(md) && md.offset0 == 0) {
        lt.layout_type = dnnl_graph_layout_type_strided;
        std::copy_n(md.format_desc.blocking.strides, std::max(lt.ndims, 0), lt.layout.strides);
    } else {
        lt.layout_type = dnnl_graph_layout_type_opaque;
        lt.layout.layout_id = layout_ids::id_of(md);
    }
}

namespace {

bool same_layout(const logical_tensor_t &lhs, const logical_tensor_t &rhs) {
    if (lhs.layout_type == rhs.layout_type) {
        if (lhs.ndims <= 0) return true;
        if (is_strided(lhs))
            return std::equal(
                    lhs.layout.strides, lhs.layout.strides + lhs.ndims, rhs.layout.strides);
        return !is_opaque(lhs) || lhs.layout.layout_id == rhs.layout.layout_id;
    }
    const auto is_settled = [](const logical_tensor_t &lt) {
        return is_opaque(lt) || (has_known_shape(lt) && has_known_strides(lt));
    };
    return is_settled(lhs) && is_settled(rhs) && md_of(lhs) == md_of(rhs);
}

} // namespace

bool is_equal(const logical_tensor_t &lhs, const logical_tensor_t &rhs) {
    return lhs.id == rhs.id && lhs.data_type == rhs.data_type && lhs.property == rhs.property
           && same_shape(lhs, rhs) && same_layout(lhs, rhs);
}

} // namespace kiln::graph
