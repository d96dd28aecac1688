// SPDX-License-Identifier: Apache-2.0
// Layer normalization (RMS normalization included): the problem as plain data and its descriptor.
#pragma once

#include "common/primitive_desc.hpp"

namespace kiln {

/// The last logical axis of src is normalized. A forward descriptor has src and dst, a backward one
/// src, diff_src and diff_dst; the others are the zero descriptor.
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
    : public operation_pd_t<layer_normalization_pd_t, layer_normalization_desc_t> {
public:
    layer_normalization_pd_t(engine_t *engine, const layer_normalization_desc_t &desc,
            const primitive_attr_t *attr, std::shared_ptr<const primitive_desc_t> hint);
    /// Resolves layouts and fills the table of arguments.
    status_t init();

    prop_kind_t prop_kind() const override { return desc_.prop_kind; }
    status_t query(query_t what, int index, void *result) const override;

    bool is_forward() const {
        return desc_.prop_kind == dnnl_forward_training
               || desc_.prop_kind == dnnl_forward_inference;
    }
    bool uses_scale() const { return desc_.flags & dnnl_use_scale; }
    bool uses_shift() const { return desc_.flags & dnnl_use_shift; }
    bool is_rms() const { return desc_.flags & dnnl_rms_norm; }
    bool has_global_stats() const { return desc_.flags & dnnl_use_global_stats; }
    /// Whether the statistics are an input: always backward.
    bool reads_stats() const { return !is_forward() || has_global_stats(); }
    bool writes_stats() const {
        return desc_.prop_kind == dnnl_forward_training && !has_global_stats();
    }
    /// Whether diff_scale and diff_shift can be outputs.
    bool has_weight_gradients() const { return desc_.prop_kind == dnnl_backward; }

    const memory_desc_t &src() const { return src_; }
    const memory_desc_t &dst() const { return dst_; }
    const memory_desc_t &diff_src() const { return diff_src_; }
    const memory_desc_t &diff_dst() const { return diff_dst_; }
    const memory_desc_t &stat() const { return stat_; }
    const memory_desc_t &scale_shift() const { return scale_shift_; }
    const memory_desc_t &diff_scale_shift() const { return diff_scale_shift_; }

    /// Extent of the normalized axis, and how many rows of it there are.
    dim_t cols() const { return src_.dims[src_.ndims - 1]; }
    dim_t rows() const;

private:
    status_t resolve_forward();
    status_t resolve_backward();
    status_t resolve_stat();
    void add_forward_slots();
    void add_backward_slots();

    memory_desc_t src_, dst_, diff_src_, diff_dst_, stat_;
    memory_desc_t scale_shift_{}, diff_scale_shift_{};
};

} // namespace kiln
