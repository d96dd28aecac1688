// SPDX-License-Identifier: Apache-2.0
// Sums of weights that lie behind them in their buffer.

#include "common/memory/compensation.hpp"

#include "common/integers.hpp"

namespace kiln {

bool has_known_extra(const memory_desc_t &md) {
    constexpr uint64_t known =
            has_s8s8_compensation | has_scale_adjustment | has_zero_point_compensation;
    const extra_desc_t &extra = md.extra;
    const int masks = extra.compensation_mask | extra.asymm_compensation_mask;
    return (extra.flags & ~known) == 0 && masks >= 0 && masks >> md.ndims == 0;
}

size_t compensation_offset(const memory_desc_t &md) {
    memory_desc_t elements = md;
    elements.extra.flags = 0;
    return divide_up(byte_size(elements), sizeof(int32_t)) * sizeof(int32_t);
}

size_t compensation_bytes(const memory_desc_t &md) {
    size_t sums = 0;
    for (const auto &[flag, mask] : {std::pair(has_s8s8_compensation, md.extra.compensation_mask),
                 std::pair(has_zero_point_compensation, md.extra.asymm_compensation_mask)}) {
        if ((md.extra.flags & flag) == 0) continue;
        dim_t count = 1;
        for (int d = 0; d < md.ndims; ++d)
            if (mask >> d & 1) count *= md.padded_dims[d];
        sums += static_cast<size_t>(count);
    }
    return sums * sizeof(int32_t);
}

memory_desc_t compensation_desc(const memory_desc_t &md, int mask) {
    memory_desc_t model = md;
    blocking_t &blocking = model.format_desc.blocking;
    int blocks = 0;
    for (int i = 0; i < blocking.inner_nblks; ++i) {
        if ((mask >> blocking.inner_idxs[i] & 1) == 0) continue;
        blocking.inner_blks[blocks] = blocking.inner_blks[i];
        blocking.inner_idxs[blocks++] = blocking.inner_idxs[i];
    }
    blocking.inner_nblks = blocks;
    dims_t dims;
    for (int d = 0; d < md.ndims; ++d) dims[d] = mask >> d & 1 ? md.dims[d] : 1;
    memory_desc_t sums = zero_md;
    init_like(sums, md.ndims, dims, dnnl_s32, model);
    return sums;
}

} // namespace kiln
