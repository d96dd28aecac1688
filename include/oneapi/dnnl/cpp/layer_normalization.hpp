// SPDX-License-Identifier: Apache-2.0
// Layer normalization: statistics over the last logical axis; RMSNorm with the rms_norm flag.

#ifndef ONEAPI_DNNL_CPP_LAYER_NORMALIZATION_HPP
#define ONEAPI_DNNL_CPP_LAYER_NORMALIZATION_HPP

#include "oneapi/dnnl/cpp/normalization.hpp"

namespace dnnl {

/// dst = scale * (src - mean) / sqrt(variance + epsilon) + shift over rows of C elements, C being
/// the extent of the last logical axis.
///
/// Arguments: DNNL_ARG_SRC, DNNL_ARG_DST; DNNL_ARG_SCALE and DNNL_ARG_SHIFT (C elements each) as
/// the flags say; DNNL_ARG_MEAN and DNNL_ARG_VARIANCE (one element a row): inputs with
/// use_global_stats, otherwise outputs of training.
struct layer_normalization_forward : public primitive {
    /// stat_desc has the shape of src without its last axis, and its layout if none is given;
    /// scale and shift are f32 if no type is given. Throws with dnnl_invalid_arguments for shapes,
    /// types or flags that contradict each other and dnnl_unimplemented where no implementation
    /// accepts; if allow_empty, leaves the object empty instead.
    struct primitive_desc : public detail::normalization_forward_primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
                const memory::desc &dst_desc, const memory::desc &stat_desc, float epsilon,
                normalization_flags flags, const primitive_attr &attr = default_attr(),
                bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, src_desc, dst_desc, &stat_desc,
                    memory::data_type::f32, epsilon, flags, attr, allow_empty) {}

        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
                const memory::desc &dst_desc, float epsilon, normalization_flags flags,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, src_desc, dst_desc, nullptr,
                    memory::data_type::f32, epsilon, flags, attr, allow_empty) {}

        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
                const memory::desc &dst_desc, const memory::desc &stat_desc,
                memory::data_type scale_shift_data_type, float epsilon, normalization_flags flags,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, src_desc, dst_desc, &stat_desc,
                    scale_shift_data_type, epsilon, flags, attr, allow_empty) {}

        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
                const memory::desc &dst_desc, memory::data_type scale_shift_data_type,
                float epsilon, normalization_flags flags,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, src_desc, dst_desc, nullptr,
                    scale_shift_data_type, epsilon, flags, attr, allow_empty) {}

        /// A copy of a C descriptor, which must be one of this operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : normalization_forward_primitive_desc(pd, kind::layer_normalization) {}

    private:
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
                const memory::desc &dst_desc, const memory::desc *stat_desc,
                memory::data_type scale_shift_data_type, float epsilon, normalization_flags flags,
                const primitive_attr &attr, bool allow_empty) {
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status =
                    dnnl_layer_normalization_forward_primitive_desc_create_v2(&pd, aengine.get(),
                            dnnl::convert_to_c(aprop_kind), src_desc.get(), dst_desc.get(),
                            optional_arg(stat_desc), memory::convert_to_c(scale_shift_data_type),
                            epsilon, convert_to_c(flags), attr.get());
            accept(status, pd, allow_empty,
                    "cannot describe a layer normalization forward; ONEDNN_VERBOSE=all says why");
        }
    };

    /// An empty primitive.
    layer_normalization_forward() = default;
    layer_normalization_forward(const primitive_desc &pd)
        : primitive(pd) {}
    layer_normalization_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// The gradients of src and, unless the propagation is backward_data, of scale and shift.
///
/// Arguments: DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE and, with
/// use_scale, DNNL_ARG_SCALE; DNNL_ARG_DIFF_SRC and, as the flags say, DNNL_ARG_DIFF_SCALE and
/// DNNL_ARG_DIFF_SHIFT. An output that is not passed is not computed.
struct layer_normalization_backward : public primitive {
    /// As of forward; epsilon and flags must be those of hint_fwd_pd.
    struct primitive_desc : public detail::normalization_backward_primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        primitive_desc(const engine &aengine, prop_kind aprop_kind,
                const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
                const memory::desc &src_desc, const memory::desc &stat_desc, float epsilon,
                normalization_flags flags,
                const layer_normalization_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, diff_src_desc, diff_dst_desc, src_desc,
                    &stat_desc, memory::data_type::f32, memory::data_type::f32, epsilon, flags,
                    hint_fwd_pd, attr, allow_empty) {}

        primitive_desc(const engine &aengine, prop_kind aprop_kind,
                const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
                const memory::desc &src_desc, float epsilon, normalization_flags flags,
                const layer_normalization_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, diff_src_desc, diff_dst_desc, src_desc, nullptr,
                    memory::data_type::f32, memory::data_type::f32, epsilon, flags, hint_fwd_pd,
                    attr, allow_empty) {}

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

        primitive_desc(const engine &aengine, prop_kind aprop_kind,
                const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
                const memory::desc &src_desc, memory::data_type diff_scale_shift_data_type,
                memory::data_type scale_shift_data_type, float epsilon, normalization_flags flags,
                const layer_normalization_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, diff_src_desc, diff_dst_desc, src_desc, nullptr,
                    diff_scale_shift_data_type, scale_shift_data_type, epsilon, flags, hint_fwd_pd,
                    attr, allow_empty) {}

        /// A copy of a C descriptor, which must be one of this operation.
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
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_layer_normalization_backward_primitive_desc_create_v2(
                    &pd, aengine.get(), dnnl::convert_to_c(aprop_kind), diff_src_desc.get(),
                    diff_dst_desc.get(), src_desc.get(), optional_arg(stat_desc),
                    memory::convert_to_c(diff_scale_shift_data_type),
                    memory::convert_to_c(scale_shift_data_type), epsilon, convert_to_c(flags),
                    hint_fwd_pd.get(), attr.get());
            accept(status, pd, allow_empty,
                    "cannot describe a layer normalization backward; ONEDNN_VERBOSE=all says why");
        }
    };

    /// An empty primitive.
    layer_normalization_backward() = default;
    layer_normalization_backward(const primitive_desc &pd)
        : primitive(pd) {}
    layer_normalization_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_LAYER_NORMALIZATION_HPP
