// SPDX-License-Identifier: Apache-2.0
// Making memory descriptors from shapes, tags and strides, and refusing those that make no sense.

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>

#include "common/memory/data_type.hpp"
#include "common/memory/format_tag_name.hpp"
#include "common/memory/memory_desc.hpp"
#include "common/overflow.hpp"
#include "common/unlisted_functions.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {

namespace {

bool is_tensor_type(data_type_t data_type) {
    return data_type != dnnl_data_type_undef && data_type != dnnl_boolean
           && data_type_size(data_type) != 0;
}

memory_desc_t shape_only(int ndims, const dim_t *dims, data_type_t data_type, format_kind_t kind) {
    memory_desc_t md{};
    md.set_ndims(ndims);
    md.data_type = data_type;
    md.format_kind = kind;
    std::copy_n(dims, ndims, md.dims);
    std::copy_n(dims, ndims, md.padded_dims);
    return md;
}

bool any_runtime(const dim_t *values, int count) {
    return std::find(values, values + count, runtime_dim) != values + count;
}

/// A tag's name taken apart: axes in memory order, then the inner blocks, e.g. "aBcd16b". Capitals
/// mark blocked axes for the reader; the blocks themselves say which they are.
struct tag_spelling_t {
    int ndims = 0;
    std::array<int, max_ndims> order{};
    int inner_nblks = 0;
    std::array<dim_t, max_ndims> inner_blks{};
    std::array<int, max_ndims> inner_idxs{};
};

bool parse_inner_blocks(const char *name, tag_spelling_t &tag) {
    while (*name) {
        dim_t block = 0;
        for (; std::isdigit(static_cast<unsigned char>(*name)); ++name) {
            block = block * 10 + (*name - '0');
            if (block > 4096) return false;
        }
        const int axis = *name - 'a';
        ++name;
        if (block < 1 || axis < 0 || axis >= tag.ndims) return false;
        if (block == 1) continue; // a block of one element changes nothing
        if (tag.inner_nblks == max_ndims) return false;
        tag.inner_blks[tag.inner_nblks] = block;
        tag.inner_idxs[tag.inner_nblks++] = axis;
    }
    return true;
}

bool parse_tag(const char *name, tag_spelling_t &tag) {
    unsigned seen = 0;
    for (; std::isalpha(static_cast<unsigned char>(*name)); ++name) {
        const int axis = std::tolower(static_cast<unsigned char>(*name)) - 'a';
        if (axis >= max_ndims || tag.ndims == max_ndims || (seen >> axis & 1)) return false;
        seen |= 1u << axis;
        tag.order[tag.ndims++] = axis;
    }
    return tag.ndims != 0 && seen == (1u << tag.ndims) - 1 && parse_inner_blocks(name, tag);
}

/// Fills padded dims and dense strides: the axes of `order` from the outermost to the innermost,
/// around the inner blocks that md already has.
status_t lay_out(memory_desc_t &md, const int *order) {
    auto &blocking = md.format_desc.blocking;
    KILN_TRY(check_blocks(blocking));
    dims_t blocks;
    block_sizes(md, blocks);
    dim_t stride = 1;
    bool unknown = false;
    bool overflow = false;
    for (int i = 0; i < blocking.inner_nblks; ++i) stride *= blocking.inner_blks[i];
    for (int i = md.ndims - 1; i >= 0; --i) {
        const int d = order[i];
        blocking.strides[d] = unknown ? runtime_dim : stride;
        if (md.dims[d] == runtime_dim) {
            unknown = true;
            continue;
        }
        const dim_t outer = md.dims[d] / blocks[d] + (md.dims[d] % blocks[d] != 0);
        dim_t padded = outer;
        overflow |= !multiply(padded, blocks[d]);
        md.padded_dims[d] = padded;
        if (outer != 0 && !unknown) overflow |= !multiply(stride, outer);
    }
    dim_t bytes = stride;
    overflow |= !unknown && !multiply(bytes, static_cast<dim_t>(data_type_size(md.data_type)));
    KILN_REQUIRE(!overflow, dnnl_invalid_arguments, "memory",
            "the number of elements with padding does not fit into 64 bits");
    return dnnl_success;
}

status_t init_by_spelling(memory_desc_t &md, int ndims, const dim_t *dims, data_type_t data_type,
        const tag_spelling_t &tag) {
    KILN_REQUIRE(tag.ndims == ndims, dnnl_invalid_arguments, "memory",
            "the format tag has %d axes, the tensor has %d dimensions; they must be as many",
            tag.ndims, ndims);
    memory_desc_t result = shape_only(ndims, dims, data_type, dnnl_blocked);
    auto &blocking = result.format_desc.blocking;
    blocking.inner_nblks = tag.inner_nblks;
    for (int i = 0; i < tag.inner_nblks; ++i) {
        blocking.inner_blks[i] = tag.inner_blks[i];
        blocking.inner_idxs[i] = tag.inner_idxs[i];
    }
    KILN_TRY(lay_out(result, tag.order.data()));
    md = result;
    return dnnl_success;
}

} // namespace

status_t check_shape(int ndims, const dim_t *dims, data_type_t data_type) {
    KILN_REQUIRE(0 <= ndims && ndims <= max_ndims, dnnl_invalid_arguments, "memory",
            "the tensor has %d dimensions; there may be 0 to %d", ndims, max_ndims);
    if (ndims == 0) return dnnl_success;
    KILN_REQUIRE(dims != nullptr, dnnl_invalid_arguments, "memory",
            "dims is a null pointer; the dimensions must be given");
    KILN_REQUIRE(is_tensor_type(data_type), dnnl_invalid_arguments, "memory",
            "%s is not a data type of tensors", dnnl_dt2str(data_type));
    dim_t product = 1;
    for (int d = 0; d < ndims; ++d) {
        if (dims[d] == runtime_dim) continue;
        KILN_REQUIRE(dims[d] >= 0, dnnl_invalid_arguments, "memory",
                "dimension %d is %lld; it must not be negative", d,
                static_cast<long long>(dims[d]));
        if (dims[d] > 0)
            KILN_REQUIRE(multiply(product, dims[d]), dnnl_invalid_arguments, "memory",
                    "the number of elements does not fit into 64 bits (from dimension %d on)", d);
    }
    return dnnl_success;
}

status_t check_blocks(const blocking_t &blocking) {
    constexpr dim_t most_elements = dim_t(1) << 20;
    dim_t elements = 1;
    for (int i = 0; i < blocking.inner_nblks; ++i)
        KILN_REQUIRE(multiply(elements, blocking.inner_blks[i]) && elements <= most_elements,
                dnnl_unimplemented, "memory",
                "the layout has blocks of more than %lld elements, which is not supported",
                static_cast<long long>(most_elements));
    return dnnl_success;
}

bool has_whole_blocks(const memory_desc_t &md, int axis, dim_t block) {
    const dim_t extent = md.padded_dims[axis];
    return extent % block == 0 || (extent < block && extent == md.dims[axis]);
}

status_t check_layout(const memory_desc_t &md) {
    const auto &blocking = md.format_desc.blocking;
    const dim_t *strides = blocking.strides;
    KILN_TRY(check_blocks(blocking));
    dim_t reach = 1;
    for (int i = 0; i < blocking.inner_nblks; ++i) reach *= blocking.inner_blks[i];
    if (has_runtime_values(md) || has_zero_dim(md)) return dnnl_success;
    dims_t blocks;
    block_sizes(md, blocks);
    std::array<dim_t, max_ndims> outer{};
    std::array<int, max_ndims> order{};
    int count = 0;
    for (int d = 0; d < md.ndims; ++d) {
        outer[d] = block_count(md, d, blocks[d]);
        if (outer[d] == 1) continue;
        KILN_REQUIRE(strides[d] >= 0, dnnl_invalid_arguments, "memory",
                "stride %d is %lld; it must not be negative", d,
                static_cast<long long>(strides[d]));
        if (strides[d] != 0) order[count++] = d;
    }
    std::sort(order.begin(), order.begin() + count,
            [&](int a, int b) { return strides[a] < strides[b]; });
    for (int i = 0; i < count; ++i) {
        const int d = order[i];
        KILN_REQUIRE(strides[d] >= reach, dnnl_invalid_arguments, "memory",
                "stride %d is too small: elements along this dimension would overlap those of the "
                "dimensions with smaller strides",
                d);
        reach = strides[d];
        KILN_REQUIRE(multiply(reach, outer[d]), dnnl_invalid_arguments, "memory",
                "dimension %d times its stride does not fit into 64 bits", d);
    }
    dim_t elements = 1;
    for (int d = 0; d < md.ndims; ++d)
        KILN_REQUIRE(multiply(elements, md.padded_dims[d]), dnnl_invalid_arguments, "memory",
                "the number of elements with padding does not fit into 64 bits");
    KILN_REQUIRE(!__builtin_add_overflow(reach, md.offset0, &reach)
                         && multiply(reach, static_cast<dim_t>(data_type_size(md.data_type))),
            dnnl_invalid_arguments, "memory",
            "the offset of the last element does not fit into 64 bits");
    return dnnl_success;
}

status_t init_by_tag(
        memory_desc_t &md, int ndims, const dim_t *dims, data_type_t data_type, format_tag_t tag) {
    if (ndims == 0 || tag == dnnl_format_tag_undef) {
        md = zero_md;
        return dnnl_success;
    }
    KILN_TRY(check_shape(ndims, dims, data_type));
    if (tag == dnnl_format_tag_any) {
        KILN_REQUIRE(!any_runtime(dims, ndims), dnnl_invalid_arguments, "memory",
                "dimensions known only at execution need a layout, not format any");
        md = shape_only(ndims, dims, data_type, dnnl_format_kind_any);
        return dnnl_success;
    }
    const char *name = format_tag_name(tag);
    tag_spelling_t spelling;
    KILN_REQUIRE(name && parse_tag(name, spelling), dnnl_invalid_arguments, "memory",
            "the format tag is not one of blocked layouts");
    return init_by_spelling(md, ndims, dims, data_type, spelling);
}

status_t init_by_tag_name(
        memory_desc_t &md, int ndims, const dim_t *dims, data_type_t data_type, const char *name) {
    const format_tag_t tag = format_tag_from_name(name);
    if (tag != dnnl_format_tag_undef) return init_by_tag(md, ndims, dims, data_type, tag);
    KILN_TRY(check_shape(ndims, dims, data_type));
    tag_spelling_t spelling;
    KILN_REQUIRE(ndims > 0 && parse_tag(name, spelling), dnnl_invalid_arguments, "memory",
            "%s is not a format tag", name);
    return init_by_spelling(md, ndims, dims, data_type, spelling);
}

status_t init_by_strides(memory_desc_t &md, int ndims, const dim_t *dims, data_type_t data_type,
        const dim_t *strides) {
    if (ndims == 0) {
        md = zero_md;
        return dnnl_success;
    }
    KILN_TRY(check_shape(ndims, dims, data_type));
    memory_desc_t result = shape_only(ndims, dims, data_type, dnnl_blocked);
    if (strides == nullptr) {
        std::array<int, max_ndims> order{};
        for (int d = 0; d < ndims; ++d) order[d] = d;
        KILN_TRY(lay_out(result, order.data()));
    } else {
        std::copy_n(strides, ndims, result.format_desc.blocking.strides);
        KILN_TRY(check_layout(result));
    }
    md = result;
    return dnnl_success;
}

status_t init_like(memory_desc_t &md, int ndims, const dim_t *dims, data_type_t data_type,
        const memory_desc_t &model) {
    if (!is_blocked(model)) return dnnl_unimplemented;
    KILN_TRY(check_shape(ndims, dims, data_type));
    memory_desc_t result = shape_only(ndims, dims, data_type, dnnl_blocked);
    const auto &from = model.format_desc.blocking;
    auto &to = result.format_desc.blocking;
    for (int i = 0; i < from.inner_nblks; ++i) {
        if (from.inner_idxs[i] >= ndims) continue;
        to.inner_blks[to.inner_nblks] = from.inner_blks[i];
        to.inner_idxs[to.inner_nblks++] = from.inner_idxs[i];
    }
    const auto order = axes_outermost_first(model, ndims);
    KILN_TRY(lay_out(result, order.data()));
    md = result;
    return dnnl_success;
}

status_t follow(memory_desc_t &md, const memory_desc_t &model) {
    return is_any(md) ? init_like(md, md.ndims, md.dims, md.data_type, model) : dnnl_success;
}

namespace {

/// Allocates a descriptor, lets `init` fill it, and hands it to the caller on success only.
template <typename init_t> status_t create(memory_desc_t **out, init_t &&init) {
    if (out == nullptr) return dnnl_invalid_arguments;
    return guarded([&]() -> status_t {
        auto md = std::make_unique<memory_desc_t>(zero_md);
        KILN_TRY(init(*md));
        *out = md.release();
        return dnnl_success;
    });
}

status_t init_sparse(memory_desc_t &md, int ndims, const dim_t *dims, data_type_t data_type,
        const sparse_encoding_desc_t &sparse) {
    if (ndims == 0) return dnnl_success;
    KILN_REQUIRE(ndims <= 2 || sparse.encoding == dnnl_packed, dnnl_unimplemented, "memory",
            "a sparse tensor has %d dimensions; at most 2 are supported", ndims);
    KILN_REQUIRE(sparse.nnz >= 0, dnnl_invalid_arguments, "memory",
            "the number of nonzero elements is %lld; it must not be negative",
            static_cast<long long>(sparse.nnz));
    KILN_TRY(check_shape(ndims, dims, data_type));
    md = shape_only(ndims, dims, data_type, dnnl_format_kind_sparse);
    md.format_desc.sparse = sparse;
    return dnnl_success;
}

} // namespace
} // namespace kiln

using namespace kiln;

status_t dnnl_memory_desc_create_with_tag(memory_desc_t **memory_desc, int ndims, const dims_t dims,
        data_type_t data_type, format_tag_t tag) {
    return create(memory_desc,
            [&](memory_desc_t &md) { return init_by_tag(md, ndims, dims, data_type, tag); });
}

status_t dnnl_memory_desc_create_with_strides(memory_desc_t **memory_desc, int ndims,
        const dims_t dims, data_type_t data_type, const dims_t strides) {
    return create(memory_desc, [&](memory_desc_t &md) {
        return init_by_strides(md, ndims, dims, data_type, strides);
    });
}

status_t dnnl_memory_desc_create_with_csr_encoding(memory_desc_t **memory_desc, int ndims,
        const dims_t dims, data_type_t data_type, dim_t nnz, data_type_t indices_dt,
        data_type_t pointers_dt) {
    return create(memory_desc, [&](memory_desc_t &md) {
        return init_sparse(md, ndims, dims, data_type, {dnnl_csr, nnz, {indices_dt, pointers_dt}});
    });
}

status_t dnnl_memory_desc_create_with_coo_encoding(memory_desc_t **memory_desc, int ndims,
        const dims_t dims, data_type_t data_type, dim_t nnz, data_type_t indices_dt) {
    return create(memory_desc, [&](memory_desc_t &md) {
        return init_sparse(
                md, ndims, dims, data_type, {dnnl_coo, nnz, {indices_dt, dnnl_data_type_undef}});
    });
}

status_t dnnl_memory_desc_create_with_packed_encoding(memory_desc_t **memory_desc, int ndims,
        const dims_t dims, data_type_t data_type, dim_t nnz) {
    return create(memory_desc, [&](memory_desc_t &md) {
        return init_sparse(md, ndims, dims, data_type,
                {dnnl_packed, nnz, {dnnl_data_type_undef, dnnl_data_type_undef}});
    });
}

status_t dnnl_memory_desc_create_host_scalar(memory_desc_t **memory_desc, data_type_t data_type) {
    return create(memory_desc, [&](memory_desc_t &md) -> status_t {
        const dims_t dims = {1};
        KILN_TRY(check_shape(1, dims, data_type));
        md = shape_only(1, dims, data_type, dnnl_format_kind_host_scalar);
        return dnnl_success;
    });
}

status_t dnnl_memory_desc_create_with_string_tag(memory_desc_t **memory_desc, int ndims,
        const dims_t dims, data_type_t data_type, const char *tag) {
    if (tag == nullptr) return dnnl_invalid_arguments;
    return create(memory_desc,
            [&](memory_desc_t &md) { return init_by_tag_name(md, ndims, dims, data_type, tag); });
}
