// SPDX-License-Identifier: Apache-2.0
// Group normalization: statistics over space and a group of channels, for each sample.

#ifndef ONEAPI_DNNL_CPP_GROUP_NORMALIZATION_HPP
#define ONEAPI_DNNL_CPP_GROUP_NORMALIZATION_HPP

#include "oneapi/dnnl/cpp/normalization.hpp"

namespace dnnl {

/// dst = scale * (src - mean) / sqrt(variance + epsilon) + shift, with one mean and variance a
/// sample and group of C / groups channels; with groups = C this is instance normalization. Tensors
/// are N x C x spatial axes.
///
/// Arguments: DNNL_ARG_SRC, DNNL_ARG_DST; DNNL_ARG_SCALE and DNNL_ARG_SHIFT (C elements each) as
/// the flags say; DNNL_ARG_MEAN and DNNL_ARG_VARIANCE (N x groups): inputs with
/// use_global_stats, otherwise outputs of training.
struct group_normalization_forward : public primitive {
    /// Throws with dnnl_invalid_arguments for shapes, types or flags that contradict each other
    /// and dnnl_unimplemented where no implementation accepts; if allow_empty, leaves the object
    /// empty instead.
    struct primitive_desc : public detail::normalization_forward_primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
                const memory::desc &dst_desc, memory::dim groups, float epsilon,
                normalization_flags flags, const primitive_attr &attr = default_attr(),
                bool allow_empty = false) {
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_group_normalization_forward_primitive_desc_create(&pd,
                    aengine.get(), dnnl::convert_to_c(aprop_kind), src_desc.get(), dst_desc.get(),
                    groups, epsilon, convert_to_c(flags), attr.get());
            accept(status, pd, allow_empty,
                    "cannot describe a group normalization forward; ONEDNN_VERBOSE=all says why");
        }

        /// A copy of a C descriptor, which must be one of this operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : normalization_forward_primitive_desc(pd, kind::group_normalization) {}
    };

    /// An empty primitive.
    group_normalization_forward() = default;
    group_normalization_forward(const primitive_desc &pd)
        : primitive(pd) {}
    group_normalization_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// The gradients of src and, unless the propagation is backward_data, of scale and shift.
///
/// Arguments: DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE and, with
/// use_scale, DNNL_ARG_SCALE; DNNL_ARG_DIFF_SRC and, as the flags say, DNNL_ARG_DIFF_SCALE
/// and DNNL_ARG_DIFF_SHIFT.
struct group_normalization_backward : public primitive {
    /// As of forward; groups, epsilon and flags must be those of hint_fwd_pd.
    struct primitive_desc : public detail::normalization_backward_primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        primitive_desc(const engine &aengine, prop_kind aprop_kind,
                const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
                const memory::desc &src_desc, memory::dim groups, float epsilon,
                normalization_flags flags,
                const group_normalization_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_group_normalization_backward_primitive_desc_create(
                    &pd, aengine.get(), dnnl::convert_to_c(aprop_kind), diff_src_desc.get(),
                    diff_dst_desc.get(), src_desc.get(), groups, epsilon, convert_to_c(flags),
                    hint_fwd_pd.get(), attr.get());
            accept(status, pd, allow_empty,
                    "cannot describe a group normalization backward; ONEDNN_VERBOSE=all says why");
        }

        /// A copy of a C descriptor, which must be one of this operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : normalization_backward_primitive_desc(pd, kind::group_normalization) {}
    };

    /// An empty primitive.
    group_normalization_backward() = default;
    group_normalization_backward(const primitive_desc &pd)
        : primitive(pd) {}
    group_normalization_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_GROUP_NORMALIZATION_HPP
