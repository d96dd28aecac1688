// SPDX-License-Identifier: Apache-2.0
// Layouts of weights that products by tiles choose for format `any`.

#include "cpu/x64/matmul/weights_layout.hpp"

#include <algorithm>

#include "common/integers.hpp"
#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/matrix/blocking.hpp"

namespace kiln::x64::matmul {

memory_desc_t packed_weights(const memory_desc_t &weights, int width, int depth) {
    memory_desc_t md = weights;
    const int n = md.ndims - 1, k = md.ndims - 2;
    md.format_kind = dnnl_blocked;
    md.format_desc = {};
    std::copy_n(md.dims, md.ndims, md.padded_dims);
    md.padded_dims[n] = round_up<dim_t>(md.dims[n], width);
    md.padded_dims[k] = round_up<dim_t>(md.dims[k], depth);
    auto &blocking = md.format_desc.blocking;
    blocking.inner_nblks = depth > 1 ? 2 : 1;
    blocking.inner_blks[0] = width;
    blocking.inner_idxs[0] = n;
    blocking.inner_blks[1] = depth > 1 ? depth : 0;
    blocking.inner_idxs[1] = depth > 1 ? k : 0;
    blocking.strides[k] = width * depth;
    blocking.strides[n] = md.padded_dims[k] * width;
    dim_t stride = md.padded_dims[k] * md.padded_dims[n];
    for (int d = k - 1; d >= 0; --d) {
        blocking.strides[d] = stride;
        stride *= md.dims[d];
    }
    return md;
}

std::optional<packing_t> packing_of(const memory_desc_t &weights, isa_t isa) {
    for (int vectors = 1; vectors <= matrix::most_packed_vectors; ++vectors)
        for (const int depth : {1, 2, 4, 8})
            if (weights == packed_weights(weights, vectors * jit::lanes_of(isa), depth))
                return packing_t{vectors, depth};
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
