// SPDX-License-Identifier: Apache-2.0
// Layouts of weights that products by tiles choose for format `any`.

#include "cpu/x64/matmul/weights_layout.hpp"

#include <algorithm>
#include <initializer_list>

#include "common/integers.hpp"
#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/matrix/amx_kernel.hpp"
#include "cpu/x64/matrix/blocking.hpp"

namespace kiln::x64::matmul {

namespace {

/// Blocks of rows (K) or columns (N) from the outermost to the innermost one.
struct inner_block_t {
    int axis;
    dim_t size;
};

/// Panels one behind another; a panel is a sequence of groups of the inner blocks.
memory_desc_t in_panels(
        const memory_desc_t &weights, std::initializer_list<inner_block_t> inner_blocks) {
    memory_desc_t md = weights;
    const int n = md.ndims - 1, k = md.ndims - 2;
    md.format_kind = dnnl_blocked;
    md.format_desc = {};
    auto &blocking = md.format_desc.blocking;
    dim_t of_k = 1, of_n = 1;
    for (const auto &[axis, size] : inner_blocks) {
        if (size == 1) continue;
        blocking.inner_blks[blocking.inner_nblks] = size;
        blocking.inner_idxs[blocking.inner_nblks++] = axis;
        (axis == k ? of_k : of_n) *= size;
    }
    std::copy_n(md.dims, md.ndims, md.padded_dims);
    md.padded_dims[n] = round_up(md.dims[n], of_n);
    md.padded_dims[k] = round_up(md.dims[k], of_k);
    blocking.strides[k] = of_n * of_k;
    blocking.strides[n] = md.padded_dims[k] * of_n;
    dim_t stride = md.padded_dims[k] * md.padded_dims[n];
    for (int d = k - 1; d >= 0; --d) {
        blocking.strides[d] = stride;
        stride *= md.dims[d];
    }
    return md;
}

} // namespace

memory_desc_t packed_weights(const memory_desc_t &weights, int width, int depth) {
    const int n = weights.ndims - 1, k = weights.ndims - 2;
    return in_panels(weights, {{n, width}, {k, depth}});
}

memory_desc_t packed_weights_for_amx(const memory_desc_t &weights, int width, int depth) {
    const int n = weights.ndims - 1, k = weights.ndims - 2;
    if (weights.dims[k] % (matrix::amx_rows * depth) == 0)
        return packed_weights(weights, width, depth);
    return in_panels(weights, {{k, matrix::amx_rows}, {n, width}, {k, depth}});
}

std::optional<packing_t> packing_of(const memory_desc_t &weights, isa_t isa) {
    for (int vectors = 1; vectors <= matrix::most_packed_vectors; ++vectors)
        for (const int depth : {1, 2, 4, 8}) {
            const int width = vectors * jit::lanes_of(isa);
            if (weights == packed_weights(weights, width, depth)
                    || weights == packed_weights_for_amx(weights, width, depth))
                return packing_t{vectors, depth};
        }
    return {};
}

memory_desc_t dense_columns(const memory_desc_t &weights) {
    dims_t strides;
    const int n = weights.ndims - 1, k = weights.ndims - 2;
    strides[k] = 1;
    strides[n] = weights.dims[k];
    dim_t stride = weights.dims[k] * weights.dims[n];
    for (int d = k - 1; d >= 0; --d) {
        strides[d] = stride;
        stride *= weights.dims[d];
    }
    memory_desc_t md;
    init_by_strides(md, weights.ndims, weights.dims, weights.data_type, strides);
    return md;
}

} // namespace kiln::x64::matmul
