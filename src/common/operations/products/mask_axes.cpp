// SPDX-License-Identifier: Apache-2.0
// Scales and zero points as queries describe them.

#include "common/operations/products/mask_axes.hpp"

namespace kiln {

void mask_axes_t::init(const primitive_desc_t &pd) {
    const auto add = [&](const quantization_map_t &map, int kind) {
        for (const auto &[arg, quantization] : map) {
            const memory_desc_t &whole = pd.md_of(kind | arg);
            dims_t dims{1};
            int ndims = 0;
            for (int d = 0; d < whole.ndims; ++d)
                if (quantization.mask >> d & 1) dims[ndims++] = whole.dims[d];
            memory_desc_t md = zero_md;
            init_by_strides(md, ndims == 0 ? 1 : ndims, dims, whole.data_type, nullptr);
            mds_.emplace(kind | arg, md);
        }
    };
    add(pd.attr().scales, DNNL_ARG_ATTR_SCALES);
    add(pd.attr().zero_points, DNNL_ARG_ATTR_ZERO_POINTS);
}

const memory_desc_t *mask_axes_t::find(int arg) const {
    const auto found = mds_.find(arg);
    return found == mds_.end() ? nullptr : &found->second;
}

} // namespace kiln
