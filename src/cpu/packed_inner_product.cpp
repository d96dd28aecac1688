// SPDX-License-Identifier: Apache-2.0
// Weights of inner products in the layouts that matrix multiplication chooses.

#include "cpu/packed_inner_product.hpp"

#include <algorithm>
#include <vector>

#include "common/integers.hpp"

namespace kiln::cpu {
namespace {

/// The axes but the first, the innermost in memory first; axes of one element come last. The axis
/// whose elements are grouped is the innermost.
std::vector<int> columns_innermost_first(const memory_desc_t &model) {
    const auto order = axes_outermost_first(model, model.ndims);
    std::vector<int> axes;
    for (const bool is_long : {true, false})
        for (int i = model.ndims - 1; i >= 0; --i) {
            const int d = order[static_cast<size_t>(i)];
            if (d != 0 && (model.dims[d] > 1) == is_long) axes.push_back(d);
        }
    const blocking_t &blocking = model.format_desc.blocking;
    for (int i = 0; i < blocking.inner_nblks; ++i) {
        if (blocking.inner_idxs[i] == 0) continue;
        const auto grouped = std::find(axes.begin(), axes.end(), blocking.inner_idxs[i]);
        if (grouped != axes.end()) std::rotate(axes.begin(), grouped, grouped + 1);
    }
    return axes;
}

/// Elements along an axis that the inner blocks of a layout have.
dim_t block_of(const blocking_t &blocking, int axis) {
    dim_t size = 1;
    for (int i = 0; i < blocking.inner_nblks; ++i)
        if (blocking.inner_idxs[i] == axis) size *= blocking.inner_blks[i];
    return size;
}

} // namespace

std::optional<memory_desc_t> unflattened(
        const memory_desc_t &matrix, const memory_desc_t &weights, const memory_desc_t &model) {
    const blocking_t &from = matrix.format_desc.blocking;
    const std::vector<int> axes = columns_innermost_first(model);
    const int innermost = axes.front();
    const dim_t depth = block_of(from, 0);
    const bool is_alone = axes.size() == 1 || weights.dims[axes[1]] == 1;
    if (!is_alone && weights.dims[innermost] % depth != 0) return std::nullopt;
    memory_desc_t md = weights;
    md.format_kind = dnnl_blocked;
    md.format_desc = {};
    md.offset0 = 0;
    std::copy_n(md.dims, md.ndims, md.padded_dims);
    md.padded_dims[0] = matrix.padded_dims[1];
    md.padded_dims[innermost] = round_up<dim_t>(md.dims[innermost], depth);
    blocking_t &to = md.format_desc.blocking;
    to.inner_nblks = from.inner_nblks;
    for (int i = 0; i < from.inner_nblks; ++i) {
        to.inner_blks[i] = from.inner_blks[i];
        to.inner_idxs[i] = from.inner_idxs[i] == 1 ? 0 : innermost;
    }
    to.strides[0] = from.strides[1];
    dim_t stride = from.strides[0];
    for (const int d : axes) {
        to.strides[d] = stride;
        stride *= d == innermost ? md.padded_dims[d] / depth : md.dims[d];
    }
    return md;
}

std::optional<memory_desc_t> packed_matrix(const memory_desc_t &weights) {
    if (!is_blocked(weights)) return std::nullopt;
    const blocking_t &from = weights.format_desc.blocking;
    const dim_t width = block_of(from, 0);
    if (width == 1) return std::nullopt;
    memory_desc_t md = zero_md;
    md.set_ndims(2);
    md.data_type = weights.data_type;
    md.format_kind = dnnl_blocked;
    md.dims[0] = element_count(weights) / weights.dims[0];
    md.dims[1] = weights.dims[0];
    blocking_t &to = md.format_desc.blocking;
    to.inner_nblks = from.inner_nblks;
    for (int i = 0; i < from.inner_nblks; ++i) {
        to.inner_blks[i] = from.inner_blks[i];
        to.inner_idxs[i] = from.inner_idxs[i] == 0 ? 1 : 0;
    }
    const dim_t depth = block_of(to, 0);
    md.padded_dims[0] = round_up(md.dims[0], depth);
    md.padded_dims[1] = weights.padded_dims[0];
    to.strides[0] = width * depth;
    to.strides[1] = from.strides[0];
    const auto back = unflattened(md, weights, weights);
    if (!back || !(*back == weights)) return std::nullopt;
    md.offset0 = weights.offset0;
    return md;
}

memory_desc_t ordered_like(const memory_desc_t &md, const memory_desc_t &model) {
    dims_t strides{};
    dim_t stride = 1;
    for (const int d : columns_innermost_first(model)) {
        strides[d] = stride;
        stride *= md.dims[d];
    }
    strides[0] = stride;
    memory_desc_t ordered = zero_md;
    init_by_strides(ordered, md.ndims, md.dims, md.data_type, strides);
    return ordered;
}

} // namespace kiln::cpu
