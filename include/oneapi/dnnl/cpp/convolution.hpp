// SPDX-License-Identifier: Apache-2.0
// Convolution and its gradients.

#ifndef ONEAPI_DNNL_CPP_CONVOLUTION_HPP
#define ONEAPI_DNNL_CPP_CONVOLUTION_HPP

#include "oneapi/dnnl/cpp/convolution_primitive_desc.hpp"

namespace dnnl {

/// A point of dst is the bias and the sum, over the input channels of its group and the points of
/// the kernel, of src * weights. Tensors are N x C x spatial axes (one to three).
///
/// Arguments: DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST; DNNL_ARG_BIAS with a bias.
struct convolution_forward : public primitive {
    /// Throws dnnl_invalid_arguments for inconsistent shapes or parameters, and dnnl_unimplemented
    /// if no implementation supports them. A layout of format any is chosen by the implementation.
    struct primitive_desc : public detail::convolution_forward_primitive_desc<kind::convolution,
                                    dnnl_convolution_forward_primitive_desc_create> {
        using convolution_forward_primitive_desc::convolution_forward_primitive_desc;

        /// An empty descriptor.
        primitive_desc() = default;
    };

    /// An empty primitive.
    convolution_forward() = default;
    /// The primitive of descriptor pd.
    convolution_forward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    convolution_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// The gradient of src, from that of dst and the weights.
///
/// Arguments: DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS and DNNL_ARG_DIFF_SRC.
struct convolution_backward_data : public primitive {
    /// Throws dnnl_invalid_arguments for inconsistent shapes or parameters, and dnnl_unimplemented
    /// if no implementation supports them. A layout of format any is chosen by the implementation.
    struct primitive_desc
        : public detail::convolution_backward_data_primitive_desc<kind::convolution,
                  dnnl_convolution_backward_data_primitive_desc_create,
                  convolution_forward::primitive_desc> {
        using convolution_backward_data_primitive_desc::convolution_backward_data_primitive_desc;

        /// An empty descriptor.
        primitive_desc() = default;
    };

    /// An empty primitive.
    convolution_backward_data() = default;
    /// The primitive of descriptor pd.
    convolution_backward_data(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    convolution_backward_data(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// The gradients of weights and bias, from src and the gradient of dst.
///
/// Arguments: DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_WEIGHTS; DNNL_ARG_DIFF_BIAS with a
/// bias.
struct convolution_backward_weights : public primitive {
    /// Throws dnnl_invalid_arguments for inconsistent shapes or parameters, and dnnl_unimplemented
    /// if no implementation supports them. A layout of format any is chosen by the implementation.
    struct primitive_desc
        : public detail::convolution_backward_weights_primitive_desc<kind::convolution,
                  dnnl_convolution_backward_weights_primitive_desc_create,
                  convolution_forward::primitive_desc> {
        using convolution_backward_weights_primitive_desc::
                convolution_backward_weights_primitive_desc;

        /// An empty descriptor.
        primitive_desc() = default;
    };

    /// An empty primitive.
    convolution_backward_weights() = default;
    /// The primitive of descriptor pd.
    convolution_backward_weights(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    convolution_backward_weights(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_CONVOLUTION_HPP
