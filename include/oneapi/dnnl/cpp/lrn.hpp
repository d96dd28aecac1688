// SPDX-License-Identifier: Apache-2.0
// Local response normalization (LRN).

#ifndef ONEAPI_DNNL_CPP_LRN_HPP
#define ONEAPI_DNNL_CPP_LRN_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

/// dst = src / (k + alpha / n * sum of src^2)^beta, where the sum is over a window: local_size
/// channels (lrn_across_channels, n = local_size), or a square of local_size^2 points of one
/// channel (lrn_within_channel, n = local_size^2). Tensors are N x C x spatial axes.
///
/// Arguments: DNNL_ARG_SRC, DNNL_ARG_DST; DNNL_ARG_WORKSPACE in training.
struct lrn_forward : public primitive {
    /// Throws dnnl_invalid_arguments for inconsistent shapes or parameters, and dnnl_unimplemented
    /// if no implementation supports them.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// For a window of local_size points.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind forward_inference, or forward_training, which stores what backward
        ///     needs.
        /// @param aalgorithm lrn_across_channels or lrn_within_channel.
        /// @param src_desc N x C x spatial axes.
        /// @param dst_desc The shape of src.
        /// @param local_size Extent of the window, in channels or in points of a spatial axis.
        /// @param alpha Factor of the mean of squares.
        /// @param beta Exponent.
        /// @param k Addend to the scaled mean of squares.
        /// @param attr Scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
                const memory::desc &src_desc, const memory::desc &dst_desc, memory::dim local_size,
                float alpha, float beta, float k, const primitive_attr &attr = default_attr(),
                bool allow_empty = false) {
            describe_with(allow_empty,
                    "cannot describe an LRN forward; ONEDNN_VERBOSE=all says why",
                    dnnl_lrn_forward_primitive_desc_create, aengine.get(),
                    dnnl::convert_to_c(aprop_kind), convert_to_c(aalgorithm), src_desc.get(),
                    dst_desc.get(), local_size, alpha, beta, k, attr.get());
        }

        /// Copies a C descriptor pd of this operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(
                    pd, kind::lrn, prop_kind::forward_training, prop_kind::forward_inference) {}
    };

    /// An empty primitive.
    lrn_forward() = default;
    /// The primitive of descriptor pd.
    lrn_forward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    lrn_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// The gradient of src.
///
/// Arguments: DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_WORKSPACE and DNNL_ARG_DIFF_SRC.
struct lrn_backward : public primitive {
    /// Throws as forward does. The parameters must equal those of hint_fwd_pd.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// For a window of local_size points.
        /// @param aengine Engine that executes the primitive.
        /// @param aalgorithm lrn_across_channels or lrn_within_channel.
        /// @param diff_src_desc The shape of src.
        /// @param diff_dst_desc The shape of src.
        /// @param src_desc N x C x spatial axes.
        /// @param local_size Extent of the window, in channels or in points of a spatial axis.
        /// @param alpha Factor of the mean of squares.
        /// @param beta Exponent.
        /// @param k Addend to the scaled mean of squares.
        /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
        /// @param attr Scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, algorithm aalgorithm,
                const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
                const memory::desc &src_desc, memory::dim local_size, float alpha, float beta,
                float k, const lrn_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            describe_with(allow_empty,
                    "cannot describe an LRN backward; ONEDNN_VERBOSE=all says why",
                    dnnl_lrn_backward_primitive_desc_create, aengine.get(),
                    convert_to_c(aalgorithm), diff_src_desc.get(), diff_dst_desc.get(),
                    src_desc.get(), local_size, alpha, beta, k, hint_fwd_pd.get(), attr.get());
        }

        /// Copies a C descriptor pd of this operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, kind::lrn, prop_kind::backward_data) {}
    };

    /// An empty primitive.
    lrn_backward() = default;
    /// The primitive of descriptor pd.
    lrn_backward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    lrn_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_LRN_HPP
