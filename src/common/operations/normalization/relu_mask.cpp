// SPDX-License-Identifier: Apache-2.0
// The layout of a fused ReLU's mask in the workspace.

#include "common/operations/normalization/relu_mask.hpp"

#include <algorithm>

#include "common/integers.hpp"

namespace kiln {
namespace {

constexpr int channel_axis = 1;
constexpr dim_t bits_per_byte = 8;

dim_t whole_bytes(dim_t bits) { return round_up(bits, bits_per_byte); }

} // namespace

void init_relu_mask(memory_desc_t &bits, const memory_desc_t &src) {
    bits = src;
    bits.data_type = dnnl_u8;
    bits.offset0 = 0;
    const blocking_t &from = src.format_desc.blocking;
    blocking_t &to = bits.format_desc.blocking;
    dims_t blocks;
    block_sizes(src, blocks);
    dim_t block = 1;
    for (int i = 0; i < from.inner_nblks; ++i) block *= from.inner_blks[i];

    // The run grows from the innermost axis outwards. A block is a run of its own.
    dim_t size = from.inner_nblks == 0 ? 1 : whole_bytes(block);
    bool in_run = from.inner_nblks == 0;
    int previous = -1;
    const auto outermost_first = axes_outermost_first(src, src.ndims);
    for (int i = src.ndims - 1; i >= 0; --i) {
        const int axis = outermost_first[static_cast<size_t>(i)];
        const dim_t extent = block_count(src, axis, blocks[axis]);
        if (in_run && extent != 1) {
            const bool continues =
                    previous < 0
                    || (axis != channel_axis && previous != channel_axis
                            && from.strides[axis]
                                       == from.strides[previous] * src.padded_dims[previous]);
            if (!continues) {
                size = whole_bytes(size);
                in_run = false;
            }
            previous = axis;
        }
        to.strides[axis] = size;
        size *= extent;
    }
}

dim_t relu_mask_bytes(const memory_desc_t &bits) {
    dims_t blocks;
    block_sizes(bits, blocks);
    dim_t end = 1;
    for (int d = 0; d < bits.ndims; ++d) {
        const dim_t extent = block_count(bits, d, blocks[d]);
        if (extent > 0) end = std::max(end, bits.format_desc.blocking.strides[d] * extent);
    }
    return whole_bytes(end) / bits_per_byte;
}

} // namespace kiln
