// SPDX-License-Identifier: Apache-2.0
// Batch normalization: the problem as plain data and its descriptor.
#pragma once

#include "common/operations/normalization/normalization_pd.hpp"

namespace kiln {

/// Axis 1 of src is the channel: each has statistics of its own, over all other axes.
struct batch_normalization_desc_t {
    using pd_t = class batch_normalization_pd_t;
    static constexpr const char *component = "bnorm";

    prop_kind_t prop_kind;
    unsigned flags; // dnnl_use_global_stats, _use_scale, _use_shift, _fuse_norm_relu,
                    // _fuse_norm_add_relu
    float epsilon;
    memory_desc_t src;
    optional_memory_desc_t dst; // src_1's, too
    optional_memory_desc_t diff_src;
    optional_memory_desc_t diff_dst; // diff_src_1's, too
    // Backward, beyond the C interface: of src's shape. diff_dst counts where an element of it is
    // > 0, and is 0 elsewhere, where it is NaN, too. The zero descriptor: diff_dst counts
    // everywhere, or as the flags say.
    optional_memory_desc_t relu_operand;

    auto fields() const {
        return std::tie(prop_kind, flags, epsilon, src, dst.get(), diff_src.get(), diff_dst.get(),
                relu_operand.get());
    }
};

class batch_normalization_pd_t : public normalization_pd_t<batch_normalization_desc_t> {
public:
    batch_normalization_pd_t(engine_t *engine, const batch_normalization_desc_t &desc,
            const primitive_attr_t *attr, std::shared_ptr<const primitive_desc_t> hint);
    /// Fills the table of arguments. Refuses a ReLU's operand where the gradient has none.
    status_t init();
    /// Gives descriptors whose format is `any` their default layout. Refuses a hint whose ReLU mask
    /// is not this descriptor's.
    status_t resolve_formats();
    primitive_text_t text() const override;
    /// The implementations, best first; the CPU engine defines them.
    static std::span<const implementation_t<batch_normalization_pd_t>> implementations();

    /// Whether a ReLU follows, and src_1 is added in front of it.
    bool has_relu() const { return desc_.flags & (dnnl_fuse_norm_relu | dnnl_fuse_norm_add_relu); }
    bool has_add() const { return desc_.flags & dnnl_fuse_norm_add_relu; }
    /// Whether the ReLU's mask is written (training forward) or read (backward).
    bool has_relu_mask() const { return has_relu() && desc_.prop_kind != dnnl_forward_inference; }

    /// Mean, variance, scale, shift, diff_scale, diff_shift: a float for each channel.
    const memory_desc_t &per_channel() const { return stat_; }
    /// Where in the workspace each element's bit lies (relu_mask.hpp); the zero descriptor where
    /// there is no mask.
    const memory_desc_t &relu_mask() const { return relu_mask_; }
    /// Whether the gradient is that of a ReLU whose operand (or result) is an argument, and its
    /// layout: diff_dst's where it was open.
    bool has_relu_operand() const { return !is_zero(relu_operand_); }
    const memory_desc_t &relu_operand() const { return relu_operand_; }

    dim_t channels() const { return src_.dims[1]; }
    /// Elements of a channel.
    dim_t channel_size() const;
    /// What ranks send each other. Gradients of scale and shift follow from the sums of statistics.
    rank_message_size_t message_size() const {
        return {.statistics =
                        combines_statistics() || combines_weight_gradients() ? channels() : 0};
    }

private:
    status_t resolve_relu_mask();
    status_t check_relu_operand() const;
    void add_fused_slots();

    optional_memory_desc_t workspace_, relu_mask_, relu_operand_;
};

} // namespace kiln
