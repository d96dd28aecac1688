// SPDX-License-Identifier: Apache-2.0
// Inner product (a fully connected layer) and its gradients.

#ifndef ONEAPI_DNNL_CPP_INNER_PRODUCT_HPP
#define ONEAPI_DNNL_CPP_INNER_PRODUCT_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

/// dst[n][oc] = bias[oc] + the sum over IC and the spatial axes of src[n] * weights[oc].
///
/// Arguments: DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST; DNNL_ARG_BIAS with a bias.
struct inner_product_forward : public primitive {
    /// A layout of format any is chosen by the implementation. Throws dnnl_invalid_arguments for
    /// inconsistent shapes or types, and dnnl_unimplemented if no implementation supports them.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// With a bias.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind forward_inference, or forward_training, which stores what backward
        ///     needs.
        /// @param src_desc N x IC or N x IC x spatial axes.
        /// @param weights_desc OC x IC or OC x IC x spatial axes, the extents of src.
        /// @param bias_desc OC elements.
        /// @param dst_desc N x OC.
        /// @param attr Scales, zero points, post-ops, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
                const memory::desc &weights_desc, const memory::desc &bias_desc,
                const memory::desc &dst_desc, const primitive_attr &attr = default_attr(),
                bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, src_desc, weights_desc, &bias_desc, dst_desc,
                    attr, allow_empty) {}

        /// Without bias.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind forward_inference, or forward_training, which stores what backward
        ///     needs.
        /// @param src_desc N x IC or N x IC x spatial axes.
        /// @param weights_desc OC x IC or OC x IC x spatial axes, the extents of src.
        /// @param dst_desc N x OC.
        /// @param attr Scales, zero points, post-ops, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
                const memory::desc &weights_desc, const memory::desc &dst_desc,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, src_desc, weights_desc, nullptr, dst_desc, attr,
                    allow_empty) {}

        /// Copies a C descriptor pd of this operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, kind::inner_product, prop_kind::forward_training,
                    prop_kind::forward_inference) {}

        memory::desc bias_desc() const { return base::weights_desc(1); }

    private:
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
                const memory::desc &weights_desc, const memory::desc *bias_desc,
                const memory::desc &dst_desc, const primitive_attr &attr, bool allow_empty) {
            describe_with(allow_empty,
                    "cannot describe an inner product forward; ONEDNN_VERBOSE=all says why",
                    dnnl_inner_product_forward_primitive_desc_create, aengine.get(),
                    dnnl::convert_to_c(aprop_kind), src_desc.get(), weights_desc.get(),
                    optional_arg(bias_desc), dst_desc.get(), attr.get());
        }
    };

    /// An empty primitive.
    inner_product_forward() = default;
    /// The primitive of descriptor pd.
    inner_product_forward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    inner_product_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// The gradient of src, from that of dst and the weights.
///
/// Arguments: DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS and DNNL_ARG_DIFF_SRC.
struct inner_product_backward_data : public primitive {
    /// Throws as forward does.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// For the gradient of src.
        /// @param aengine Engine that executes the primitive.
        /// @param diff_src_desc The shape of src: N x IC or N x IC x spatial axes.
        /// @param weights_desc OC x IC or OC x IC x spatial axes, the extents of src.
        /// @param diff_dst_desc N x OC.
        /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
        /// @param attr Scales, zero points, post-ops, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, const memory::desc &diff_src_desc,
                const memory::desc &weights_desc, const memory::desc &diff_dst_desc,
                const inner_product_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            describe_with(allow_empty,
                    "cannot describe an inner product backward by data; ONEDNN_VERBOSE=all says "
                    "why",
                    dnnl_inner_product_backward_data_primitive_desc_create, aengine.get(),
                    diff_src_desc.get(), weights_desc.get(), diff_dst_desc.get(), hint_fwd_pd.get(),
                    attr.get());
        }

        /// Copies a C descriptor pd of this operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, kind::inner_product, prop_kind::backward_data) {}
    };

    /// An empty primitive.
    inner_product_backward_data() = default;
    /// The primitive of descriptor pd.
    inner_product_backward_data(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    inner_product_backward_data(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// The gradients of weights and bias, from src and the gradient of dst.
///
/// Arguments: DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_WEIGHTS; DNNL_ARG_DIFF_BIAS with a
/// bias.
struct inner_product_backward_weights : public primitive {
    /// Throws as forward does.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// With a bias.
        /// @param aengine Engine that executes the primitive.
        /// @param src_desc N x IC or N x IC x spatial axes.
        /// @param diff_weights_desc OC x IC or OC x IC x spatial axes.
        /// @param diff_bias_desc OC elements.
        /// @param diff_dst_desc N x OC.
        /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
        /// @param attr Scales, zero points, post-ops, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, const memory::desc &src_desc,
                const memory::desc &diff_weights_desc, const memory::desc &diff_bias_desc,
                const memory::desc &diff_dst_desc,
                const inner_product_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, src_desc, diff_weights_desc, &diff_bias_desc, diff_dst_desc,
                    hint_fwd_pd, attr, allow_empty) {}

        /// Without bias.
        /// @param aengine Engine that executes the primitive.
        /// @param src_desc N x IC or N x IC x spatial axes.
        /// @param diff_weights_desc OC x IC or OC x IC x spatial axes.
        /// @param diff_dst_desc N x OC.
        /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
        /// @param attr Scales, zero points, post-ops, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, const memory::desc &src_desc,
                const memory::desc &diff_weights_desc, const memory::desc &diff_dst_desc,
                const inner_product_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, src_desc, diff_weights_desc, nullptr, diff_dst_desc,
                    hint_fwd_pd, attr, allow_empty) {}

        /// Copies a C descriptor pd of this operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, kind::inner_product, prop_kind::backward_weights) {}

        memory::desc diff_bias_desc() const { return base::diff_weights_desc(1); }

    private:
        primitive_desc(const engine &aengine, const memory::desc &src_desc,
                const memory::desc &diff_weights_desc, const memory::desc *diff_bias_desc,
                const memory::desc &diff_dst_desc,
                const inner_product_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr, bool allow_empty) {
            describe_with(allow_empty,
                    "cannot describe an inner product backward by weights; ONEDNN_VERBOSE=all says "
                    "why",
                    dnnl_inner_product_backward_weights_primitive_desc_create, aengine.get(),
                    src_desc.get(), diff_weights_desc.get(), optional_arg(diff_bias_desc),
                    diff_dst_desc.get(), hint_fwd_pd.get(), attr.get());
        }
    };

    /// An empty primitive.
    inner_product_backward_weights() = default;
    /// The primitive of descriptor pd.
    inner_product_backward_weights(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    inner_product_backward_weights(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_INNER_PRODUCT_HPP
