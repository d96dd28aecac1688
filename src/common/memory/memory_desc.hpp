// SPDX-License-Identifier: Apache-2.0
// The memory descriptor: shape, data type and layout of a tensor.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "common/status.hpp"

namespace kiln {

/// Layout of a blocked tensor: strides between outer blocks (in elements) and the inner blocks,
/// outermost first.
struct blocking_t {
    dims_t strides;
    int inner_nblks;
    dims_t inner_blks;
    dims_t inner_idxs;
};

/// The encoding of a sparse tensor. It can be stored and queried; no implementation executes it.
struct sparse_encoding_desc_t {
    dnnl_sparse_encoding_t encoding;
    dim_t nnz;
    data_type_t metadata_types[2];
};

/// What lies behind the elements: see compensation.hpp. No function of the interface sets flags.
struct extra_desc_t {
    uint64_t flags;
    int compensation_mask;
    float scale_adjust;
    int asymm_compensation_mask;
    int64_t reserved[13];
};

bool same_extra(const extra_desc_t &lhs, const extra_desc_t &rhs);

} // namespace kiln

/// The C interface's opaque descriptor. Its memory layout is a contract: tools of the ecosystem
/// read it. oneDNN as it is compiled has a flag in front and the number of axes behind it, so the
/// number is stored in both places; the library itself reads the first.
struct dnnl_memory_desc {
    int ndims;
    int ndims_in_tools;
    dnnl_dims_t dims;
    dnnl_data_type_t data_type;
    dnnl_dims_t padded_dims;
    dnnl_dims_t padded_offsets;
    dnnl_dim_t offset0;
    dnnl_format_kind_t format_kind;
    union {
        kiln::blocking_t blocking;
        kiln::sparse_encoding_desc_t sparse;
        unsigned char bytes[320];
    } format_desc;
    kiln::extra_desc_t extra;

    /// Equality as `dnnl_memory_desc_equal` defines it: strides of extent-1 axes do not count.
    bool operator==(const dnnl_memory_desc &other) const;
    size_t hash() const;

    void set_ndims(int count) { ndims = ndims_in_tools = count; }
};

static_assert(sizeof(dnnl_memory_desc) == 768);
static_assert(offsetof(dnnl_memory_desc, ndims_in_tools) == 4);
static_assert(offsetof(dnnl_memory_desc, dims) == 8);
static_assert(offsetof(dnnl_memory_desc, data_type) == 104);
static_assert(offsetof(dnnl_memory_desc, padded_dims) == 112);
static_assert(offsetof(dnnl_memory_desc, padded_offsets) == 208);
static_assert(offsetof(dnnl_memory_desc, offset0) == 304);
static_assert(offsetof(dnnl_memory_desc, format_kind) == 312);
static_assert(offsetof(dnnl_memory_desc, format_desc) == 320);
static_assert(offsetof(dnnl_memory_desc, extra) == 640);
static_assert(offsetof(kiln::blocking_t, inner_nblks) == 96);
static_assert(offsetof(kiln::blocking_t, inner_blks) == 104);
static_assert(offsetof(kiln::blocking_t, inner_idxs) == 200);

namespace kiln {

/// The descriptor of "no tensor".
extern const memory_desc_t zero_md;

inline bool is_zero(const memory_desc_t &md) { return md.ndims == 0; }
inline bool is_blocked(const memory_desc_t &md) { return md.format_kind == dnnl_blocked; }
inline bool is_any(const memory_desc_t &md) { return md.format_kind == dnnl_format_kind_any; }
inline bool is_host_scalar(const memory_desc_t &md) {
    return md.format_kind == dnnl_format_kind_host_scalar;
}
/// Blocked without inner blocks: strides say everything.
inline bool is_plain(const memory_desc_t &md) {
    return is_blocked(md) && md.format_desc.blocking.inner_nblks == 0;
}

bool has_zero_dim(const memory_desc_t &md);
/// Whether a dim or a stride is left to execution time.
bool has_runtime_values(const memory_desc_t &md);
/// Whether the physical tensor is larger than the logical one.
bool has_padding(const memory_desc_t &md);
/// Whether padding comes before the elements along an axis.
bool has_front_padding(const memory_desc_t &md);
bool same_dims(const memory_desc_t &lhs, const memory_desc_t &rhs);

/// Product of the dims (of the padded dims, with padding); 0 for the zero descriptor.
dim_t element_count(const memory_desc_t &md, bool with_padding = false);
/// The size that the interface reports, offset0 not included: whole blocks and, along the axis of
/// the greatest stride, whole strides (of buffer `index`, for a sparse descriptor). 0 for a
/// descriptor without layout or elements, `DNNL_RUNTIME_SIZE_VAL` where dims are unknown.
size_t byte_size(const memory_desc_t &md, int index = 0);
/// Bytes in front of the tensor inside its buffer.
size_t offset0_bytes(const memory_desc_t &md);
/// Bytes from the beginning of the buffer to the end of the last element, padding included: no
/// execution touches any byte behind. At most offset0_bytes() + byte_size(); 0 where byte_size() is
/// 0 or unknown.
size_t reached_bytes(const memory_desc_t &md);
/// How many buffers a memory of this descriptor has.
int handle_count(const memory_desc_t &md);
/// Whether the elements (padding included) fill their bytes without a gap.
bool is_dense(const memory_desc_t &md, bool with_padding = false);
/// Product of the inner blocks of each axis; 1 where the axis is not blocked.
void block_sizes(const memory_desc_t &md, dims_t blocks);
/// Blocks of `block` elements along an axis, padding included. A submemory may end within its only
/// block along an axis, which counts as a whole one.
inline dim_t block_count(const memory_desc_t &md, int axis, dim_t block) {
    const dim_t extent = md.padded_dims[axis];
    return extent / block + (extent % block != 0);
}

/// The first axis of stride 0 with more than one element; -1 if there is none.
int broadcast_axis(const memory_desc_t &md);
/// The first `count` axes from the outermost to the innermost in memory. A broadcast axis counts as
/// outermost, and of two axes with one stride the longer is the outer one.
std::array<int, max_ndims> axes_outermost_first(const memory_desc_t &md, int count);

/// Checks ndims, dims and data type as every creating function does.
status_t check_shape(int ndims, const dim_t *dims, data_type_t data_type);
/// Checks that the product of the inner blocks is at most 2^20.
status_t check_blocks(const blocking_t &blocking);
/// Checks that blocks, strides and padding of a blocked layout make sense together: no two elements
/// overlap, except along an axis of stride 0, and the whole span fits into 64 bits.
status_t check_layout(const memory_desc_t &md);
/// Whether an axis consists of whole blocks, or of a part of one block without padding, which only
/// a submemory has.
bool has_whole_blocks(const memory_desc_t &md, int axis, dim_t block);
status_t init_by_tag(
        memory_desc_t &md, int ndims, const dim_t *dims, data_type_t data_type, format_tag_t tag);
/// Null strides mean row-major.
status_t init_by_strides(memory_desc_t &md, int ndims, const dim_t *dims, data_type_t data_type,
        const dim_t *strides);
/// Dense, with the axes in the memory order of `model` and its inner blocks; `model` may have one
/// more axis than `dims`: its last logical one is dropped (statistics from a data tensor).
status_t init_like(memory_desc_t &md, int ndims, const dim_t *dims, data_type_t data_type,
        const memory_desc_t &model);
/// Gives `md` the layout of `model` if its format is `any`.
status_t follow(memory_desc_t &md, const memory_desc_t &model);
/// The layout a tag's name spells, e.g. "aBcd16b".
status_t init_by_tag_name(
        memory_desc_t &md, int ndims, const dim_t *dims, data_type_t data_type, const char *name);

/// Where the elements of one axis lie: the element offset is separable, one term an axis.
class axis_offsets_t {
public:
    axis_offsets_t(const memory_desc_t &md, int axis);
    dim_t operator()(dim_t position) const {
        const dim_t p = position + shift_;
        if (in_block_.empty()) return p * stride_;
        return p / block_ * stride_ + in_block_[static_cast<size_t>(p % block_)];
    }

private:
    dim_t shift_;  // padding in front
    dim_t stride_; // between blocks
    dim_t block_;
    std::vector<dim_t> in_block_; // offsets inside a block; only for blocked axes
};

/// Element offsets of a tensor by logical position; offset0 included.
class layout_t {
public:
    explicit layout_t(const memory_desc_t &md);
    dim_t offset(const dim_t *position) const {
        dim_t result = offset0_;
        for (size_t d = 0; d < axes_.size(); ++d) result += axes_[d](position[d]);
        return result;
    }
    const axis_offsets_t &axis(int d) const { return axes_[d]; }
    dim_t offset0() const { return offset0_; }

private:
    dim_t offset0_;
    std::vector<axis_offsets_t> axes_;
};

} // namespace kiln
