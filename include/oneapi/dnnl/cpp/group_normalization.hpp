// SPDX-License-Identifier: Apache-2.0
// Group normalization: statistics of each sample over the spatial axes and a group of channels.

#ifndef ONEAPI_DNNL_CPP_GROUP_NORMALIZATION_HPP
#define ONEAPI_DNNL_CPP_GROUP_NORMALIZATION_HPP

#include "oneapi/dnnl/cpp/normalization.hpp"

namespace dnnl {

/// dst = scale * (src - mean) / sqrt(variance + epsilon) + shift, with a mean and a variance for
/// each sample and group of C / groups channels; with groups = C this is instance normalization.
/// Tensors are N x C x spatial axes.
///
/// Arguments: DNNL_ARG_SRC, DNNL_ARG_DST; DNNL_ARG_SCALE and DNNL_ARG_SHIFT (C elements each) with
/// use_scale and use_shift; DNNL_ARG_MEAN and DNNL_ARG_VARIANCE (N x groups): inputs with
/// use_global_stats, otherwise outputs of training.
struct group_normalization_forward : public primitive {
    /// Throws dnnl_invalid_arguments for inconsistent shapes, types or flags, and
    /// dnnl_unimplemented if no implementation supports them. With allow_empty the object is empty
    /// instead. A descriptor of format any gets the layout that the implementation chooses.
    struct primitive_desc : public detail::normalization_forward_primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Tensors src_desc and dst_desc on aengine; epsilon is added to the variance. groups
        /// divides the number of channels.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind forward_training stores mean and variance, forward_inference does not.
        /// @param src_desc N x C x spatial axes.
        /// @param dst_desc The shape of src.
        /// @param groups Number of groups; it divides C.
        /// @param epsilon Addend to the variance.
        /// @param flags What is computed: see normalization_flags.
        /// @param attr Scales, post-ops, scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
                const memory::desc &dst_desc, memory::dim groups, float epsilon,
                normalization_flags flags, const primitive_attr &attr = default_attr(),
                bool allow_empty = false) {
            describe_with(allow_empty,
                    "cannot describe a group normalization forward; ONEDNN_VERBOSE=all says why",
                    dnnl_group_normalization_forward_primitive_desc_create, aengine.get(),
                    dnnl::convert_to_c(aprop_kind), src_desc.get(), dst_desc.get(), groups, epsilon,
                    convert_to_c(flags), attr.get());
        }

        /// Copies a C descriptor pd of this operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : normalization_forward_primitive_desc(pd, kind::group_normalization) {}
    };

    /// An empty primitive.
    group_normalization_forward() = default;
    /// The primitive of descriptor pd.
    group_normalization_forward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    group_normalization_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// The gradients of src and, unless the propagation is backward_data, of scale and shift.
///
/// Arguments: DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE and, with
/// use_scale, DNNL_ARG_SCALE; DNNL_ARG_DIFF_SRC and, with use_scale and use_shift,
/// DNNL_ARG_DIFF_SCALE and DNNL_ARG_DIFF_SHIFT.
struct group_normalization_backward : public primitive {
    /// Throws as forward does. groups, epsilon and flags must equal those of hint_fwd_pd.
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
        /// @param groups Number of groups; it divides C.
        /// @param epsilon Addend to the variance.
        /// @param flags What is computed: see normalization_flags.
        /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
        /// @param attr Scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind,
                const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
                const memory::desc &src_desc, memory::dim groups, float epsilon,
                normalization_flags flags,
                const group_normalization_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            describe_with(allow_empty,
                    "cannot describe a group normalization backward; ONEDNN_VERBOSE=all says why",
                    dnnl_group_normalization_backward_primitive_desc_create, aengine.get(),
                    dnnl::convert_to_c(aprop_kind), diff_src_desc.get(), diff_dst_desc.get(),
                    src_desc.get(), groups, epsilon, convert_to_c(flags), hint_fwd_pd.get(),
                    attr.get());
        }

        /// Copies a C descriptor pd of this operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : normalization_backward_primitive_desc(pd, kind::group_normalization) {}
    };

    /// An empty primitive.
    group_normalization_backward() = default;
    /// The primitive of descriptor pd.
    group_normalization_backward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    group_normalization_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_GROUP_NORMALIZATION_HPP
