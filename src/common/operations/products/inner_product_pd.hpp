// SPDX-License-Identifier: Apache-2.0
// Inner product: the problem as plain data and its descriptor.
#pragma once

#include "common/operations/products/mask_axes.hpp"
#include "common/primitive/primitive_desc.hpp"

namespace kiln {

/// A fully connected layer. Forward: dst(m, o) = sum over k of src(m, k) * weights(o, k) + bias(o),
/// where k counts the positions along all axes but the first. A gradient takes the place of its
/// tensor: with backward_data src is diff_src and dst is diff_dst, with backward_weights weights
/// and bias are diff_weights and diff_bias.
struct inner_product_desc_t {
    using pd_t = class inner_product_pd_t;

    prop_kind_t prop_kind;
    memory_desc_t src;
    memory_desc_t weights;
    memory_desc_t bias; // the zero descriptor: there is none
    memory_desc_t dst;

    auto fields() const { return std::tie(prop_kind, src, weights, bias, dst); }
};

class inner_product_pd_t : public operation_pd_t<inner_product_desc_t> {
public:
    inner_product_pd_t(engine_t *engine, const inner_product_desc_t &desc,
            const primitive_attr_t *attr, std::shared_ptr<const primitive_desc_t> hint);
    /// Fills the table of arguments.
    status_t init();
    /// Gives src and weights whose format is `any` the layout of the other one, or the row-major
    /// layout if both are `any`, as it is of dst and bias.
    status_t resolve_formats();
    prop_kind_t prop_kind() const override { return desc_.prop_kind; }
    primitive_text_t text() const override;
    status_t query(query_t what, int index, void *result) const override;
    /// The implementations, best first; the CPU engine defines them.
    static std::span<const implementation_t<inner_product_pd_t>> implementations();

    bool is_forward() const {
        return !is_backward_data() && desc_.prop_kind != dnnl_backward_weights;
    }
    bool is_backward_data() const { return desc_.prop_kind == dnnl_backward_data; }
    bool has_bias() const { return !is_zero(bias_); }
    /// The tensors, or the gradients in their place.
    const memory_desc_t &src() const { return src_; }
    const memory_desc_t &weights() const { return weights_; }
    const memory_desc_t &bias() const { return bias_; }
    const memory_desc_t &dst() const { return dst_; }
    /// Their arguments.
    int src_arg() const { return is_backward_data() ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC; }
    int weights_arg() const {
        return desc_.prop_kind == dnnl_backward_weights ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS;
    }
    int bias_arg() const {
        return desc_.prop_kind == dnnl_backward_weights ? DNNL_ARG_DIFF_BIAS : DNNL_ARG_BIAS;
    }
    int dst_arg() const { return is_forward() ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST; }

    /// For implementations that settle formats, while they accept: the layout of a tensor whose
    /// format is `any`.
    void settle_src(const memory_desc_t &md) { src_ = md; }
    void settle_weights(const memory_desc_t &md) { weights_ = md; }

    dim_t m() const { return dst_.dims[0]; }
    dim_t outputs() const { return dst_.dims[1]; }

private:
    memory_desc_t src_, weights_, bias_, dst_;
    mask_axes_t quantization_;
};

} // namespace kiln
