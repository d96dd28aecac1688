// SPDX-License-Identifier: Apache-2.0
// Batch normalization: statistics of each channel over the batch and spatial axes.

#ifndef ONEAPI_DNNL_CPP_BATCH_NORMALIZATION_HPP
#define ONEAPI_DNNL_CPP_BATCH_NORMALIZATION_HPP

#include "oneapi/dnnl/cpp/normalization.hpp"

namespace dnnl {

/// dst = scale * (src - mean) / sqrt(variance + epsilon) + shift, with a mean and a variance for
/// each channel. Tensors are N x C x spatial axes.
///
/// Arguments: DNNL_ARG_SRC, DNNL_ARG_DST; DNNL_ARG_SCALE and DNNL_ARG_SHIFT (C elements each) with
/// use_scale and use_shift; DNNL_ARG_MEAN and DNNL_ARG_VARIANCE (C elements each): inputs with
/// use_global_stats, otherwise outputs of training; DNNL_ARG_SRC_1 with fuse_norm_add_relu;
/// DNNL_ARG_WORKSPACE with either ReLU in training.
struct batch_normalization_forward : public primitive {
    /// Throws dnnl_invalid_arguments for inconsistent shapes, types or flags, and
    /// dnnl_unimplemented if no implementation supports them. With allow_empty the object is empty
    /// instead. A descriptor of format any gets the layout that the implementation chooses.
    struct primitive_desc : public detail::normalization_forward_primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Tensors src_desc and dst_desc on aengine; epsilon is added to the variance.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind forward_training stores mean and variance, forward_inference does not.
        /// @param src_desc N x C x spatial axes.
        /// @param dst_desc The shape of src.
        /// @param epsilon Addend to the variance.
        /// @param flags What is computed: see normalization_flags.
        /// @param attr Post-ops, scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
                const memory::desc &dst_desc, float epsilon, normalization_flags flags,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            describe_with(allow_empty,
                    "cannot describe a batch normalization forward; ONEDNN_VERBOSE=all says why",
                    dnnl_batch_normalization_forward_primitive_desc_create, aengine.get(),
                    dnnl::convert_to_c(aprop_kind), src_desc.get(), dst_desc.get(), epsilon,
                    convert_to_c(flags), attr.get());
        }

        /// Copies a C descriptor pd of this operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : normalization_forward_primitive_desc(pd, kind::batch_normalization) {}
    };

    /// An empty primitive.
    batch_normalization_forward() = default;
    /// The primitive of descriptor pd.
    batch_normalization_forward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    batch_normalization_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// The gradients of src and, unless the propagation is backward_data, of scale and shift.
///
/// Arguments: DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE and, with
/// use_scale, DNNL_ARG_SCALE, and DNNL_ARG_WORKSPACE with either ReLU; DNNL_ARG_DIFF_SRC and, with
/// use_scale and use_shift, DNNL_ARG_DIFF_SCALE and DNNL_ARG_DIFF_SHIFT; DNNL_ARG_DIFF_SRC_1 with
/// fuse_norm_add_relu.
struct batch_normalization_backward : public primitive {
    /// Throws as forward does. epsilon and flags must equal those of hint_fwd_pd.
    struct primitive_desc : public detail::normalization_backward_primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Tensors diff_src_desc, diff_dst_desc and src_desc; hint_fwd_pd is the forward
        /// descriptor.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind backward: all gradients; backward_data: that of src alone.
        /// @param diff_src_desc The shape of src.
        /// @param diff_dst_desc The shape of src.
        /// @param src_desc N x C x spatial axes.
        /// @param epsilon Addend to the variance.
        /// @param flags What is computed: see normalization_flags.
        /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
        /// @param attr Scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind,
                const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
                const memory::desc &src_desc, float epsilon, normalization_flags flags,
                const batch_normalization_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            describe_with(allow_empty,
                    "cannot describe a batch normalization backward; ONEDNN_VERBOSE=all says why",
                    dnnl_batch_normalization_backward_primitive_desc_create, aengine.get(),
                    dnnl::convert_to_c(aprop_kind), diff_src_desc.get(), diff_dst_desc.get(),
                    src_desc.get(), epsilon, convert_to_c(flags), hint_fwd_pd.get(), attr.get());
        }

        /// Copies a C descriptor pd of this operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : normalization_backward_primitive_desc(pd, kind::batch_normalization) {}
    };

    /// An empty primitive.
    batch_normalization_backward() = default;
    /// The primitive of descriptor pd.
    batch_normalization_backward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    batch_normalization_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_BATCH_NORMALIZATION_HPP
