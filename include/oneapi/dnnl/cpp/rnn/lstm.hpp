// SPDX-License-Identifier: Apache-2.0
// LSTM (long short-term memory), with peephole connections and projection.

#ifndef ONEAPI_DNNL_CPP_RNN_LSTM_HPP
#define ONEAPI_DNNL_CPP_RNN_LSTM_HPP

#include "oneapi/dnnl/cpp/rnn/rnn_primitive_desc.hpp"

namespace dnnl {

/// c_t = f * c_(t-1) + i * g and h_t = o * tanh(c_t) with the gates i, f, g (written c~ elsewhere)
/// and o, each a function of weights_layer * x_t + weights_iter * h_(t-1) + bias: the logistic
/// function, for g tanh. With peephole connections i, f and o see the cell state c, too; with a
/// projection h_t is multiplied by weights_projection.
///
/// Arguments: DNNL_ARG_SRC_LAYER, DNNL_ARG_SRC_ITER and DNNL_ARG_SRC_ITER_C (cell states),
/// DNNL_ARG_WEIGHTS_LAYER, DNNL_ARG_WEIGHTS_ITER, DNNL_ARG_WEIGHTS_PEEPHOLE,
/// DNNL_ARG_WEIGHTS_PROJECTION, DNNL_ARG_BIAS, DNNL_ARG_DST_LAYER, DNNL_ARG_DST_ITER and
/// DNNL_ARG_DST_ITER_C; in training DNNL_ARG_WORKSPACE, too.
struct lstm_forward : public primitive {
    /// Throws dnnl_invalid_arguments for inconsistent shapes or parameters, and dnnl_unimplemented
    /// if no implementation supports them. A layout of format any is chosen by the implementation.
    struct primitive_desc : public rnn_primitive_desc_base {
        /// An empty descriptor.
        primitive_desc() = default;

        /// With peephole connections and a projection.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind forward_inference, or forward_training, which stores what backward
        ///     needs.
        /// @param direction Order of time steps; of two directions, results are joined or added.
        /// @param src_layer_desc Inputs: T x N x SLC.
        /// @param src_iter_desc Initial hidden states: L x D x N x SIC.
        /// @param src_iter_c_desc Initial cell states: L x D x N x DHC.
        /// @param weights_layer_desc Weights of inputs: L x D x SLC x G x DHC.
        /// @param weights_iter_desc Weights of hidden states: L x D x SIC x G x DHC.
        /// @param weights_peephole_desc Weights of peephole connections: L x D x 3 x DHC.
        /// @param weights_projection_desc Weights of the projection: L x D x DHC x DIC.
        /// @param bias_desc Bias: L x D x G x DHC.
        /// @param dst_layer_desc Results of the last layer: T x N x DLC.
        /// @param dst_iter_desc Last hidden states: L x D x N x DIC.
        /// @param dst_iter_c_desc Last cell states: L x D x N x DHC.
        /// @param attr Quantization, scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
                const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
                const memory::desc &src_iter_c_desc, const memory::desc &weights_layer_desc,
                const memory::desc &weights_iter_desc, const memory::desc &weights_peephole_desc,
                const memory::desc &weights_projection_desc, const memory::desc &bias_desc,
                const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc,
                const memory::desc &dst_iter_c_desc, const primitive_attr &attr = default_attr(),
                bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, direction, src_layer_desc, src_iter_desc,
                    src_iter_c_desc, weights_layer_desc, weights_iter_desc, &weights_peephole_desc,
                    &weights_projection_desc, bias_desc, dst_layer_desc, dst_iter_desc,
                    dst_iter_c_desc, attr, allow_empty) {}

        /// With peephole connections.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind forward_inference, or forward_training, which stores what backward
        ///     needs.
        /// @param direction Order of time steps; of two directions, results are joined or added.
        /// @param src_layer_desc Inputs: T x N x SLC.
        /// @param src_iter_desc Initial hidden states: L x D x N x SIC.
        /// @param src_iter_c_desc Initial cell states: L x D x N x DHC.
        /// @param weights_layer_desc Weights of inputs: L x D x SLC x G x DHC.
        /// @param weights_iter_desc Weights of hidden states: L x D x SIC x G x DHC.
        /// @param weights_peephole_desc Weights of peephole connections: L x D x 3 x DHC.
        /// @param bias_desc Bias: L x D x G x DHC.
        /// @param dst_layer_desc Results of the last layer: T x N x DLC.
        /// @param dst_iter_desc Last hidden states: L x D x N x DIC.
        /// @param dst_iter_c_desc Last cell states: L x D x N x DHC.
        /// @param attr Quantization, scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
                const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
                const memory::desc &src_iter_c_desc, const memory::desc &weights_layer_desc,
                const memory::desc &weights_iter_desc, const memory::desc &weights_peephole_desc,
                const memory::desc &bias_desc, const memory::desc &dst_layer_desc,
                const memory::desc &dst_iter_desc, const memory::desc &dst_iter_c_desc,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, direction, src_layer_desc, src_iter_desc,
                    src_iter_c_desc, weights_layer_desc, weights_iter_desc, &weights_peephole_desc,
                    nullptr, bias_desc, dst_layer_desc, dst_iter_desc, dst_iter_c_desc, attr,
                    allow_empty) {}

        /// Without peephole connections and projection.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind forward_inference, or forward_training, which stores what backward
        ///     needs.
        /// @param direction Order of time steps; of two directions, results are joined or added.
        /// @param src_layer_desc Inputs: T x N x SLC.
        /// @param src_iter_desc Initial hidden states: L x D x N x SIC.
        /// @param src_iter_c_desc Initial cell states: L x D x N x DHC.
        /// @param weights_layer_desc Weights of inputs: L x D x SLC x G x DHC.
        /// @param weights_iter_desc Weights of hidden states: L x D x SIC x G x DHC.
        /// @param bias_desc Bias: L x D x G x DHC.
        /// @param dst_layer_desc Results of the last layer: T x N x DLC.
        /// @param dst_iter_desc Last hidden states: L x D x N x DIC.
        /// @param dst_iter_c_desc Last cell states: L x D x N x DHC.
        /// @param attr Quantization, scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
                const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
                const memory::desc &src_iter_c_desc, const memory::desc &weights_layer_desc,
                const memory::desc &weights_iter_desc, const memory::desc &bias_desc,
                const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc,
                const memory::desc &dst_iter_c_desc, const primitive_attr &attr = default_attr(),
                bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, direction, src_layer_desc, src_iter_desc,
                    src_iter_c_desc, weights_layer_desc, weights_iter_desc, nullptr, nullptr,
                    bias_desc, dst_layer_desc, dst_iter_desc, dst_iter_c_desc, attr, allow_empty) {}

        /// Copies a C descriptor pd of this operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : rnn_primitive_desc_base(pd, dnnl::prop_kind::forward_training,
                    dnnl::prop_kind::forward_inference, algorithm::vanilla_lstm) {}

    private:
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
                const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
                const memory::desc &src_iter_c_desc, const memory::desc &weights_layer_desc,
                const memory::desc &weights_iter_desc, const memory::desc *weights_peephole_desc,
                const memory::desc *weights_projection_desc, const memory::desc &bias_desc,
                const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc,
                const memory::desc &dst_iter_c_desc, const primitive_attr &attr, bool allow_empty) {
            describe_with(allow_empty,
                    "cannot describe an LSTM forward; ONEDNN_VERBOSE=all says why",
                    dnnl_lstm_forward_primitive_desc_create, aengine.get(),
                    dnnl::convert_to_c(aprop_kind), dnnl::convert_to_c(direction),
                    src_layer_desc.get(), src_iter_desc.get(), src_iter_c_desc.get(),
                    weights_layer_desc.get(), weights_iter_desc.get(),
                    optional_arg(weights_peephole_desc), optional_arg(weights_projection_desc),
                    bias_desc.get(), dst_layer_desc.get(), dst_iter_desc.get(),
                    dst_iter_c_desc.get(), dnnl_rnn_flags_undef, attr.get());
        }
    };

    /// An empty primitive.
    lstm_forward() = default;
    /// The primitive of descriptor pd.
    lstm_forward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    lstm_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// The gradients of all inputs of lstm_forward.
///
/// Arguments: those of forward training and, for each but the workspace, its gradient
/// (DNNL_ARG_DIFF_SRC_LAYER, ...): the gradients of dst_layer, dst_iter and dst_iter_c are inputs.
struct lstm_backward : public primitive {
    /// Throws as forward does. The parameters must equal those of hint_fwd_pd.
    struct primitive_desc : public rnn_primitive_desc_base {
        /// An empty descriptor.
        primitive_desc() = default;

        /// With peephole connections and a projection.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind backward.
        /// @param direction Order of time steps; of two directions, results are joined or added.
        /// @param src_layer_desc Inputs: T x N x SLC.
        /// @param src_iter_desc Initial hidden states: L x D x N x SIC.
        /// @param src_iter_c_desc Initial cell states: L x D x N x DHC.
        /// @param weights_layer_desc Weights of inputs: L x D x SLC x G x DHC.
        /// @param weights_iter_desc Weights of hidden states: L x D x SIC x G x DHC.
        /// @param weights_peephole_desc Weights of peephole connections: L x D x 3 x DHC.
        /// @param weights_projection_desc Weights of the projection: L x D x DHC x DIC.
        /// @param bias_desc Bias: L x D x G x DHC.
        /// @param dst_layer_desc Results of the last layer: T x N x DLC.
        /// @param dst_iter_desc Last hidden states: L x D x N x DIC.
        /// @param dst_iter_c_desc Last cell states: L x D x N x DHC.
        /// @param diff_src_layer_desc Gradient of src_layer, of its shape.
        /// @param diff_src_iter_desc Gradient of src_iter, of its shape.
        /// @param diff_src_iter_c_desc Gradient of src_iter_c, of its shape.
        /// @param diff_weights_layer_desc Gradient of weights_layer, of its shape.
        /// @param diff_weights_iter_desc Gradient of weights_iter, of its shape.
        /// @param diff_weights_peephole_desc Gradient of weights_peephole, of its shape.
        /// @param diff_weights_projection_desc Gradient of weights_projection, of its shape.
        /// @param diff_bias_desc Gradient of the bias, of its shape.
        /// @param diff_dst_layer_desc Gradient of dst_layer, of its shape; an input.
        /// @param diff_dst_iter_desc Gradient of dst_iter, of its shape; an input.
        /// @param diff_dst_iter_c_desc Gradient of dst_iter_c, of its shape; an input.
        /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
        /// @param attr Scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
                const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
                const memory::desc &src_iter_c_desc, const memory::desc &weights_layer_desc,
                const memory::desc &weights_iter_desc, const memory::desc &weights_peephole_desc,
                const memory::desc &weights_projection_desc, const memory::desc &bias_desc,
                const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc,
                const memory::desc &dst_iter_c_desc, const memory::desc &diff_src_layer_desc,
                const memory::desc &diff_src_iter_desc, const memory::desc &diff_src_iter_c_desc,
                const memory::desc &diff_weights_layer_desc,
                const memory::desc &diff_weights_iter_desc,
                const memory::desc &diff_weights_peephole_desc,
                const memory::desc &diff_weights_projection_desc,
                const memory::desc &diff_bias_desc, const memory::desc &diff_dst_layer_desc,
                const memory::desc &diff_dst_iter_desc, const memory::desc &diff_dst_iter_c_desc,
                const lstm_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, direction, src_layer_desc, src_iter_desc,
                    src_iter_c_desc, weights_layer_desc, weights_iter_desc, &weights_peephole_desc,
                    &weights_projection_desc, bias_desc, dst_layer_desc, dst_iter_desc,
                    dst_iter_c_desc, diff_src_layer_desc, diff_src_iter_desc, diff_src_iter_c_desc,
                    diff_weights_layer_desc, diff_weights_iter_desc, &diff_weights_peephole_desc,
                    &diff_weights_projection_desc, diff_bias_desc, diff_dst_layer_desc,
                    diff_dst_iter_desc, diff_dst_iter_c_desc, hint_fwd_pd, attr, allow_empty) {}

        /// With peephole connections.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind backward.
        /// @param direction Order of time steps; of two directions, results are joined or added.
        /// @param src_layer_desc Inputs: T x N x SLC.
        /// @param src_iter_desc Initial hidden states: L x D x N x SIC.
        /// @param src_iter_c_desc Initial cell states: L x D x N x DHC.
        /// @param weights_layer_desc Weights of inputs: L x D x SLC x G x DHC.
        /// @param weights_iter_desc Weights of hidden states: L x D x SIC x G x DHC.
        /// @param weights_peephole_desc Weights of peephole connections: L x D x 3 x DHC.
        /// @param bias_desc Bias: L x D x G x DHC.
        /// @param dst_layer_desc Results of the last layer: T x N x DLC.
        /// @param dst_iter_desc Last hidden states: L x D x N x DIC.
        /// @param dst_iter_c_desc Last cell states: L x D x N x DHC.
        /// @param diff_src_layer_desc Gradient of src_layer, of its shape.
        /// @param diff_src_iter_desc Gradient of src_iter, of its shape.
        /// @param diff_src_iter_c_desc Gradient of src_iter_c, of its shape.
        /// @param diff_weights_layer_desc Gradient of weights_layer, of its shape.
        /// @param diff_weights_iter_desc Gradient of weights_iter, of its shape.
        /// @param diff_weights_peephole_desc Gradient of weights_peephole, of its shape.
        /// @param diff_bias_desc Gradient of the bias, of its shape.
        /// @param diff_dst_layer_desc Gradient of dst_layer, of its shape; an input.
        /// @param diff_dst_iter_desc Gradient of dst_iter, of its shape; an input.
        /// @param diff_dst_iter_c_desc Gradient of dst_iter_c, of its shape; an input.
        /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
        /// @param attr Scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
                const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
                const memory::desc &src_iter_c_desc, const memory::desc &weights_layer_desc,
                const memory::desc &weights_iter_desc, const memory::desc &weights_peephole_desc,
                const memory::desc &bias_desc, const memory::desc &dst_layer_desc,
                const memory::desc &dst_iter_desc, const memory::desc &dst_iter_c_desc,
                const memory::desc &diff_src_layer_desc, const memory::desc &diff_src_iter_desc,
                const memory::desc &diff_src_iter_c_desc,
                const memory::desc &diff_weights_layer_desc,
                const memory::desc &diff_weights_iter_desc,
                const memory::desc &diff_weights_peephole_desc, const memory::desc &diff_bias_desc,
                const memory::desc &diff_dst_layer_desc, const memory::desc &diff_dst_iter_desc,
                const memory::desc &diff_dst_iter_c_desc,
                const lstm_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, direction, src_layer_desc, src_iter_desc,
                    src_iter_c_desc, weights_layer_desc, weights_iter_desc, &weights_peephole_desc,
                    nullptr, bias_desc, dst_layer_desc, dst_iter_desc, dst_iter_c_desc,
                    diff_src_layer_desc, diff_src_iter_desc, diff_src_iter_c_desc,
                    diff_weights_layer_desc, diff_weights_iter_desc, &diff_weights_peephole_desc,
                    nullptr, diff_bias_desc, diff_dst_layer_desc, diff_dst_iter_desc,
                    diff_dst_iter_c_desc, hint_fwd_pd, attr, allow_empty) {}

        /// Without peephole connections and projection.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind backward.
        /// @param direction Order of time steps; of two directions, results are joined or added.
        /// @param src_layer_desc Inputs: T x N x SLC.
        /// @param src_iter_desc Initial hidden states: L x D x N x SIC.
        /// @param src_iter_c_desc Initial cell states: L x D x N x DHC.
        /// @param weights_layer_desc Weights of inputs: L x D x SLC x G x DHC.
        /// @param weights_iter_desc Weights of hidden states: L x D x SIC x G x DHC.
        /// @param bias_desc Bias: L x D x G x DHC.
        /// @param dst_layer_desc Results of the last layer: T x N x DLC.
        /// @param dst_iter_desc Last hidden states: L x D x N x DIC.
        /// @param dst_iter_c_desc Last cell states: L x D x N x DHC.
        /// @param diff_src_layer_desc Gradient of src_layer, of its shape.
        /// @param diff_src_iter_desc Gradient of src_iter, of its shape.
        /// @param diff_src_iter_c_desc Gradient of src_iter_c, of its shape.
        /// @param diff_weights_layer_desc Gradient of weights_layer, of its shape.
        /// @param diff_weights_iter_desc Gradient of weights_iter, of its shape.
        /// @param diff_bias_desc Gradient of the bias, of its shape.
        /// @param diff_dst_layer_desc Gradient of dst_layer, of its shape; an input.
        /// @param diff_dst_iter_desc Gradient of dst_iter, of its shape; an input.
        /// @param diff_dst_iter_c_desc Gradient of dst_iter_c, of its shape; an input.
        /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
        /// @param attr Scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
                const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
                const memory::desc &src_iter_c_desc, const memory::desc &weights_layer_desc,
                const memory::desc &weights_iter_desc, const memory::desc &bias_desc,
                const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc,
                const memory::desc &dst_iter_c_desc, const memory::desc &diff_src_layer_desc,
                const memory::desc &diff_src_iter_desc, const memory::desc &diff_src_iter_c_desc,
                const memory::desc &diff_weights_layer_desc,
                const memory::desc &diff_weights_iter_desc, const memory::desc &diff_bias_desc,
                const memory::desc &diff_dst_layer_desc, const memory::desc &diff_dst_iter_desc,
                const memory::desc &diff_dst_iter_c_desc,
                const lstm_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, direction, src_layer_desc, src_iter_desc,
                    src_iter_c_desc, weights_layer_desc, weights_iter_desc, nullptr, nullptr,
                    bias_desc, dst_layer_desc, dst_iter_desc, dst_iter_c_desc, diff_src_layer_desc,
                    diff_src_iter_desc, diff_src_iter_c_desc, diff_weights_layer_desc,
                    diff_weights_iter_desc, nullptr, nullptr, diff_bias_desc, diff_dst_layer_desc,
                    diff_dst_iter_desc, diff_dst_iter_c_desc, hint_fwd_pd, attr, allow_empty) {}

        /// Copies a C descriptor pd of this operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : rnn_primitive_desc_base(pd, dnnl::prop_kind::backward, algorithm::vanilla_lstm) {}

    private:
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
                const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
                const memory::desc &src_iter_c_desc, const memory::desc &weights_layer_desc,
                const memory::desc &weights_iter_desc, const memory::desc *weights_peephole_desc,
                const memory::desc *weights_projection_desc, const memory::desc &bias_desc,
                const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc,
                const memory::desc &dst_iter_c_desc, const memory::desc &diff_src_layer_desc,
                const memory::desc &diff_src_iter_desc, const memory::desc &diff_src_iter_c_desc,
                const memory::desc &diff_weights_layer_desc,
                const memory::desc &diff_weights_iter_desc,
                const memory::desc *diff_weights_peephole_desc,
                const memory::desc *diff_weights_projection_desc,
                const memory::desc &diff_bias_desc, const memory::desc &diff_dst_layer_desc,
                const memory::desc &diff_dst_iter_desc, const memory::desc &diff_dst_iter_c_desc,
                const lstm_forward::primitive_desc &hint_fwd_pd, const primitive_attr &attr,
                bool allow_empty) {
            describe_with(allow_empty,
                    "cannot describe an LSTM backward; ONEDNN_VERBOSE=all says why",
                    dnnl_lstm_backward_primitive_desc_create, aengine.get(),
                    dnnl::convert_to_c(aprop_kind), dnnl::convert_to_c(direction),
                    src_layer_desc.get(), src_iter_desc.get(), src_iter_c_desc.get(),
                    weights_layer_desc.get(), weights_iter_desc.get(),
                    optional_arg(weights_peephole_desc), optional_arg(weights_projection_desc),
                    bias_desc.get(), dst_layer_desc.get(), dst_iter_desc.get(),
                    dst_iter_c_desc.get(), diff_src_layer_desc.get(), diff_src_iter_desc.get(),
                    diff_src_iter_c_desc.get(), diff_weights_layer_desc.get(),
                    diff_weights_iter_desc.get(), optional_arg(diff_weights_peephole_desc),
                    optional_arg(diff_weights_projection_desc), diff_bias_desc.get(),
                    diff_dst_layer_desc.get(), diff_dst_iter_desc.get(), diff_dst_iter_c_desc.get(),
                    dnnl_rnn_flags_undef, hint_fwd_pd.get(), attr.get());
        }
    };

    /// An empty primitive.
    lstm_backward() = default;
    /// The primitive of descriptor pd.
    lstm_backward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    lstm_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_RNN_LSTM_HPP
