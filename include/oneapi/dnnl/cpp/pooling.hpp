// SPDX-License-Identifier: Apache-2.0
// Pooling: the maximum or average of the points in a window.

#ifndef ONEAPI_DNNL_CPP_POOLING_HPP
#define ONEAPI_DNNL_CPP_POOLING_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

/// A point of dst is the maximum (pooling_max) or the average of the points of src in a window,
/// with the padding (pooling_avg_include_padding) or without (pooling_avg_exclude_padding).
/// Tensors are N x C x spatial axes.
///
/// Arguments: DNNL_ARG_SRC, DNNL_ARG_DST; DNNL_ARG_WORKSPACE for pooling_max in training: the
/// positions of the maxima.
struct pooling_forward : public primitive {
    /// A dst of format any has the layout of src. Throws dnnl_invalid_arguments for inconsistent
    /// shapes or parameters, and dnnl_unimplemented if no implementation supports them.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The parameters of the window have an entry for each spatial axis.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind forward_inference, or forward_training, which stores what backward
        ///     needs.
        /// @param aalgorithm pooling_max, pooling_avg_include_padding or
        ///     pooling_avg_exclude_padding.
        /// @param src_desc N x C x spatial axes.
        /// @param dst_desc N x C x spatial axes; the extent that the window, strides and padding
        ///     give.
        /// @param strides Steps of the window in points of src, for each spatial axis (D, H, W).
        /// @param kernel Extents of the window in points, for each spatial axis.
        /// @param dilation Points left out between neighbours of the window, for each spatial axis.
        /// @param padding_l Points before the first one of each spatial axis (front, top, left).
        /// @param padding_r Points after the last one of each spatial axis (back, bottom, right).
        /// @param attr Post-ops, scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
                const memory::desc &src_desc, const memory::desc &dst_desc,
                const memory::dims &strides, const memory::dims &kernel,
                const memory::dims &dilation, const memory::dims &padding_l,
                const memory::dims &padding_r, const primitive_attr &attr = default_attr(),
                bool allow_empty = false) {
            require_spatial<memory::dim>(
                    src_desc, {&strides, &kernel, &dilation, &padding_l, &padding_r});
            describe_with(allow_empty,
                    "cannot describe a pooling forward; ONEDNN_VERBOSE=all says why",
                    dnnl_pooling_forward_primitive_desc_create, aengine.get(),
                    dnnl::convert_to_c(aprop_kind), convert_to_c(aalgorithm), src_desc.get(),
                    dst_desc.get(), strides.data(), kernel.data(), dilation.data(),
                    padding_l.data(), padding_r.data(), attr.get());
        }

        /// Copies a C descriptor pd of this operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(
                    pd, kind::pooling, prop_kind::forward_training, prop_kind::forward_inference) {}
    };

    /// An empty primitive.
    pooling_forward() = default;
    /// The primitive of descriptor pd.
    pooling_forward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    pooling_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// The gradient of src.
///
/// Arguments: DNNL_ARG_DIFF_DST and DNNL_ARG_DIFF_SRC; DNNL_ARG_WORKSPACE for pooling_max.
struct pooling_backward : public primitive {
    /// Throws as forward does. The parameters must equal those of hint_fwd_pd.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The parameters of the window have an entry for each spatial axis.
        /// @param aengine Engine that executes the primitive.
        /// @param aalgorithm pooling_max, pooling_avg_include_padding or
        ///     pooling_avg_exclude_padding.
        /// @param diff_src_desc The shape of src.
        /// @param diff_dst_desc The shape of dst.
        /// @param strides Steps of the window in points of src, for each spatial axis (D, H, W).
        /// @param kernel Extents of the window in points, for each spatial axis.
        /// @param dilation Points left out between neighbours of the window, for each spatial axis.
        /// @param padding_l Points before the first one of each spatial axis (front, top, left).
        /// @param padding_r Points after the last one of each spatial axis (back, bottom, right).
        /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
        /// @param attr Scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, algorithm aalgorithm,
                const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
                const memory::dims &strides, const memory::dims &kernel,
                const memory::dims &dilation, const memory::dims &padding_l,
                const memory::dims &padding_r, const pooling_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            require_spatial<memory::dim>(
                    diff_src_desc, {&strides, &kernel, &dilation, &padding_l, &padding_r});
            describe_with(allow_empty,
                    "cannot describe a pooling backward; ONEDNN_VERBOSE=all says why",
                    dnnl_pooling_backward_primitive_desc_create, aengine.get(),
                    convert_to_c(aalgorithm), diff_src_desc.get(), diff_dst_desc.get(),
                    strides.data(), kernel.data(), dilation.data(), padding_l.data(),
                    padding_r.data(), hint_fwd_pd.get(), attr.get());
        }

        /// Copies a C descriptor pd of this operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, kind::pooling, prop_kind::backward_data) {}
    };

    /// An empty primitive.
    pooling_backward() = default;
    /// The primitive of descriptor pd.
    pooling_backward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    pooling_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_POOLING_HPP
