// SPDX-License-Identifier: Apache-2.0
// PReLU: a ReLU whose slopes below zero are weights.

#ifndef ONEAPI_DNNL_CPP_PRELU_HPP
#define ONEAPI_DNNL_CPP_PRELU_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

/// dst = src > 0 ? src : weights * src. Weights with extent 1 along an axis are broadcast along it.
/// dst may have src's memory.
///
/// Arguments: DNNL_ARG_SRC, DNNL_ARG_WEIGHTS and DNNL_ARG_DST.
struct prelu_forward : public primitive {
    /// The layouts of weights and dst may be any, which is that of src. Throws
    /// dnnl_invalid_arguments for inconsistent shapes, and dnnl_unimplemented if no implementation
    /// supports them. With allow_empty the object is empty instead.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind forward_inference, or forward_training, which stores what backward
        ///     needs.
        /// @param src_desc Any shape.
        /// @param weight_desc The number of axes of src; along each axis its extent or 1.
        /// @param dst_desc The shape of src.
        /// @param attr Scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
                const memory::desc &weight_desc, const memory::desc &dst_desc,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            describe_with(allow_empty,
                    "cannot describe a PReLU forward; ONEDNN_VERBOSE=all says why",
                    dnnl_prelu_forward_primitive_desc_create, aengine.get(),
                    dnnl::convert_to_c(aprop_kind), src_desc.get(), weight_desc.get(),
                    dst_desc.get(), attr.get());
        }

        /// Copies a C descriptor pd of this operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(
                    pd, kind::prelu, prop_kind::forward_training, prop_kind::forward_inference) {}
    };

    /// An empty primitive.
    prelu_forward() = default;
    /// The primitive of descriptor pd.
    prelu_forward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    prelu_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// diff_src = src > 0 ? diff_dst : weights * diff_dst; diff_weights are the sums of
/// src > 0 ? 0 : src * diff_dst. diff_src may have diff_dst's memory.
///
/// Arguments: DNNL_ARG_SRC, DNNL_ARG_WEIGHTS and DNNL_ARG_DIFF_DST; DNNL_ARG_DIFF_SRC and
/// DNNL_ARG_DIFF_WEIGHTS.
struct prelu_backward : public primitive {
    /// Each layout may be any: that of src, which is row-major if it is any itself; for diff_src
    /// that of diff_dst, for diff_weights that of weights.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// @param aengine Engine that executes the primitive.
        /// @param src_desc Any shape.
        /// @param weight_desc The number of axes of src; along each axis its extent or 1.
        /// @param diff_src_desc The shape of src.
        /// @param diff_weights_desc The shape of the weights.
        /// @param diff_dst_desc The shape of src.
        /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
        /// @param attr Scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, const memory::desc &src_desc,
                const memory::desc &weight_desc, const memory::desc &diff_src_desc,
                const memory::desc &diff_weights_desc, const memory::desc &diff_dst_desc,
                const prelu_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            describe_with(allow_empty,
                    "cannot describe a PReLU backward; ONEDNN_VERBOSE=all says why",
                    dnnl_prelu_backward_primitive_desc_create, aengine.get(), src_desc.get(),
                    weight_desc.get(), diff_src_desc.get(), diff_weights_desc.get(),
                    diff_dst_desc.get(), hint_fwd_pd.get(), attr.get());
        }

        /// Copies a C descriptor pd of this operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, kind::prelu, prop_kind::backward) {}
    };

    /// An empty primitive.
    prelu_backward() = default;
    /// The primitive of descriptor pd.
    prelu_backward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    prelu_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_PRELU_HPP
