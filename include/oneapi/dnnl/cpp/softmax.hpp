// SPDX-License-Identifier: Apache-2.0
// Softmax and logsoftmax along one axis.

#ifndef ONEAPI_DNNL_CPP_SOFTMAX_HPP
#define ONEAPI_DNNL_CPP_SOFTMAX_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

/// softmax_accurate: dst = exp(src) / sum(exp(src)), where the sum is over the axis.
/// softmax_log: dst = src - log(sum(exp(src))).
///
/// Arguments: DNNL_ARG_SRC and DNNL_ARG_DST, which may be the same memory.
struct softmax_forward : public primitive {
    /// Throws dnnl_invalid_arguments for inconsistent shapes or parameters, and dnnl_unimplemented
    /// if no implementation supports them. With allow_empty the object is empty instead.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind forward_inference, or forward_training, which stores what backward
        ///     needs.
        /// @param aalgorithm softmax_accurate or softmax_log.
        /// @param src_desc Any shape.
        /// @param dst_desc The shape of src.
        /// @param axis The axis whose elements add up to 1, counted from 0.
        /// @param attr Scales, post-ops, dropout, scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
                const memory::desc &src_desc, const memory::desc &dst_desc, int axis,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            describe_with(allow_empty,
                    "cannot describe a softmax forward; ONEDNN_VERBOSE=all says why",
                    dnnl_softmax_forward_primitive_desc_create, aengine.get(),
                    dnnl::convert_to_c(aprop_kind), convert_to_c(aalgorithm), src_desc.get(),
                    dst_desc.get(), axis, attr.get());
        }

        /// Copies a C descriptor pd of this operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(
                    pd, kind::softmax, prop_kind::forward_training, prop_kind::forward_inference) {}
    };

    /// An empty primitive.
    softmax_forward() = default;
    /// The primitive of descriptor pd.
    softmax_forward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    softmax_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// The gradient of src, from dst and its gradient.
///
/// Arguments: DNNL_ARG_DST and DNNL_ARG_DIFF_DST; DNNL_ARG_DIFF_SRC, which may be the memory of
/// DNNL_ARG_DIFF_DST.
struct softmax_backward : public primitive {
    /// As forward.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// @param aengine Engine that executes the primitive.
        /// @param aalgorithm softmax_accurate or softmax_log.
        /// @param diff_src_desc The shape of dst.
        /// @param diff_dst_desc The shape of dst.
        /// @param dst_desc The shape of src.
        /// @param axis The axis whose elements add up to 1, counted from 0.
        /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
        /// @param attr Scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, algorithm aalgorithm,
                const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
                const memory::desc &dst_desc, int axis,
                const softmax_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            describe_with(allow_empty,
                    "cannot describe a softmax backward; ONEDNN_VERBOSE=all says why",
                    dnnl_softmax_backward_primitive_desc_create, aengine.get(),
                    convert_to_c(aalgorithm), diff_src_desc.get(), diff_dst_desc.get(),
                    dst_desc.get(), axis, hint_fwd_pd.get(), attr.get());
        }

        /// Copies a C descriptor pd of this operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, kind::softmax, prop_kind::backward_data) {}
    };

    /// An empty primitive.
    softmax_backward() = default;
    /// The primitive of descriptor pd.
    softmax_backward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    softmax_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_SOFTMAX_HPP
