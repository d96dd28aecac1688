// SPDX-License-Identifier: Apache-2.0
// Deconvolution (transposed convolution) and its gradients.

#ifndef ONEAPI_DNNL_CPP_DECONVOLUTION_HPP
#define ONEAPI_DNNL_CPP_DECONVOLUTION_HPP

#include "oneapi/dnnl/cpp/convolution_primitive_desc.hpp"

namespace dnnl {

/// Transposed convolution: the gradient of a convolution's src, plus a bias. dst is larger than src
/// where the strides exceed 1. Tensors are N x C x spatial axes (one to three).
///
/// Arguments: DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST; DNNL_ARG_BIAS with a bias.
struct deconvolution_forward : public primitive {
    /// Throws dnnl_invalid_arguments for inconsistent shapes or parameters, and dnnl_unimplemented
    /// if no implementation supports them. A layout of format any is chosen by the implementation.
    struct primitive_desc : public detail::convolution_forward_primitive_desc<kind::deconvolution,
                                    dnnl_deconvolution_forward_primitive_desc_create> {
        using convolution_forward_primitive_desc::convolution_forward_primitive_desc;

        /// An empty descriptor.
        primitive_desc() = default;
    };

    /// An empty primitive.
    deconvolution_forward() = default;
    /// The primitive of descriptor pd.
    deconvolution_forward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    deconvolution_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// The gradient of src, from that of dst and the weights.
///
/// Arguments: DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS and DNNL_ARG_DIFF_SRC.
struct deconvolution_backward_data : public primitive {
    /// Throws dnnl_invalid_arguments for inconsistent shapes or parameters, and dnnl_unimplemented
    /// if no implementation supports them. A layout of format any is chosen by the implementation.
    struct primitive_desc
        : public detail::convolution_backward_data_primitive_desc<kind::deconvolution,
                  dnnl_deconvolution_backward_data_primitive_desc_create,
                  deconvolution_forward::primitive_desc> {
        using convolution_backward_data_primitive_desc::convolution_backward_data_primitive_desc;

        /// An empty descriptor.
        primitive_desc() = default;
    };

    /// An empty primitive.
    deconvolution_backward_data() = default;
    /// The primitive of descriptor pd.
    deconvolution_backward_data(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    deconvolution_backward_data(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// The gradients of weights and bias, from src and the gradient of dst.
///
/// Arguments: DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_WEIGHTS; DNNL_ARG_DIFF_BIAS with a
/// bias.
struct deconvolution_backward_weights : public primitive {
    /// Throws dnnl_invalid_arguments for inconsistent shapes or parameters, and dnnl_unimplemented
    /// if no implementation supports them. A layout of format any is chosen by the implementation.
    struct primitive_desc
        : public detail::convolution_backward_weights_primitive_desc<kind::deconvolution,
                  dnnl_deconvolution_backward_weights_primitive_desc_create,
                  deconvolution_forward::primitive_desc> {
        using convolution_backward_weights_primitive_desc::
                convolution_backward_weights_primitive_desc;

        /// An empty descriptor.
        primitive_desc() = default;
    };

    /// An empty primitive.
    deconvolution_backward_weights() = default;
    /// The primitive of descriptor pd.
    deconvolution_backward_weights(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    deconvolution_backward_weights(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_DECONVOLUTION_HPP
