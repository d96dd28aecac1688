// SPDX-License-Identifier: Apache-2.0
// Vanilla recurrent network: one gate with an activation.

#ifndef ONEAPI_DNNL_CPP_RNN_VANILLA_RNN_HPP
#define ONEAPI_DNNL_CPP_RNN_VANILLA_RNN_HPP

#include "oneapi/dnnl/cpp/rnn/rnn_primitive_desc.hpp"

namespace dnnl {

/// h_t = activation(weights_layer * x_t + weights_iter * h_(t-1) + bias).
///
/// Arguments: DNNL_ARG_SRC_LAYER, DNNL_ARG_SRC_ITER, DNNL_ARG_WEIGHTS_LAYER,
/// DNNL_ARG_WEIGHTS_ITER, DNNL_ARG_BIAS, DNNL_ARG_DST_LAYER, DNNL_ARG_DST_ITER; in training
/// DNNL_ARG_WORKSPACE.
struct vanilla_rnn_forward : public primitive {
    /// Throws dnnl_invalid_arguments for inconsistent shapes or parameters, and dnnl_unimplemented
    /// if no implementation supports them. A layout of format any is chosen by the implementation.
    struct primitive_desc : public rnn_primitive_desc_base {
        /// An empty descriptor.
        primitive_desc() = default;

        /// For an activation without parameter.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind forward_inference, or forward_training, which stores what backward
        ///     needs.
        /// @param activation eltwise_relu, eltwise_tanh or eltwise_logistic.
        /// @param direction Order of time steps; of two directions, results are joined or added.
        /// @param src_layer_desc Inputs: T x N x SLC.
        /// @param src_iter_desc Initial hidden states: L x D x N x SIC.
        /// @param weights_layer_desc Weights of inputs: L x D x SLC x G x DHC.
        /// @param weights_iter_desc Weights of hidden states: L x D x SIC x G x DHC.
        /// @param bias_desc Bias: L x D x G x DHC.
        /// @param dst_layer_desc Results of the last layer: T x N x DLC.
        /// @param dst_iter_desc Last hidden states: L x D x N x DIC.
        /// @param attr Quantization, scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm activation,
                rnn_direction direction, const memory::desc &src_layer_desc,
                const memory::desc &src_iter_desc, const memory::desc &weights_layer_desc,
                const memory::desc &weights_iter_desc, const memory::desc &bias_desc,
                const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, activation, direction, src_layer_desc,
                    src_iter_desc, weights_layer_desc, weights_iter_desc, bias_desc, dst_layer_desc,
                    dst_iter_desc, 0.f, attr, allow_empty) {}

        /// For an activation with the parameter alpha.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind forward_inference, or forward_training, which stores what backward
        ///     needs.
        /// @param activation eltwise_relu, eltwise_tanh or eltwise_logistic.
        /// @param direction Order of time steps; of two directions, results are joined or added.
        /// @param src_layer_desc Inputs: T x N x SLC.
        /// @param src_iter_desc Initial hidden states: L x D x N x SIC.
        /// @param weights_layer_desc Weights of inputs: L x D x SLC x G x DHC.
        /// @param weights_iter_desc Weights of hidden states: L x D x SIC x G x DHC.
        /// @param bias_desc Bias: L x D x G x DHC.
        /// @param dst_layer_desc Results of the last layer: T x N x DLC.
        /// @param dst_iter_desc Last hidden states: L x D x N x DIC.
        /// @param alpha Parameter of the activation: the slope of a ReLU below zero.
        /// @param attr Quantization, scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm activation,
                rnn_direction direction, const memory::desc &src_layer_desc,
                const memory::desc &src_iter_desc, const memory::desc &weights_layer_desc,
                const memory::desc &weights_iter_desc, const memory::desc &bias_desc,
                const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc, float alpha,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            describe_with(allow_empty,
                    "cannot describe a vanilla RNN forward; ONEDNN_VERBOSE=all says why",
                    dnnl_vanilla_rnn_forward_primitive_desc_create, aengine.get(),
                    dnnl::convert_to_c(aprop_kind), convert_to_c(activation),
                    dnnl::convert_to_c(direction), src_layer_desc.get(), src_iter_desc.get(),
                    weights_layer_desc.get(), weights_iter_desc.get(), bias_desc.get(),
                    dst_layer_desc.get(), dst_iter_desc.get(), dnnl_rnn_flags_undef, alpha, 0.f,
                    attr.get());
        }

        /// Copies a C descriptor pd of this operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : rnn_primitive_desc_base(pd, dnnl::prop_kind::forward_training,
                    dnnl::prop_kind::forward_inference, algorithm::vanilla_rnn) {}
    };

    /// An empty primitive.
    vanilla_rnn_forward() = default;
    /// The primitive of descriptor pd.
    vanilla_rnn_forward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    vanilla_rnn_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// The gradients of all inputs of vanilla_rnn_forward.
///
/// Arguments: those of forward training and, for each but the workspace, its gradient
/// (DNNL_ARG_DIFF_SRC_LAYER, ...): the gradients of dst_layer and dst_iter are inputs.
struct vanilla_rnn_backward : public primitive {
    /// Throws as forward does. The parameters must equal those of hint_fwd_pd.
    struct primitive_desc : public rnn_primitive_desc_base {
        /// An empty descriptor.
        primitive_desc() = default;

        /// For an activation without parameter.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind backward.
        /// @param activation eltwise_relu, eltwise_tanh or eltwise_logistic.
        /// @param direction Order of time steps; of two directions, results are joined or added.
        /// @param src_layer_desc Inputs: T x N x SLC.
        /// @param src_iter_desc Initial hidden states: L x D x N x SIC.
        /// @param weights_layer_desc Weights of inputs: L x D x SLC x G x DHC.
        /// @param weights_iter_desc Weights of hidden states: L x D x SIC x G x DHC.
        /// @param bias_desc Bias: L x D x G x DHC.
        /// @param dst_layer_desc Results of the last layer: T x N x DLC.
        /// @param dst_iter_desc Last hidden states: L x D x N x DIC.
        /// @param diff_src_layer_desc Gradient of src_layer, of its shape.
        /// @param diff_src_iter_desc Gradient of src_iter, of its shape.
        /// @param diff_weights_layer_desc Gradient of weights_layer, of its shape.
        /// @param diff_weights_iter_desc Gradient of weights_iter, of its shape.
        /// @param diff_bias_desc Gradient of the bias, of its shape.
        /// @param diff_dst_layer_desc Gradient of dst_layer, of its shape; an input.
        /// @param diff_dst_iter_desc Gradient of dst_iter, of its shape; an input.
        /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
        /// @param attr Scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm activation,
                rnn_direction direction, const memory::desc &src_layer_desc,
                const memory::desc &src_iter_desc, const memory::desc &weights_layer_desc,
                const memory::desc &weights_iter_desc, const memory::desc &bias_desc,
                const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc,
                const memory::desc &diff_src_layer_desc, const memory::desc &diff_src_iter_desc,
                const memory::desc &diff_weights_layer_desc,
                const memory::desc &diff_weights_iter_desc, const memory::desc &diff_bias_desc,
                const memory::desc &diff_dst_layer_desc, const memory::desc &diff_dst_iter_desc,
                const vanilla_rnn_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, activation, direction, src_layer_desc,
                    src_iter_desc, weights_layer_desc, weights_iter_desc, bias_desc, dst_layer_desc,
                    dst_iter_desc, diff_src_layer_desc, diff_src_iter_desc, diff_weights_layer_desc,
                    diff_weights_iter_desc, diff_bias_desc, diff_dst_layer_desc, diff_dst_iter_desc,
                    0.f, hint_fwd_pd, attr, allow_empty) {}

        /// For an activation with the parameter alpha.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind backward.
        /// @param activation eltwise_relu, eltwise_tanh or eltwise_logistic.
        /// @param direction Order of time steps; of two directions, results are joined or added.
        /// @param src_layer_desc Inputs: T x N x SLC.
        /// @param src_iter_desc Initial hidden states: L x D x N x SIC.
        /// @param weights_layer_desc Weights of inputs: L x D x SLC x G x DHC.
        /// @param weights_iter_desc Weights of hidden states: L x D x SIC x G x DHC.
        /// @param bias_desc Bias: L x D x G x DHC.
        /// @param dst_layer_desc Results of the last layer: T x N x DLC.
        /// @param dst_iter_desc Last hidden states: L x D x N x DIC.
        /// @param diff_src_layer_desc Gradient of src_layer, of its shape.
        /// @param diff_src_iter_desc Gradient of src_iter, of its shape.
        /// @param diff_weights_layer_desc Gradient of weights_layer, of its shape.
        /// @param diff_weights_iter_desc Gradient of weights_iter, of its shape.
        /// @param diff_bias_desc Gradient of the bias, of its shape.
        /// @param diff_dst_layer_desc Gradient of dst_layer, of its shape; an input.
        /// @param diff_dst_iter_desc Gradient of dst_iter, of its shape; an input.
        /// @param alpha Parameter of the activation: the slope of a ReLU below zero.
        /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
        /// @param attr Scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm activation,
                rnn_direction direction, const memory::desc &src_layer_desc,
                const memory::desc &src_iter_desc, const memory::desc &weights_layer_desc,
                const memory::desc &weights_iter_desc, const memory::desc &bias_desc,
                const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc,
                const memory::desc &diff_src_layer_desc, const memory::desc &diff_src_iter_desc,
                const memory::desc &diff_weights_layer_desc,
                const memory::desc &diff_weights_iter_desc, const memory::desc &diff_bias_desc,
                const memory::desc &diff_dst_layer_desc, const memory::desc &diff_dst_iter_desc,
                float alpha, const vanilla_rnn_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            describe_with(allow_empty,
                    "cannot describe a vanilla RNN backward; ONEDNN_VERBOSE=all says why",
                    dnnl_vanilla_rnn_backward_primitive_desc_create, aengine.get(),
                    dnnl::convert_to_c(aprop_kind), convert_to_c(activation),
                    dnnl::convert_to_c(direction), src_layer_desc.get(), src_iter_desc.get(),
                    weights_layer_desc.get(), weights_iter_desc.get(), bias_desc.get(),
                    dst_layer_desc.get(), dst_iter_desc.get(), diff_src_layer_desc.get(),
                    diff_src_iter_desc.get(), diff_weights_layer_desc.get(),
                    diff_weights_iter_desc.get(), diff_bias_desc.get(), diff_dst_layer_desc.get(),
                    diff_dst_iter_desc.get(), dnnl_rnn_flags_undef, alpha, 0.f, hint_fwd_pd.get(),
                    attr.get());
        }

        /// Copies a C descriptor pd of this operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : rnn_primitive_desc_base(pd, dnnl::prop_kind::backward, algorithm::vanilla_rnn) {}
    };

    /// An empty primitive.
    vanilla_rnn_backward() = default;
    /// The primitive of descriptor pd.
    vanilla_rnn_backward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    vanilla_rnn_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_RNN_VANILLA_RNN_HPP
