// SPDX-License-Identifier: Apache-2.0
// Where the elements of a tensor lie: memory descriptors made from short texts, and read back
// through the queries of the C interface. It knows no buffers.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/handle.hpp"

namespace kiln::test {

using dims_t = std::vector<dnnl_dim_t>;

std::string to_string(const dims_t &dims);

/// Number of elements.
int64_t volume(const dims_t &dims);

/// The index that comes at `position` in row-major order.
dims_t index_at(const dims_t &dims, int64_t position);

/// Calls `visit` with every index, in row-major order.
template <typename visitor_t> void for_each_index(const dims_t &dims, visitor_t visit) {
    dims_t index(dims.size());
    for (int64_t left = volume(dims); left > 0; --left) {
        visit(std::as_const(index));
        for (size_t axis = dims.size(); axis-- > 0;) {
            if (++index[axis] < dims[axis]) break;
            index[axis] = 0;
        }
    }
}

/// Makes a descriptor from a format:
///   ""         row-major
///   "any"      left to the library
///   "acb"      axes in memory order, the last one dense
///   "acb+3"    the same, every row of the last axis followed by 3 elements that are not the
///              tensor's
///   "acb*2"    the same, the elements of the last axis 2 apart
///   "abc/b"    the axes a and c in memory order; the elements along b are one (stride 0), which is
///              for inputs
///   "aBc16b"   the format tag of this name
///   "aBc16b of 2x32x7 at 0x16x0"   the part from this index on of a tensor of other dims
memory_desc_handle_t make_desc(
        const dims_t &dims, dnnl_data_type_t type, const std::string &format = "");
memory_desc_handle_t make_desc(const dims_t &dims, dnnl_data_type_t type, const dims_t &strides);
memory_desc_handle_t clone_desc(const_dnnl_memory_desc_t desc);

/// Formats in which a tensor of these dims is a part of a greater one of the format: at its
/// beginning, inside, and at its end.
std::vector<std::string> part_formats(const dims_t &dims, const std::string &format);

/// A strided or blocked layout. Offsets are in elements, from the start of the buffer.
class layout_t {
public:
    explicit layout_t(const_dnnl_memory_desc_t desc);

    dnnl_data_type_t type() const { return type_; }
    const dims_t &dims() const { return dims_; }
    const dims_t &padded_dims() const { return padded_dims_; }
    const dims_t &strides() const { return strides_; }
    bool is_blocked() const { return !inner_blocks_.empty(); }
    const dims_t &inner_blocks() const { return inner_blocks_; }
    const dims_t &inner_axes() const { return inner_axes_; }

    /// `index` may lie in the padding.
    int64_t offset(const dims_t &index) const;

    /// Whether an element's offset is its place in row-major order.
    bool is_row_major() const;

    /// The offsets of all elements in row-major order of their index.
    std::vector<int64_t> offsets() const;

    /// One past the greatest offset of any element, padding included; 0 without elements.
    int64_t span() const;

private:
    dnnl_data_type_t type_;
    dims_t dims_;
    dims_t padded_dims_;
    dims_t padded_offsets_;
    dims_t strides_;
    dims_t inner_blocks_;
    dims_t inner_axes_;
    int64_t offset0_;
};

} // namespace kiln::test
