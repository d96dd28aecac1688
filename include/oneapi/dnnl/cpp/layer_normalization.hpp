// SPDX-License-Identifier: Apache-2.0
// Layer normalization: statistics over the last logical axis. RMSNorm with the flag rms_norm.

#ifndef ONEAPI_DNNL_CPP_LAYER_NORMALIZATION_HPP
#define ONEAPI_DNNL_CPP_LAYER_NORMALIZATION_HPP

#include "oneapi/dnnl/cpp/normalization.hpp"

namespace dnnl {

/// dst = scale * (src - mean) / sqrt(variance + epsilon) + shift for rows of C elements, where C
/// is the extent of the last logical axis.
///
/// Arguments: DNNL_ARG_SRC, DNNL_ARG_DST; DNNL_ARG_SCALE and DNNL_ARG_SHIFT (C elements each) with
/// use_scale and use_shift; DNNL_ARG_MEAN and DNNL_ARG_VARIANCE (an element for each row): inputs
/// with use_global_stats, otherwise outputs of training.
struct layer_normalization_forward : public primitive {
    /// stat_desc describes mean and variance: the shape of src without its last axis. Without
    /// stat_desc the library chooses their layout. scale_shift_data_type is the type of scale and
    /// shift, f32 by default. Throws dnnl_invalid_arguments for inconsistent shapes, types or
    /// flags, and dnnl_unimplemented if no implementation supports them. With allow_empty the
    /// object is empty instead.
    struct primitive_desc : public detail::normalization_forward_primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// With stat_desc, and scale and shift of f32.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind forward_training stores mean and variance, forward_inference does not.
        /// @param src_desc 2 to 12 axes; the last one, of C elements, is normalized.
        /// @param dst_desc The shape of src.
        /// @param stat_desc Mean and variance: the shape of src without its last axis, f32.
        /// @param epsilon Addend to the variance, or to the mean square.
        /// @param flags What is computed: see normalization_flags.
        /// @param attr Scales, post-ops, scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
                const memory::desc &dst_desc, const memory::desc &stat_desc, float epsilon,
                normalization_flags flags, const primitive_attr &attr = default_attr(),
                bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, src_desc, dst_desc, &stat_desc,
                    memory::data_type::f32, epsilon, flags, attr, allow_empty) {}

        /// With a layout of statistics that the library chooses, and scale and shift of f32.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind forward_training stores mean and variance, forward_inference does not.
        /// @param src_desc 2 to 12 axes; the last one, of C elements, is normalized.
        /// @param dst_desc The shape of src.
        /// @param epsilon Addend to the variance, or to the mean square.
        /// @param flags What is computed: see normalization_flags.
        /// @param attr Scales, post-ops, scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
                const memory::desc &dst_desc, float epsilon, normalization_flags flags,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, src_desc, dst_desc, nullptr,
                    memory::data_type::f32, epsilon, flags, attr, allow_empty) {}

        /// With stat_desc, and scale and shift of scale_shift_data_type.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind forward_training stores mean and variance, forward_inference does not.
        /// @param src_desc 2 to 12 axes; the last one, of C elements, is normalized.
        /// @param dst_desc The shape of src.
        /// @param stat_desc Mean and variance: the shape of src without its last axis, f32.
        /// @param scale_shift_data_type Data type of scale and shift, C elements each.
        /// @param epsilon Addend to the variance, or to the mean square.
        /// @param flags What is computed: see normalization_flags.
        /// @param attr Scales, post-ops, scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
                const memory::desc &dst_desc, const memory::desc &stat_desc,
                memory::data_type scale_shift_data_type, float epsilon, normalization_flags flags,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, src_desc, dst_desc, &stat_desc,
                    scale_shift_data_type, epsilon, flags, attr, allow_empty) {}

        /// With a layout of statistics that the library chooses, and scale and shift of
        /// scale_shift_data_type.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind forward_training stores mean and variance, forward_inference does not.
        /// @param src_desc 2 to 12 axes; the last one, of C elements, is normalized.
        /// @param dst_desc The shape of src.
        /// @param scale_shift_data_type Data type of scale and shift, C elements each.
        /// @param epsilon Addend to the variance, or to the mean square.
        /// @param flags What is computed: see normalization_flags.
        /// @param attr Scales, post-ops, scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
                const memory::desc &dst_desc, memory::data_type scale_shift_data_type,
                float epsilon, normalization_flags flags,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, src_desc, dst_desc, nullptr,
                    scale_shift_data_type, epsilon, flags, attr, allow_empty) {}

        /// Copies a C descriptor pd of this operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : normalization_forward_primitive_desc(pd, kind::layer_normalization) {}

    private:
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
                const memory::desc &dst_desc, const memory::desc *stat_desc,
                memory::data_type scale_shift_data_type, float epsilon, normalization_flags flags,
                const primitive_attr &attr, bool allow_empty) {
            describe_with(allow_empty,
                    "cannot describe a layer normalization forward; ONEDNN_VERBOSE=all says why",
                    dnnl_layer_normalization_forward_primitive_desc_create_v2, aengine.get(),
                    dnnl::convert_to_c(aprop_kind), src_desc.get(), dst_desc.get(),
                    optional_arg(stat_desc), memory::convert_to_c(scale_shift_data_type), epsilon,
                    convert_to_c(flags), attr.get());
        }
    };

    /// An empty primitive.
    layer_normalization_forward() = default;
    /// The primitive of descriptor pd.
    layer_normalization_forward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    layer_normalization_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// The gradients of src and, unless the propagation is backward_data, of scale and shift.
///
/// Arguments: DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE and, with
/// use_scale, DNNL_ARG_SCALE; DNNL_ARG_DIFF_SRC and, with use_scale and use_shift,
/// DNNL_ARG_DIFF_SCALE and DNNL_ARG_DIFF_SHIFT. An output that is not passed is not computed.
struct layer_normalization_backward : public primitive {
    /// As forward. diff_scale_shift_data_type is the type of the gradients of scale and shift.
    /// epsilon and flags must equal those of hint_fwd_pd.
    struct primitive_desc : public detail::normalization_backward_primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// With stat_desc, and scale, shift and their gradients of f32.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind backward: all gradients; backward_data: that of src alone.
        /// @param diff_src_desc The shape of src.
        /// @param diff_dst_desc The shape of src.
        /// @param src_desc 2 to 12 axes; the last one, of C elements, is normalized.
        /// @param stat_desc Mean and variance: the shape of src without its last axis, f32.
        /// @param epsilon Addend to the variance, or to the mean square.
        /// @param flags What is computed: see normalization_flags.
        /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
        /// @param attr Scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind,
                const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
                const memory::desc &src_desc, const memory::desc &stat_desc, float epsilon,
                normalization_flags flags,
                const layer_normalization_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, diff_src_desc, diff_dst_desc, src_desc,
                    &stat_desc, memory::data_type::f32, memory::data_type::f32, epsilon, flags,
                    hint_fwd_pd, attr, allow_empty) {}

        /// With a layout of statistics that the library chooses, and scale, shift and their
        /// gradients of f32.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind backward: all gradients; backward_data: that of src alone.
        /// @param diff_src_desc The shape of src.
        /// @param diff_dst_desc The shape of src.
        /// @param src_desc 2 to 12 axes; the last one, of C elements, is normalized.
        /// @param epsilon Addend to the variance, or to the mean square.
        /// @param flags What is computed: see normalization_flags.
        /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
        /// @param attr Scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind,
                const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
                const memory::desc &src_desc, float epsilon, normalization_flags flags,
                const layer_normalization_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, diff_src_desc, diff_dst_desc, src_desc, nullptr,
                    memory::data_type::f32, memory::data_type::f32, epsilon, flags, hint_fwd_pd,
                    attr, allow_empty) {}

        /// With stat_desc, scale and shift of scale_shift_data_type, and their gradients of
        /// diff_scale_shift_data_type.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind backward: all gradients; backward_data: that of src alone.
        /// @param diff_src_desc The shape of src.
        /// @param diff_dst_desc The shape of src.
        /// @param src_desc 2 to 12 axes; the last one, of C elements, is normalized.
        /// @param stat_desc Mean and variance: the shape of src without its last axis, f32.
        /// @param diff_scale_shift_data_type Data type of the gradients of scale and shift.
        /// @param scale_shift_data_type Data type of scale and shift, C elements each.
        /// @param epsilon Addend to the variance, or to the mean square.
        /// @param flags What is computed: see normalization_flags.
        /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
        /// @param attr Scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind,
                const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
                const memory::desc &src_desc, const memory::desc &stat_desc,
                memory::data_type diff_scale_shift_data_type,
                memory::data_type scale_shift_data_type, float epsilon, normalization_flags flags,
                const layer_normalization_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, diff_src_desc, diff_dst_desc, src_desc,
                    &stat_desc, diff_scale_shift_data_type, scale_shift_data_type, epsilon, flags,
                    hint_fwd_pd, attr, allow_empty) {}

        /// With a layout of statistics that the library chooses, and types as above.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind backward: all gradients; backward_data: that of src alone.
        /// @param diff_src_desc The shape of src.
        /// @param diff_dst_desc The shape of src.
        /// @param src_desc 2 to 12 axes; the last one, of C elements, is normalized.
        /// @param diff_scale_shift_data_type Data type of the gradients of scale and shift.
        /// @param scale_shift_data_type Data type of scale and shift, C elements each.
        /// @param epsilon Addend to the variance, or to the mean square.
        /// @param flags What is computed: see normalization_flags.
        /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
        /// @param attr Scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind,
                const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
                const memory::desc &src_desc, memory::data_type diff_scale_shift_data_type,
                memory::data_type scale_shift_data_type, float epsilon, normalization_flags flags,
                const layer_normalization_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, diff_src_desc, diff_dst_desc, src_desc, nullptr,
                    diff_scale_shift_data_type, scale_shift_data_type, epsilon, flags, hint_fwd_pd,
                    attr, allow_empty) {}

        /// Copies a C descriptor pd of this operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : normalization_backward_primitive_desc(pd, kind::layer_normalization) {}

    private:
        primitive_desc(const engine &aengine, prop_kind aprop_kind,
                const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
                const memory::desc &src_desc, const memory::desc *stat_desc,
                memory::data_type diff_scale_shift_data_type,
                memory::data_type scale_shift_data_type, float epsilon, normalization_flags flags,
                const layer_normalization_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr, bool allow_empty) {
            describe_with(allow_empty,
                    "cannot describe a layer normalization backward; ONEDNN_VERBOSE=all says why",
                    dnnl_layer_normalization_backward_primitive_desc_create_v2, aengine.get(),
                    dnnl::convert_to_c(aprop_kind), diff_src_desc.get(), diff_dst_desc.get(),
                    src_desc.get(), optional_arg(stat_desc),
                    memory::convert_to_c(diff_scale_shift_data_type),
                    memory::convert_to_c(scale_shift_data_type), epsilon, convert_to_c(flags),
                    hint_fwd_pd.get(), attr.get());
        }
    };

    /// An empty primitive.
    layer_normalization_backward() = default;
    /// The primitive of descriptor pd.
    layer_normalization_backward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    layer_normalization_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_LAYER_NORMALIZATION_HPP
