// SPDX-License-Identifier: Apache-2.0
// Batch normalization: the problem as plain data and its descriptor.
#pragma once

#include "common/primitive_desc.hpp"

namespace kiln {

/// Axis 1 of src is the channel: each has statistics of its own, over all other axes. A forward
/// descriptor has src and dst, a backward one src, diff_src and diff_dst; the others are the zero
/// descriptor.
struct batch_normalization_desc_t {
    prop_kind_t prop_kind;
    unsigned flags; // dnnl_use_global_stats, _use_scale, _use_shift, _fuse_norm_relu,
                    // _fuse_norm_add_relu
    float epsilon;
    memory_desc_t src;
    memory_desc_t dst;
    memory_desc_t diff_src;
    memory_desc_t diff_dst;

    auto fields() const {
        return std::tie(prop_kind, flags, epsilon, src, dst, diff_src, diff_dst);
    }
};

/// With every `any` resolved.
class batch_normalization_pd_t
    : public operation_pd_t<batch_normalization_pd_t, batch_normalization_desc_t> {
public:
    batch_normalization_pd_t(engine_t *engine, const batch_normalization_desc_t &desc,
            const primitive_attr_t *attr, std::shared_ptr<const primitive_desc_t> hint);
    /// Resolves layouts and fills the table of arguments. Refuses a hint whose ReLU mask is not
    /// this descriptor's.
    status_t init();

    prop_kind_t prop_kind() const override { return desc_.prop_kind; }
    status_t query(query_t what, int index, void *result) const override;

    bool is_forward() const {
        return desc_.prop_kind == dnnl_forward_training
               || desc_.prop_kind == dnnl_forward_inference;
    }
    bool uses_scale() const { return desc_.flags & dnnl_use_scale; }
    bool uses_shift() const { return desc_.flags & dnnl_use_shift; }
    bool has_global_stats() const { return desc_.flags & dnnl_use_global_stats; }
    /// Whether the statistics are an input: always backward.
    bool reads_stats() const { return !is_forward() || has_global_stats(); }
    bool writes_stats() const {
        return desc_.prop_kind == dnnl_forward_training && !has_global_stats();
    }
    /// Whether a ReLU follows, and src_1 is added in front of it.
    bool has_relu() const { return desc_.flags & (dnnl_fuse_norm_relu | dnnl_fuse_norm_add_relu); }
    bool has_add() const { return desc_.flags & dnnl_fuse_norm_add_relu; }
    /// Whether the ReLU's mask is written (training forward) or read (backward).
    bool has_relu_mask() const { return has_relu() && desc_.prop_kind != dnnl_forward_inference; }
    /// Whether diff_scale and diff_shift can be outputs.
    bool has_weight_gradients() const { return desc_.prop_kind == dnnl_backward; }

    const memory_desc_t &src() const { return src_; }
    /// Of src_1, too.
    const memory_desc_t &dst() const { return dst_; }
    const memory_desc_t &diff_src() const { return diff_src_; }
    /// Of diff_src_1, too.
    const memory_desc_t &diff_dst() const { return diff_dst_; }
    /// Mean, variance, scale, shift, diff_scale, diff_shift: a float for each channel.
    const memory_desc_t &per_channel() const { return per_channel_; }
    /// The workspace: bytes. The zero descriptor where there is no mask.
    const memory_desc_t &workspace() const { return workspace_; }
    /// Where in the workspace each element's bit lies (relu_mask.hpp); the zero descriptor where
    /// there is no mask.
    const memory_desc_t &relu_mask() const { return relu_mask_; }

    dim_t channels() const { return src_.dims[1]; }
    /// Elements of a channel.
    dim_t channel_size() const;

private:
    status_t resolve_forward();
    status_t resolve_backward();
    status_t resolve_relu_mask();
    void add_forward_slots();
    void add_backward_slots();

    memory_desc_t src_, dst_, diff_src_, diff_dst_;
    memory_desc_t per_channel_{}, workspace_{}, relu_mask_{};
};

} // namespace kiln
