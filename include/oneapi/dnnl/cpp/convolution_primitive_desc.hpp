// SPDX-License-Identifier: Apache-2.0
// Descriptors of convolutions and deconvolutions, which differ in their C functions alone.

#ifndef ONEAPI_DNNL_CPP_CONVOLUTION_PRIMITIVE_DESC_HPP
#define ONEAPI_DNNL_CPP_CONVOLUTION_PRIMITIVE_DESC_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {
namespace detail {

/// The forward descriptor of an operation that the C function create describes.
template <primitive::kind operation,
        decltype(&dnnl_convolution_forward_primitive_desc_create) create>
struct convolution_forward_primitive_desc : public dnnl::primitive_desc {
    /// An empty descriptor.
    convolution_forward_primitive_desc() = default;

    /// With a bias.
    /// @param aengine Engine that executes the primitive.
    /// @param aprop_kind forward_inference, or forward_training, which stores what backward needs.
    /// @param aalgorithm convolution_direct, _winograd or _auto; deconvolution_direct or _winograd.
    /// @param src_desc N x IC x spatial axes.
    /// @param weights_desc OC x IC x kernel axes; with groups G x OC/G x IC/G x kernel axes.
    /// @param bias_desc OC elements.
    /// @param dst_desc N x OC x spatial axes.
    /// @param strides Steps of the window in points of src, for each spatial axis (D, H, W).
    /// @param padding_l Points before the first one of each spatial axis (front, top, left).
    /// @param padding_r Points after the last one of each spatial axis (back, bottom, right).
    /// @param attr Scales, zero points, post-ops, ...; the defaults if not given.
    /// @param allow_empty True: a failure leaves the object empty; false: it throws dnnl::error.
    convolution_forward_primitive_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, const memory::desc &src_desc, const memory::desc &weights_desc,
            const memory::desc &bias_desc, const memory::desc &dst_desc,
            const memory::dims &strides, const memory::dims &padding_l,
            const memory::dims &padding_r, const primitive_attr &attr = default_attr(),
            bool allow_empty = false)
        : convolution_forward_primitive_desc(aengine, aprop_kind, aalgorithm, src_desc,
                weights_desc, &bias_desc, dst_desc, strides, nullptr, padding_l, padding_r, attr,
                allow_empty) {}

    /// Without bias.
    /// @param aengine Engine that executes the primitive.
    /// @param aprop_kind forward_inference, or forward_training, which stores what backward needs.
    /// @param aalgorithm convolution_direct, _winograd or _auto; deconvolution_direct or _winograd.
    /// @param src_desc N x IC x spatial axes.
    /// @param weights_desc OC x IC x kernel axes; with groups G x OC/G x IC/G x kernel axes.
    /// @param dst_desc N x OC x spatial axes.
    /// @param strides Steps of the window in points of src, for each spatial axis (D, H, W).
    /// @param padding_l Points before the first one of each spatial axis (front, top, left).
    /// @param padding_r Points after the last one of each spatial axis (back, bottom, right).
    /// @param attr Scales, zero points, post-ops, ...; the defaults if not given.
    /// @param allow_empty True: a failure leaves the object empty; false: it throws dnnl::error.
    convolution_forward_primitive_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, const memory::desc &src_desc, const memory::desc &weights_desc,
            const memory::desc &dst_desc, const memory::dims &strides,
            const memory::dims &padding_l, const memory::dims &padding_r,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
        : convolution_forward_primitive_desc(aengine, aprop_kind, aalgorithm, src_desc,
                weights_desc, nullptr, dst_desc, strides, nullptr, padding_l, padding_r, attr,
                allow_empty) {}

    /// With a bias, with dilations.
    /// @param aengine Engine that executes the primitive.
    /// @param aprop_kind forward_inference, or forward_training, which stores what backward needs.
    /// @param aalgorithm convolution_direct, _winograd or _auto; deconvolution_direct or _winograd.
    /// @param src_desc N x IC x spatial axes.
    /// @param weights_desc OC x IC x kernel axes; with groups G x OC/G x IC/G x kernel axes.
    /// @param bias_desc OC elements.
    /// @param dst_desc N x OC x spatial axes.
    /// @param strides Steps of the window in points of src, for each spatial axis (D, H, W).
    /// @param dilates Points left out between neighbours of the kernel, for each spatial axis.
    /// @param padding_l Points before the first one of each spatial axis (front, top, left).
    /// @param padding_r Points after the last one of each spatial axis (back, bottom, right).
    /// @param attr Scales, zero points, post-ops, ...; the defaults if not given.
    /// @param allow_empty True: a failure leaves the object empty; false: it throws dnnl::error.
    convolution_forward_primitive_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, const memory::desc &src_desc, const memory::desc &weights_desc,
            const memory::desc &bias_desc, const memory::desc &dst_desc,
            const memory::dims &strides, const memory::dims &dilates, const memory::dims &padding_l,
            const memory::dims &padding_r, const primitive_attr &attr = default_attr(),
            bool allow_empty = false)
        : convolution_forward_primitive_desc(aengine, aprop_kind, aalgorithm, src_desc,
                weights_desc, &bias_desc, dst_desc, strides, &dilates, padding_l, padding_r, attr,
                allow_empty) {}

    /// Without bias, with dilations.
    /// @param aengine Engine that executes the primitive.
    /// @param aprop_kind forward_inference, or forward_training, which stores what backward needs.
    /// @param aalgorithm convolution_direct, _winograd or _auto; deconvolution_direct or _winograd.
    /// @param src_desc N x IC x spatial axes.
    /// @param weights_desc OC x IC x kernel axes; with groups G x OC/G x IC/G x kernel axes.
    /// @param dst_desc N x OC x spatial axes.
    /// @param strides Steps of the window in points of src, for each spatial axis (D, H, W).
    /// @param dilates Points left out between neighbours of the kernel, for each spatial axis.
    /// @param padding_l Points before the first one of each spatial axis (front, top, left).
    /// @param padding_r Points after the last one of each spatial axis (back, bottom, right).
    /// @param attr Scales, zero points, post-ops, ...; the defaults if not given.
    /// @param allow_empty True: a failure leaves the object empty; false: it throws dnnl::error.
    convolution_forward_primitive_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, const memory::desc &src_desc, const memory::desc &weights_desc,
            const memory::desc &dst_desc, const memory::dims &strides, const memory::dims &dilates,
            const memory::dims &padding_l, const memory::dims &padding_r,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
        : convolution_forward_primitive_desc(aengine, aprop_kind, aalgorithm, src_desc,
                weights_desc, nullptr, dst_desc, strides, &dilates, padding_l, padding_r, attr,
                allow_empty) {}

    /// Copies a C descriptor pd of this operation.
    convolution_forward_primitive_desc(dnnl_primitive_desc_t pd)
        : dnnl::primitive_desc(
                pd, operation, prop_kind::forward_training, prop_kind::forward_inference) {}

    memory::desc bias_desc() const { return base::weights_desc(1); }

private:
    convolution_forward_primitive_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, const memory::desc &src_desc, const memory::desc &weights_desc,
            const memory::desc *bias_desc, const memory::desc &dst_desc,
            const memory::dims &strides, const memory::dims *dilates, const memory::dims &padding_l,
            const memory::dims &padding_r, const primitive_attr &attr, bool allow_empty) {
        require_spatial<memory::dim>(src_desc, {&strides, dilates, &padding_l, &padding_r});
        describe_with(allow_empty,
                "cannot describe a forward convolution or deconvolution; ONEDNN_VERBOSE=all says "
                "why",
                create, aengine.get(), dnnl::convert_to_c(aprop_kind), convert_to_c(aalgorithm),
                src_desc.get(), weights_desc.get(), optional_arg(bias_desc), dst_desc.get(),
                strides.data(), optional_arg(dilates), padding_l.data(), padding_r.data(),
                attr.get());
    }
};

/// The descriptor of the gradient of src; forward_desc_t is that of the forward operation.
template <primitive::kind operation,
        decltype(&dnnl_convolution_backward_data_primitive_desc_create) create,
        typename forward_desc_t>
struct convolution_backward_data_primitive_desc : public dnnl::primitive_desc {
    /// An empty descriptor.
    convolution_backward_data_primitive_desc() = default;

    /// Without dilations.
    /// @param aengine Engine that executes the primitive.
    /// @param aalgorithm convolution_direct, _winograd or _auto; deconvolution_direct or _winograd.
    /// @param diff_src_desc N x IC x spatial axes.
    /// @param weights_desc OC x IC x kernel axes; with groups G x OC/G x IC/G x kernel axes.
    /// @param diff_dst_desc N x OC x spatial axes.
    /// @param strides Steps of the window in points of src, for each spatial axis (D, H, W).
    /// @param padding_l Points before the first one of each spatial axis (front, top, left).
    /// @param padding_r Points after the last one of each spatial axis (back, bottom, right).
    /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
    /// @param attr Scales, zero points, post-ops, ...; the defaults if not given.
    /// @param allow_empty True: a failure leaves the object empty; false: it throws dnnl::error.
    convolution_backward_data_primitive_desc(const engine &aengine, algorithm aalgorithm,
            const memory::desc &diff_src_desc, const memory::desc &weights_desc,
            const memory::desc &diff_dst_desc, const memory::dims &strides,
            const memory::dims &padding_l, const memory::dims &padding_r,
            const forward_desc_t &hint_fwd_pd, const primitive_attr &attr = default_attr(),
            bool allow_empty = false)
        : convolution_backward_data_primitive_desc(aengine, aalgorithm, diff_src_desc, weights_desc,
                diff_dst_desc, strides, nullptr, padding_l, padding_r, hint_fwd_pd, attr,
                allow_empty) {}

    /// With dilations.
    /// @param aengine Engine that executes the primitive.
    /// @param aalgorithm convolution_direct, _winograd or _auto; deconvolution_direct or _winograd.
    /// @param diff_src_desc N x IC x spatial axes.
    /// @param weights_desc OC x IC x kernel axes; with groups G x OC/G x IC/G x kernel axes.
    /// @param diff_dst_desc N x OC x spatial axes.
    /// @param strides Steps of the window in points of src, for each spatial axis (D, H, W).
    /// @param dilates Points left out between neighbours of the kernel, for each spatial axis.
    /// @param padding_l Points before the first one of each spatial axis (front, top, left).
    /// @param padding_r Points after the last one of each spatial axis (back, bottom, right).
    /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
    /// @param attr Scales, zero points, post-ops, ...; the defaults if not given.
    /// @param allow_empty True: a failure leaves the object empty; false: it throws dnnl::error.
    convolution_backward_data_primitive_desc(const engine &aengine, algorithm aalgorithm,
            const memory::desc &diff_src_desc, const memory::desc &weights_desc,
            const memory::desc &diff_dst_desc, const memory::dims &strides,
            const memory::dims &dilates, const memory::dims &padding_l,
            const memory::dims &padding_r, const forward_desc_t &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
        : convolution_backward_data_primitive_desc(aengine, aalgorithm, diff_src_desc, weights_desc,
                diff_dst_desc, strides, &dilates, padding_l, padding_r, hint_fwd_pd, attr,
                allow_empty) {}

    /// Copies a C descriptor pd of this operation.
    convolution_backward_data_primitive_desc(dnnl_primitive_desc_t pd)
        : dnnl::primitive_desc(pd, operation, prop_kind::backward_data) {}

private:
    convolution_backward_data_primitive_desc(const engine &aengine, algorithm aalgorithm,
            const memory::desc &diff_src_desc, const memory::desc &weights_desc,
            const memory::desc &diff_dst_desc, const memory::dims &strides,
            const memory::dims *dilates, const memory::dims &padding_l,
            const memory::dims &padding_r, const forward_desc_t &hint_fwd_pd,
            const primitive_attr &attr, bool allow_empty) {
        require_spatial<memory::dim>(diff_src_desc, {&strides, dilates, &padding_l, &padding_r});
        describe_with(allow_empty,
                "cannot describe a convolution or deconvolution backward by data; "
                "ONEDNN_VERBOSE=all says why",
                create, aengine.get(), convert_to_c(aalgorithm), diff_src_desc.get(),
                weights_desc.get(), diff_dst_desc.get(), strides.data(), optional_arg(dilates),
                padding_l.data(), padding_r.data(), hint_fwd_pd.get(), attr.get());
    }
};

/// The descriptor of the gradients of weights and bias.
template <primitive::kind operation,
        decltype(&dnnl_convolution_backward_weights_primitive_desc_create) create,
        typename forward_desc_t>
struct convolution_backward_weights_primitive_desc : public dnnl::primitive_desc {
    /// An empty descriptor.
    convolution_backward_weights_primitive_desc() = default;

    /// With a bias.
    /// @param aengine Engine that executes the primitive.
    /// @param aalgorithm convolution_direct, _winograd or _auto; deconvolution_direct or _winograd.
    /// @param src_desc N x IC x spatial axes.
    /// @param diff_weights_desc OC x IC x kernel axes; with groups G x OC/G x IC/G x kernel axes.
    /// @param diff_bias_desc OC elements.
    /// @param diff_dst_desc N x OC x spatial axes.
    /// @param strides Steps of the window in points of src, for each spatial axis (D, H, W).
    /// @param padding_l Points before the first one of each spatial axis (front, top, left).
    /// @param padding_r Points after the last one of each spatial axis (back, bottom, right).
    /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
    /// @param attr Scales, zero points, post-ops, ...; the defaults if not given.
    /// @param allow_empty True: a failure leaves the object empty; false: it throws dnnl::error.
    convolution_backward_weights_primitive_desc(const engine &aengine, algorithm aalgorithm,
            const memory::desc &src_desc, const memory::desc &diff_weights_desc,
            const memory::desc &diff_bias_desc, const memory::desc &diff_dst_desc,
            const memory::dims &strides, const memory::dims &padding_l,
            const memory::dims &padding_r, const forward_desc_t &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
        : convolution_backward_weights_primitive_desc(aengine, aalgorithm, src_desc,
                diff_weights_desc, &diff_bias_desc, diff_dst_desc, strides, nullptr, padding_l,
                padding_r, hint_fwd_pd, attr, allow_empty) {}

    /// Without bias.
    /// @param aengine Engine that executes the primitive.
    /// @param aalgorithm convolution_direct, _winograd or _auto; deconvolution_direct or _winograd.
    /// @param src_desc N x IC x spatial axes.
    /// @param diff_weights_desc OC x IC x kernel axes; with groups G x OC/G x IC/G x kernel axes.
    /// @param diff_dst_desc N x OC x spatial axes.
    /// @param strides Steps of the window in points of src, for each spatial axis (D, H, W).
    /// @param padding_l Points before the first one of each spatial axis (front, top, left).
    /// @param padding_r Points after the last one of each spatial axis (back, bottom, right).
    /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
    /// @param attr Scales, zero points, post-ops, ...; the defaults if not given.
    /// @param allow_empty True: a failure leaves the object empty; false: it throws dnnl::error.
    convolution_backward_weights_primitive_desc(const engine &aengine, algorithm aalgorithm,
            const memory::desc &src_desc, const memory::desc &diff_weights_desc,
            const memory::desc &diff_dst_desc, const memory::dims &strides,
            const memory::dims &padding_l, const memory::dims &padding_r,
            const forward_desc_t &hint_fwd_pd, const primitive_attr &attr = default_attr(),
            bool allow_empty = false)
        : convolution_backward_weights_primitive_desc(aengine, aalgorithm, src_desc,
                diff_weights_desc, nullptr, diff_dst_desc, strides, nullptr, padding_l, padding_r,
                hint_fwd_pd, attr, allow_empty) {}

    /// With a bias, with dilations.
    /// @param aengine Engine that executes the primitive.
    /// @param aalgorithm convolution_direct, _winograd or _auto; deconvolution_direct or _winograd.
    /// @param src_desc N x IC x spatial axes.
    /// @param diff_weights_desc OC x IC x kernel axes; with groups G x OC/G x IC/G x kernel axes.
    /// @param diff_bias_desc OC elements.
    /// @param diff_dst_desc N x OC x spatial axes.
    /// @param strides Steps of the window in points of src, for each spatial axis (D, H, W).
    /// @param dilates Points left out between neighbours of the kernel, for each spatial axis.
    /// @param padding_l Points before the first one of each spatial axis (front, top, left).
    /// @param padding_r Points after the last one of each spatial axis (back, bottom, right).
    /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
    /// @param attr Scales, zero points, post-ops, ...; the defaults if not given.
    /// @param allow_empty True: a failure leaves the object empty; false: it throws dnnl::error.
    convolution_backward_weights_primitive_desc(const engine &aengine, algorithm aalgorithm,
            const memory::desc &src_desc, const memory::desc &diff_weights_desc,
            const memory::desc &diff_bias_desc, const memory::desc &diff_dst_desc,
            const memory::dims &strides, const memory::dims &dilates, const memory::dims &padding_l,
            const memory::dims &padding_r, const forward_desc_t &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
        : convolution_backward_weights_primitive_desc(aengine, aalgorithm, src_desc,
                diff_weights_desc, &diff_bias_desc, diff_dst_desc, strides, &dilates, padding_l,
                padding_r, hint_fwd_pd, attr, allow_empty) {}

    /// Without bias, with dilations.
    /// @param aengine Engine that executes the primitive.
    /// @param aalgorithm convolution_direct, _winograd or _auto; deconvolution_direct or _winograd.
    /// @param src_desc N x IC x spatial axes.
    /// @param diff_weights_desc OC x IC x kernel axes; with groups G x OC/G x IC/G x kernel axes.
    /// @param diff_dst_desc N x OC x spatial axes.
    /// @param strides Steps of the window in points of src, for each spatial axis (D, H, W).
    /// @param dilates Points left out between neighbours of the kernel, for each spatial axis.
    /// @param padding_l Points before the first one of each spatial axis (front, top, left).
    /// @param padding_r Points after the last one of each spatial axis (back, bottom, right).
    /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
    /// @param attr Scales, zero points, post-ops, ...; the defaults if not given.
    /// @param allow_empty True: a failure leaves the object empty; false: it throws dnnl::error.
    convolution_backward_weights_primitive_desc(const engine &aengine, algorithm aalgorithm,
            const memory::desc &src_desc, const memory::desc &diff_weights_desc,
            const memory::desc &diff_dst_desc, const memory::dims &strides,
            const memory::dims &dilates, const memory::dims &padding_l,
            const memory::dims &padding_r, const forward_desc_t &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
        : convolution_backward_weights_primitive_desc(aengine, aalgorithm, src_desc,
                diff_weights_desc, nullptr, diff_dst_desc, strides, &dilates, padding_l, padding_r,
                hint_fwd_pd, attr, allow_empty) {}

    /// Copies a C descriptor pd of this operation.
    convolution_backward_weights_primitive_desc(dnnl_primitive_desc_t pd)
        : dnnl::primitive_desc(pd, operation, prop_kind::backward_weights) {}

    memory::desc diff_bias_desc() const { return base::diff_weights_desc(1); }

private:
    convolution_backward_weights_primitive_desc(const engine &aengine, algorithm aalgorithm,
            const memory::desc &src_desc, const memory::desc &diff_weights_desc,
            const memory::desc *diff_bias_desc, const memory::desc &diff_dst_desc,
            const memory::dims &strides, const memory::dims *dilates, const memory::dims &padding_l,
            const memory::dims &padding_r, const forward_desc_t &hint_fwd_pd,
            const primitive_attr &attr, bool allow_empty) {
        require_spatial<memory::dim>(src_desc, {&strides, dilates, &padding_l, &padding_r});
        describe_with(allow_empty,
                "cannot describe a convolution or deconvolution backward by weights; "
                "ONEDNN_VERBOSE=all says why",
                create, aengine.get(), convert_to_c(aalgorithm), src_desc.get(),
                diff_weights_desc.get(), optional_arg(diff_bias_desc), diff_dst_desc.get(),
                strides.data(), optional_arg(dilates), padding_l.data(), padding_r.data(),
                hint_fwd_pd.get(), attr.get());
    }
};

} // namespace detail

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_CONVOLUTION_PRIMITIVE_DESC_HPP
