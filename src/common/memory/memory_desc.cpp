// SPDX-License-Identifier: Apache-2.0
// Properties of a memory descriptor: counts, sizes, offsets, equality, queries.

#include "common/memory/memory_desc.hpp"

#include <algorithm>
#include <numeric>

#include "common/fields.hpp"
#include "common/memory/compensation.hpp"
#include "common/memory/data_type.hpp"
#include "common/out_parameter.hpp"
#include "common/unlisted_functions.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {

const memory_desc_t zero_md{};

namespace {

size_t bytes_of(data_type_t data_type, size_t count) {
    return is_half_byte(data_type) ? (count + 1) / 2 : count * data_type_size(data_type);
}

dim_t inner_block_size(const memory_desc_t &md) {
    dim_t size = 1;
    for (int i = 0; i < md.format_desc.blocking.inner_nblks; ++i)
        size *= md.format_desc.blocking.inner_blks[i];
    return size;
}

/// Elements of the smallest run of whole blocks and strides that holds all elements.
size_t span(const memory_desc_t &md) {
    dims_t blocks;
    block_sizes(md, blocks);
    size_t result = static_cast<size_t>(inner_block_size(md));
    for (int d = 0; d < md.ndims; ++d) {
        const dim_t outer = block_count(md, d, blocks[d]);
        if (outer > 1)
            result = std::max(
                    result, static_cast<size_t>(outer * md.format_desc.blocking.strides[d]));
    }
    return result;
}

/// The offset of a position inside a block, as far as one axis determines it.
dim_t offset_in_block(const blocking_t &blocking, int axis, dim_t position) {
    dim_t offset = 0;
    dim_t inner_stride = 1;
    for (int i = blocking.inner_nblks - 1; i >= 0; --i) {
        if (blocking.inner_idxs[i] == axis) {
            offset += position % blocking.inner_blks[i] * inner_stride;
            position /= blocking.inner_blks[i];
        }
        inner_stride *= blocking.inner_blks[i];
    }
    return offset;
}

/// Elements from offset0 to one past the last, padding included. Offsets grow with the position
/// along each axis.
size_t reach(const memory_desc_t &md) {
    const blocking_t &blocking = md.format_desc.blocking;
    dims_t blocks;
    block_sizes(md, blocks);
    dim_t last = 0;
    for (int d = 0; d < md.ndims; ++d) {
        const dim_t position = md.padded_dims[d] - 1;
        const dim_t block = position / blocks[d];
        if (block > 0) last += block * blocking.strides[d];
        last += offset_in_block(blocking, d, position % blocks[d]);
    }
    return static_cast<size_t>(last) + 1;
}

size_t sparse_byte_size(const memory_desc_t &md, int index) {
    const auto &sparse = md.format_desc.sparse;
    const auto count = static_cast<size_t>(sparse.nnz);
    if (sparse.encoding == dnnl_packed) return 0; // decided by an implementation, and there is none
    if (index == 0) return bytes_of(md.data_type, count);
    if (sparse.encoding == dnnl_csr && index == 2)
        return bytes_of(sparse.metadata_types[1], static_cast<size_t>(md.dims[0]) + 1);
    return index < handle_count(md) ? bytes_of(sparse.metadata_types[0], count) : 0;
}

} // namespace

bool has_zero_dim(const memory_desc_t &md) {
    return std::find(md.dims, md.dims + md.ndims, 0) != md.dims + md.ndims;
}

bool has_runtime_values(const memory_desc_t &md) {
    const dim_t *strides = is_blocked(md) ? md.format_desc.blocking.strides : md.dims;
    for (int d = 0; d < md.ndims; ++d)
        if (md.dims[d] == runtime_dim || strides[d] == runtime_dim) return true;
    return false;
}

bool has_padding(const memory_desc_t &md) {
    return is_blocked(md) && !std::equal(md.dims, md.dims + md.ndims, md.padded_dims);
}

bool has_front_padding(const memory_desc_t &md) {
    return is_blocked(md)
           && std::any_of(md.padded_offsets, md.padded_offsets + md.ndims,
                   [](dim_t offset) { return offset != 0; });
}

bool same_dims(const memory_desc_t &lhs, const memory_desc_t &rhs) {
    return lhs.ndims == rhs.ndims && std::equal(lhs.dims, lhs.dims + lhs.ndims, rhs.dims);
}

dim_t element_count(const memory_desc_t &md, bool with_padding) {
    if (md.ndims == 0) return 0;
    if (has_runtime_values(md)) return runtime_dim;
    const dim_t *dims = with_padding ? md.padded_dims : md.dims;
    dim_t count = 1;
    for (int d = 0; d < md.ndims; ++d) count *= dims[d];
    return count;
}

size_t byte_size(const memory_desc_t &md, int index) {
    if (is_zero(md) || index < 0) return 0;
    if (md.format_kind == dnnl_format_kind_sparse) return sparse_byte_size(md, index);
    if (index != 0 || has_zero_dim(md)) return 0;
    if (is_host_scalar(md)) return data_type_size(md.data_type);
    if (!is_blocked(md)) return 0;
    if (has_runtime_values(md)) return DNNL_RUNTIME_SIZE_VAL;
    const size_t bytes = bytes_of(md.data_type, span(md));
    return md.extra.flags == 0 ? bytes : compensation_offset(md) + compensation_bytes(md);
}

size_t offset0_bytes(const memory_desc_t &md) {
    return bytes_of(md.data_type, static_cast<size_t>(md.offset0));
}

size_t reached_bytes(const memory_desc_t &md) {
    if (!is_blocked(md)) return byte_size(md);
    if (has_zero_dim(md) || has_runtime_values(md)) return 0;
    if (md.extra.flags != 0) return offset0_bytes(md) + byte_size(md);
    return bytes_of(md.data_type, static_cast<size_t>(md.offset0) + reach(md));
}

int handle_count(const memory_desc_t &md) {
    if (md.format_kind != dnnl_format_kind_sparse) return 1;
    return md.format_desc.sparse.encoding == dnnl_packed ? 3 : md.ndims + 1;
}

bool is_dense(const memory_desc_t &md, bool with_padding) {
    if (!is_blocked(md) || has_runtime_values(md)) return false;
    if (has_zero_dim(md)) return true;
    for (int d = 0; d < md.ndims; ++d) // a broadcast axis repeats elements
        if (md.padded_dims[d] > 1 && md.format_desc.blocking.strides[d] == 0) return false;
    return static_cast<size_t>(element_count(md, with_padding)) == span(md);
}

void block_sizes(const memory_desc_t &md, dims_t blocks) {
    std::fill_n(blocks, max_ndims, dim_t(1));
    const auto &blocking = md.format_desc.blocking;
    for (int i = 0; i < blocking.inner_nblks; ++i)
        blocks[blocking.inner_idxs[i]] *= blocking.inner_blks[i];
}

namespace {

bool same_blocking(const memory_desc_t &lhs, const memory_desc_t &rhs) {
    const auto &a = lhs.format_desc.blocking;
    const auto &b = rhs.format_desc.blocking;
    if (a.inner_nblks != b.inner_nblks
            || !std::equal(a.inner_blks, a.inner_blks + a.inner_nblks, b.inner_blks)
            || !std::equal(a.inner_idxs, a.inner_idxs + a.inner_nblks, b.inner_idxs))
        return false;
    for (int d = 0; d < lhs.ndims; ++d)
        if (lhs.padded_dims[d] != 1 && a.strides[d] != b.strides[d]) return false;
    return true;
}

bool same_encoding(const sparse_encoding_desc_t &a, const sparse_encoding_desc_t &b) {
    return a.encoding == b.encoding && a.nnz == b.nnz
           && std::equal(a.metadata_types, a.metadata_types + 2, b.metadata_types);
}

} // namespace

int broadcast_axis(const memory_desc_t &md) {
    if (!is_blocked(md)) return -1;
    for (int d = 0; d < md.ndims; ++d)
        if (md.dims[d] > 1 && md.format_desc.blocking.strides[d] == 0) return d;
    return -1;
}

std::array<int, max_ndims> axes_outermost_first(const memory_desc_t &md, int count) {
    const auto &strides = md.format_desc.blocking.strides;
    dims_t blocks;
    block_sizes(md, blocks);
    const auto is_outside = [&](int a, int b) {
        const auto stride_a = static_cast<uint64_t>(strides[a]) - 1;
        const auto stride_b = static_cast<uint64_t>(strides[b]) - 1;
        if (stride_a != stride_b) return stride_a > stride_b;
        return block_count(md, a, blocks[a]) > block_count(md, b, blocks[b]);
    };
    std::array<int, max_ndims> order;
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.begin() + count, is_outside);
    return order;
}

axis_offsets_t::axis_offsets_t(const memory_desc_t &md, int axis)
    : shift_(md.padded_offsets[axis])
    , stride_(md.format_desc.blocking.strides[axis]) {
    const blocking_t &blocking = md.format_desc.blocking;
    dims_t blocks;
    block_sizes(md, blocks);
    block_ = blocks[axis];
    if (block_ == 1) return;

    in_block_.reserve(static_cast<size_t>(block_));
    for (dim_t p = 0; p < block_; ++p) in_block_.push_back(offset_in_block(blocking, axis, p));
}

layout_t::layout_t(const memory_desc_t &md)
    : offset0_(md.offset0) {
    axes_.reserve(static_cast<size_t>(md.ndims));
    for (int d = 0; d < md.ndims; ++d) axes_.emplace_back(md, d);
}

namespace {

status_t query_blocking(const blocking_t &blocking, query_t what, void *result) {
    switch (what) {
    case dnnl_query_strides: return answer<const dims_t *>(result, &blocking.strides);
    case dnnl_query_inner_nblks_s32: return answer<int32_t>(result, blocking.inner_nblks);
    case dnnl_query_inner_blks: return answer<const dims_t *>(result, &blocking.inner_blks);
    default: return answer<const dims_t *>(result, &blocking.inner_idxs);
    }
}

status_t query(const memory_desc_t &md, query_t what, void *result) {
    switch (what) {
    case dnnl_query_ndims_s32: return answer<int32_t>(result, md.ndims);
    case dnnl_query_dims: return answer<const dims_t *>(result, &md.dims);
    case dnnl_query_data_type: return answer(result, md.data_type);
    case dnnl_query_submemory_offset_s64: return answer(result, md.offset0);
    case dnnl_query_padded_dims: return answer<const dims_t *>(result, &md.padded_dims);
    case dnnl_query_padded_offsets: return answer<const dims_t *>(result, &md.padded_offsets);
    case dnnl_query_format_kind: return answer(result, md.format_kind);
    case dnnl_query_strides:
    case dnnl_query_inner_nblks_s32:
    case dnnl_query_inner_blks:
    case dnnl_query_inner_idxs:
        return is_blocked(md) ? query_blocking(md.format_desc.blocking, what, result)
                              : dnnl_invalid_arguments;
    default: return dnnl_unimplemented;
    }
}

status_t query_sparse(const memory_desc_t &md, query_t what, int index, void *result) {
    const auto &sparse = md.format_desc.sparse;
    switch (what) {
    case dnnl_query_sparse_encoding: return answer(result, sparse.encoding);
    case dnnl_query_nnz_s64: return answer(result, sparse.nnz);
    case dnnl_query_data_type: {
        if (index == 0) return answer(result, md.data_type);
        const bool pointers = sparse.encoding == dnnl_csr && index == 2;
        return answer(result, sparse.metadata_types[pointers ? 1 : 0]);
    }
    default: return query(md, what, result);
    }
}

} // namespace

bool same_extra(const extra_desc_t &lhs, const extra_desc_t &rhs) {
    if (lhs.flags != rhs.flags) return false;
    return lhs.flags == 0
           || (lhs.compensation_mask == rhs.compensation_mask
                   && lhs.asymm_compensation_mask == rhs.asymm_compensation_mask
                   && lhs.scale_adjust == rhs.scale_adjust);
}

} // namespace kiln

using namespace kiln;

bool dnnl_memory_desc::operator==(const dnnl_memory_desc &other) const {
    if (ndims == 0 && other.ndims == 0) return true;
    if (!same_dims(*this, other) || data_type != other.data_type || offset0 != other.offset0
            || format_kind != other.format_kind || !same_extra(extra, other.extra)
            || !std::equal(padded_dims, padded_dims + ndims, other.padded_dims)
            || !std::equal(padded_offsets, padded_offsets + ndims, other.padded_offsets))
        return false;
    if (is_blocked(*this)) return same_blocking(*this, other);
    if (format_kind == dnnl_format_kind_sparse)
        return same_encoding(format_desc.sparse, other.format_desc.sparse);
    return true;
}

size_t dnnl_memory_desc::hash() const {
    // Strides of extent-1 axes are left out, as equality leaves them out.
    hasher_t hash;
    hash(ndims);
    if (ndims == 0) return hash.value();
    hash(data_type), hash(offset0), hash(format_kind);
    for (int d = 0; d < ndims; ++d) {
        hash(dims[d]), hash(padded_dims[d]);
        if (is_blocked(*this) && padded_dims[d] != 1) hash(format_desc.blocking.strides[d]);
    }
    if (is_blocked(*this)) {
        const auto &blocking = format_desc.blocking;
        for (int i = 0; i < blocking.inner_nblks; ++i)
            hash(blocking.inner_blks[i]), hash(blocking.inner_idxs[i]);
    }
    return hash.value();
}

status_t dnnl_memory_desc_query(const memory_desc_t *memory_desc, query_t what, void *result) {
    if (memory_desc == nullptr || result == nullptr) return dnnl_invalid_arguments;
    return query(*memory_desc, what, result);
}

status_t dnnl_memory_desc_query_v2(
        const memory_desc_t *memory_desc, query_t what, int index, void *result) {
    if (memory_desc == nullptr || result == nullptr) return dnnl_invalid_arguments;
    const memory_desc_t &md = *memory_desc;
    KILN_REQUIRE(
            0 <= index && index < handle_count(md) && (index == 0 || what == dnnl_query_data_type),
            dnnl_invalid_arguments, "memory", "the descriptor has no buffer of index %d", index);
    if (what == dnnl_query_num_handles_s32) return answer<int32_t>(result, handle_count(md));
    if (md.format_kind == dnnl_format_kind_sparse) return query_sparse(md, what, index, result);
    if (what == dnnl_query_sparse_encoding || what == dnnl_query_nnz_s64)
        return dnnl_invalid_arguments;
    return query(md, what, result);
}

int dnnl_memory_desc_equal(const memory_desc_t *lhs, const memory_desc_t *rhs) {
    if (lhs == rhs) return 1;
    if (lhs == nullptr || rhs == nullptr) return 0;
    return *lhs == *rhs;
}

size_t dnnl_memory_desc_get_size(const memory_desc_t *memory_desc) {
    return dnnl_memory_desc_get_size_v2(memory_desc, 0);
}

size_t dnnl_memory_desc_get_size_v2(const memory_desc_t *memory_desc, int index) {
    return memory_desc == nullptr ? 0 : byte_size(*memory_desc, index);
}

size_t dnnl_data_type_size(data_type_t data_type) { return data_type_size(data_type); }

status_t dnnl_memory_desc_clone(
        memory_desc_t **memory_desc, const memory_desc_t *existing_memory_desc) {
    if (memory_desc == nullptr || existing_memory_desc == nullptr) return dnnl_invalid_arguments;
    return guarded([&] {
        *memory_desc = new memory_desc_t(*existing_memory_desc);
        return dnnl_success;
    });
}

status_t dnnl_memory_desc_destroy(memory_desc_t *memory_desc) {
    delete memory_desc;
    return dnnl_success;
}

status_t dnnl_memory_desc_set_data_type(memory_desc_t *memory_desc, data_type_t data_type) {
    if (memory_desc == nullptr) return dnnl_invalid_arguments;
    return guarded([&]() -> status_t {
        memory_desc_t result = *memory_desc;
        result.data_type = data_type;
        KILN_TRY(check_shape(result.ndims, result.dims, data_type));
        if (is_blocked(result)) KILN_TRY(check_layout(result));
        *memory_desc = result;
        return dnnl_success;
    });
}
