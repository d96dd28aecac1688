// SPDX-License-Identifier: Apache-2.0
// Layer normalization (RMS normalization included): the problem as plain data and its descriptor.
#pragma once

#include "common/normalization_pd.hpp"

namespace kiln {

/// The last logical axis of src is normalized.
struct layer_normalization_desc_t {
    prop_kind_t prop_kind;
    unsigned flags; // dnnl_use_global_stats, _use_scale, _use_shift, dnnl_rms_norm
    float epsilon;
    memory_desc_t src;
    memory_desc_t dst;
    memory_desc_t diff_src;
    memory_desc_t diff_dst;
    memory_desc_t stat; // ndims - 1 axes
    data_type_t scale_shift_type;
    data_type_t diff_scale_shift_type;

    auto fields() const {
        return std::tie(prop_kind, flags, epsilon, src, dst, diff_src, diff_dst, stat,
                scale_shift_type, diff_scale_shift_type);
    }
};

/// With every `any` resolved.
class layer_normalization_pd_t
    : public normalization_pd_t<layer_normalization_pd_t, layer_normalization_desc_t> {
public:
    layer_normalization_pd_t(engine_t *engine, const layer_normalization_desc_t &desc,
            const primitive_attr_t *attr, std::shared_ptr<const primitive_desc_t> hint);
    /// Resolves layouts and fills the table of arguments.
    status_t init();

    /// Extent of the normalized axis, and how many rows of it there are.
    dim_t cols() const { return src_.dims[src_.ndims - 1]; }
    dim_t rows() const;

private:
    status_t resolve_stat();
};

} // namespace kiln
