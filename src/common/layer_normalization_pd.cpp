// SPDX-License-Identifier: Apache-2.0
// Layer normalization's descriptor: its statistics' layout, and the table of arguments.

#include "common/layer_normalization_pd.hpp"

namespace kiln {

layer_normalization_pd_t::layer_normalization_pd_t(engine_t *engine,
        const layer_normalization_desc_t &desc, const primitive_attr_t *attr,
        std::shared_ptr<const primitive_desc_t> hint)
    : normalization_pd_t(dnnl_layer_normalization, engine, desc, attr, std::move(hint)) {}

status_t layer_normalization_pd_t::init() {
    KILN_TRY(resolve_layouts());
    KILN_TRY(resolve_stat());
    KILN_TRY(init_scale_shift(cols(), desc_.scale_shift_type, desc_.diff_scale_shift_type));
    add_slots();
    add_attr_slots();
    return dnnl_success;
}

status_t layer_normalization_pd_t::resolve_stat() {
    stat_ = desc_.stat;
    if (!is_any(stat_)) return dnnl_success;
    dims_t blocks;
    block_sizes(src_, blocks);
    // Without the normalized axis, src's blocks may no longer nest: row-major then.
    if (blocks[src_.ndims - 1] != 1)
        return init_by_strides(stat_, stat_.ndims, stat_.dims, stat_.data_type, nullptr);
    return init_like(stat_, stat_.ndims, stat_.dims, stat_.data_type, src_);
}

dim_t layer_normalization_pd_t::rows() const {
    dim_t count = 1;
    for (int d = 0; d + 1 < src_.ndims; ++d) count *= src_.dims[d];
    return count;
}

} // namespace kiln
