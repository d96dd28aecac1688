// SPDX-License-Identifier: Apache-2.0
// Resampling: spatial axes stretched or shrunk.

#ifndef ONEAPI_DNNL_CPP_RESAMPLING_HPP
#define ONEAPI_DNNL_CPP_RESAMPLING_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

/// A point of dst is the nearest point of src (resampling_nearest) or an interpolation of its
/// neighbours (resampling_linear). Tensors are N x C x spatial axes.
///
/// Arguments: DNNL_ARG_SRC and DNNL_ARG_DST.
struct resampling_forward : public primitive {
    /// A dst of format any has the layout of src. Throws dnnl_invalid_arguments for inconsistent
    /// shapes or parameters, and dnnl_unimplemented if no implementation supports them.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// With factors that follow from the extents.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind forward_inference, or forward_training, which stores what backward
        ///     needs.
        /// @param aalgorithm resampling_nearest or resampling_linear.
        /// @param src_desc N x C x spatial axes.
        /// @param dst_desc N x C x spatial axes.
        /// @param attr Post-ops, scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
                const memory::desc &src_desc, const memory::desc &dst_desc,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, aalgorithm, nullptr, src_desc, &dst_desc, attr,
                    allow_empty) {}

        /// With a dst whose extents follow from the factors.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind forward_inference, or forward_training, which stores what backward
        ///     needs.
        /// @param aalgorithm resampling_nearest or resampling_linear.
        /// @param factors Extent of dst over extent of src, for each spatial axis (D, H, W).
        /// @param src_desc N x C x spatial axes.
        /// @param attr Post-ops, scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
                const std::vector<float> &factors, const memory::desc &src_desc,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, aalgorithm, &factors, src_desc, nullptr, attr,
                    allow_empty) {}

        /// With factors and dst.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind forward_inference, or forward_training, which stores what backward
        ///     needs.
        /// @param aalgorithm resampling_nearest or resampling_linear.
        /// @param factors Extent of dst over extent of src, for each spatial axis (D, H, W).
        /// @param src_desc N x C x spatial axes.
        /// @param dst_desc N x C x spatial axes.
        /// @param attr Post-ops, scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
                const std::vector<float> &factors, const memory::desc &src_desc,
                const memory::desc &dst_desc, const primitive_attr &attr = default_attr(),
                bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, aalgorithm, &factors, src_desc, &dst_desc, attr,
                    allow_empty) {}

        /// Copies a C descriptor pd of this operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, kind::resampling, prop_kind::forward_training,
                    prop_kind::forward_inference) {}

    private:
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
                const std::vector<float> *factors, const memory::desc &src_desc,
                const memory::desc *dst_desc, const primitive_attr &attr, bool allow_empty) {
            require_spatial<float>(src_desc, {factors});
            describe_with(allow_empty,
                    "cannot describe a resampling forward; ONEDNN_VERBOSE=all says why",
                    dnnl_resampling_forward_primitive_desc_create, aengine.get(),
                    dnnl::convert_to_c(aprop_kind), convert_to_c(aalgorithm), optional_arg(factors),
                    src_desc.get(), optional_arg(dst_desc), attr.get());
        }
    };

    /// An empty primitive.
    resampling_forward() = default;
    /// The primitive of descriptor pd.
    resampling_forward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    resampling_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// The gradient of src.
///
/// Arguments: DNNL_ARG_DIFF_DST and DNNL_ARG_DIFF_SRC.
struct resampling_backward : public primitive {
    /// Throws as forward does. The parameters must equal those of hint_fwd_pd.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// With factors that follow from the extents.
        /// @param aengine Engine that executes the primitive.
        /// @param aalgorithm resampling_nearest or resampling_linear.
        /// @param diff_src_desc The shape of src.
        /// @param diff_dst_desc The shape of dst.
        /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
        /// @param attr Scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, algorithm aalgorithm,
                const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
                const resampling_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aalgorithm, nullptr, diff_src_desc, diff_dst_desc,
                    hint_fwd_pd, attr, allow_empty) {}

        /// With factors.
        /// @param aengine Engine that executes the primitive.
        /// @param aalgorithm resampling_nearest or resampling_linear.
        /// @param factors Extent of dst over extent of src, for each spatial axis (D, H, W).
        /// @param diff_src_desc The shape of src.
        /// @param diff_dst_desc The shape of dst.
        /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
        /// @param attr Scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, algorithm aalgorithm,
                const std::vector<float> &factors, const memory::desc &diff_src_desc,
                const memory::desc &diff_dst_desc,
                const resampling_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aalgorithm, &factors, diff_src_desc, diff_dst_desc,
                    hint_fwd_pd, attr, allow_empty) {}

        /// Copies a C descriptor pd of this operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, kind::resampling, prop_kind::backward_data) {}

    private:
        primitive_desc(const engine &aengine, algorithm aalgorithm,
                const std::vector<float> *factors, const memory::desc &diff_src_desc,
                const memory::desc &diff_dst_desc,
                const resampling_forward::primitive_desc &hint_fwd_pd, const primitive_attr &attr,
                bool allow_empty) {
            require_spatial<float>(diff_src_desc, {factors});
            describe_with(allow_empty,
                    "cannot describe a resampling backward; ONEDNN_VERBOSE=all says why",
                    dnnl_resampling_backward_primitive_desc_create, aengine.get(),
                    convert_to_c(aalgorithm), optional_arg(factors), diff_src_desc.get(),
                    diff_dst_desc.get(), hint_fwd_pd.get(), attr.get());
        }
    };

    /// An empty primitive.
    resampling_backward() = default;
    /// The primitive of descriptor pd.
    resampling_backward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    resampling_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_RESAMPLING_HPP
