// SPDX-License-Identifier: Apache-2.0
// Shuffle: the elements along an axis, taken as a matrix, are transposed.

#ifndef ONEAPI_DNNL_CPP_SHUFFLE_HPP
#define ONEAPI_DNNL_CPP_SHUFFLE_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

/// dst[g * K + k] = src[k * G + g] along the axis of K * G elements, where G is the group size.
///
/// Arguments: DNNL_ARG_SRC and DNNL_ARG_DST.
struct shuffle_forward : public primitive {
    /// The layout of dst may be any, which is that of src. Throws dnnl_invalid_arguments for
    /// inconsistent shapes or a group size that does not divide the axis, and dnnl_unimplemented if
    /// no implementation supports them. With allow_empty the object is empty instead.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind forward_inference, or forward_training, which stores what backward
        ///     needs.
        /// @param src_desc Any shape.
        /// @param dst_desc The shape and data type of src.
        /// @param axis The axis along which elements are shuffled, counted from 0.
        /// @param group_size G, the number of groups; it divides the extent of the axis.
        /// @param attr Scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
                const memory::desc &dst_desc, int axis, int group_size,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            describe_with(allow_empty,
                    "cannot describe a shuffle forward; ONEDNN_VERBOSE=all says why",
                    dnnl_shuffle_forward_primitive_desc_create, aengine.get(),
                    dnnl::convert_to_c(aprop_kind), src_desc.get(), dst_desc.get(), axis,
                    group_size, attr.get());
        }

        /// Copies a C descriptor pd of this operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(
                    pd, kind::shuffle, prop_kind::forward_training, prop_kind::forward_inference) {}
    };

    /// An empty primitive.
    shuffle_forward() = default;
    /// The primitive of descriptor pd.
    shuffle_forward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    shuffle_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// diff_src[k * G + g] = diff_dst[g * K + k].
///
/// Arguments: DNNL_ARG_DIFF_DST and DNNL_ARG_DIFF_SRC.
struct shuffle_backward : public primitive {
    /// The layouts of the gradients may be any: that of the other one or, if both are any, that of
    /// the forward descriptor.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// @param aengine Engine that executes the primitive.
        /// @param diff_src_desc The shape of src.
        /// @param diff_dst_desc The shape and data type of diff_src.
        /// @param axis The axis along which elements are shuffled, counted from 0.
        /// @param group_size G, the number of groups; it divides the extent of the axis.
        /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
        /// @param attr Scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, const memory::desc &diff_src_desc,
                const memory::desc &diff_dst_desc, int axis, int group_size,
                const shuffle_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            describe_with(allow_empty,
                    "cannot describe a shuffle backward; ONEDNN_VERBOSE=all says why",
                    dnnl_shuffle_backward_primitive_desc_create, aengine.get(), diff_src_desc.get(),
                    diff_dst_desc.get(), axis, group_size, hint_fwd_pd.get(), attr.get());
        }

        /// Copies a C descriptor pd of this operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, kind::shuffle, prop_kind::backward_data) {}
    };

    /// An empty primitive.
    shuffle_backward() = default;
    /// The primitive of descriptor pd.
    shuffle_backward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    shuffle_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_SHUFFLE_HPP
