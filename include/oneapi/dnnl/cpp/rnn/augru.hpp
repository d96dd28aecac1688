// SPDX-License-Identifier: Apache-2.0
// AUGRU: a GRU whose update gate is scaled by an attention.

#ifndef ONEAPI_DNNL_CPP_RNN_AUGRU_HPP
#define ONEAPI_DNNL_CPP_RNN_AUGRU_HPP

#include "oneapi/dnnl/cpp/rnn/rnn_primitive_desc.hpp"

namespace dnnl {
namespace detail {

/// The forward descriptor of a cell that the C function create describes.
template <algorithm cell, decltype(&dnnl_augru_forward_primitive_desc_create) create>
struct augru_forward_primitive_desc : public rnn_primitive_desc_base {
    /// An empty descriptor.
    augru_forward_primitive_desc() = default;

    /// States may be absent: the zero descriptor.
    /// @param aengine Engine that executes the primitive.
    /// @param aprop_kind forward_inference, or forward_training, which stores what backward needs.
    /// @param direction Order of time steps; of two directions, results are joined or added.
    /// @param src_layer_desc Inputs: T x N x SLC.
    /// @param src_iter_desc Initial hidden states: L x D x N x SIC.
    /// @param attention_desc Attention: T x N x 1.
    /// @param weights_layer_desc Weights of inputs: L x D x SLC x G x DHC.
    /// @param weights_iter_desc Weights of hidden states: L x D x SIC x G x DHC.
    /// @param bias_desc Bias: L x D x G x DHC; in an LBR cell there is one gate more.
    /// @param dst_layer_desc Results of the last layer: T x N x DLC.
    /// @param dst_iter_desc Last hidden states: L x D x N x DIC.
    /// @param attr Quantization, scratchpad mode, ...; the defaults if not given.
    /// @param allow_empty True: a failure leaves the object empty; false: it throws dnnl::error.
    augru_forward_primitive_desc(const engine &aengine, prop_kind aprop_kind,
            rnn_direction direction, const memory::desc &src_layer_desc,
            const memory::desc &src_iter_desc, const memory::desc &attention_desc,
            const memory::desc &weights_layer_desc, const memory::desc &weights_iter_desc,
            const memory::desc &bias_desc, const memory::desc &dst_layer_desc,
            const memory::desc &dst_iter_desc, const primitive_attr &attr = default_attr(),
            bool allow_empty = false) {
        describe_with(allow_empty,
                "cannot describe an AUGRU or an LBR AUGRU forward; ONEDNN_VERBOSE=all says why",
                create, aengine.get(), dnnl::convert_to_c(aprop_kind),
                dnnl::convert_to_c(direction), src_layer_desc.get(), src_iter_desc.get(),
                attention_desc.get(), weights_layer_desc.get(), weights_iter_desc.get(),
                bias_desc.get(), dst_layer_desc.get(), dst_iter_desc.get(), dnnl_rnn_flags_undef,
                attr.get());
    }

    /// Copies a C descriptor pd of this operation.
    augru_forward_primitive_desc(dnnl_primitive_desc_t pd)
        : rnn_primitive_desc_base(
                pd, prop_kind::forward_training, prop_kind::forward_inference, cell) {}

    memory::desc attention_desc() const { return augru_attention_desc(); }
};

/// The backward descriptor of a cell that the C function create describes.
template <algorithm cell, decltype(&dnnl_augru_backward_primitive_desc_create) create,
        typename forward_desc_t>
struct augru_backward_primitive_desc : public rnn_primitive_desc_base {
    /// An empty descriptor.
    augru_backward_primitive_desc() = default;

    /// The gradients have the shapes of their tensors.
    /// @param aengine Engine that executes the primitive.
    /// @param aprop_kind backward.
    /// @param direction Order of time steps; of two directions, results are joined or added.
    /// @param src_layer_desc Inputs: T x N x SLC.
    /// @param src_iter_desc Initial hidden states: L x D x N x SIC.
    /// @param attention_desc Attention: T x N x 1.
    /// @param weights_layer_desc Weights of inputs: L x D x SLC x G x DHC.
    /// @param weights_iter_desc Weights of hidden states: L x D x SIC x G x DHC.
    /// @param bias_desc Bias: L x D x G x DHC; in an LBR cell there is one gate more.
    /// @param dst_layer_desc Results of the last layer: T x N x DLC.
    /// @param dst_iter_desc Last hidden states: L x D x N x DIC.
    /// @param diff_src_layer_desc Gradient of src_layer, of its shape.
    /// @param diff_src_iter_desc Gradient of src_iter, of its shape.
    /// @param diff_attention_desc Gradient of the attention, of its shape.
    /// @param diff_weights_layer_desc Gradient of weights_layer, of its shape.
    /// @param diff_weights_iter_desc Gradient of weights_iter, of its shape.
    /// @param diff_bias_desc Gradient of the bias, of its shape.
    /// @param diff_dst_layer_desc Gradient of dst_layer, of its shape; an input.
    /// @param diff_dst_iter_desc Gradient of dst_iter, of its shape; an input.
    /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
    /// @param attr Scratchpad mode, ...; the defaults if not given.
    /// @param allow_empty True: a failure leaves the object empty; false: it throws dnnl::error.
    augru_backward_primitive_desc(const engine &aengine, prop_kind aprop_kind,
            rnn_direction direction, const memory::desc &src_layer_desc,
            const memory::desc &src_iter_desc, const memory::desc &attention_desc,
            const memory::desc &weights_layer_desc, const memory::desc &weights_iter_desc,
            const memory::desc &bias_desc, const memory::desc &dst_layer_desc,
            const memory::desc &dst_iter_desc, const memory::desc &diff_src_layer_desc,
            const memory::desc &diff_src_iter_desc, const memory::desc &diff_attention_desc,
            const memory::desc &diff_weights_layer_desc, const memory::desc &diff_weights_iter_desc,
            const memory::desc &diff_bias_desc, const memory::desc &diff_dst_layer_desc,
            const memory::desc &diff_dst_iter_desc, const forward_desc_t &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
        describe_with(allow_empty,
                "cannot describe an AUGRU or an LBR AUGRU backward; ONEDNN_VERBOSE=all says why",
                create, aengine.get(), dnnl::convert_to_c(aprop_kind),
                dnnl::convert_to_c(direction), src_layer_desc.get(), src_iter_desc.get(),
                attention_desc.get(), weights_layer_desc.get(), weights_iter_desc.get(),
                bias_desc.get(), dst_layer_desc.get(), dst_iter_desc.get(),
                diff_src_layer_desc.get(), diff_src_iter_desc.get(), diff_attention_desc.get(),
                diff_weights_layer_desc.get(), diff_weights_iter_desc.get(), diff_bias_desc.get(),
                diff_dst_layer_desc.get(), diff_dst_iter_desc.get(), dnnl_rnn_flags_undef,
                hint_fwd_pd.get(), attr.get());
    }

    /// Copies a C descriptor pd of this operation.
    augru_backward_primitive_desc(dnnl_primitive_desc_t pd)
        : rnn_primitive_desc_base(pd, prop_kind::backward, cell) {}

    memory::desc attention_desc() const { return augru_attention_desc(); }
    memory::desc diff_attention_desc() const { return diff_augru_attention_desc(); }
};

} // namespace detail

/// As gru_forward with (1 - attention) * u in place of u.
///
/// Arguments: DNNL_ARG_SRC_LAYER, DNNL_ARG_SRC_ITER, DNNL_ARG_AUGRU_ATTENTION,
/// DNNL_ARG_WEIGHTS_LAYER, DNNL_ARG_WEIGHTS_ITER, DNNL_ARG_BIAS, DNNL_ARG_DST_LAYER,
/// DNNL_ARG_DST_ITER; in training DNNL_ARG_WORKSPACE, too.
struct augru_forward : public primitive {
    /// Throws dnnl_invalid_arguments for inconsistent shapes or parameters, and dnnl_unimplemented
    /// if no implementation supports them. A layout of format any is chosen by the implementation.
    struct primitive_desc : public detail::augru_forward_primitive_desc<algorithm::vanilla_augru,
                                    dnnl_augru_forward_primitive_desc_create> {
        using augru_forward_primitive_desc::augru_forward_primitive_desc;

        /// An empty descriptor.
        primitive_desc() = default;
    };

    /// An empty primitive.
    augru_forward() = default;
    /// The primitive of descriptor pd.
    augru_forward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    augru_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// The gradients of all inputs of augru_forward.
///
/// Arguments: those of forward training and, for each but the workspace, its gradient
/// (DNNL_ARG_DIFF_SRC_LAYER, ...): the gradients of dst_layer and dst_iter are inputs.
struct augru_backward : public primitive {
    /// Throws as forward does. The parameters must equal those of hint_fwd_pd.
    struct primitive_desc
        : public detail::augru_backward_primitive_desc<algorithm::vanilla_augru,
                  dnnl_augru_backward_primitive_desc_create, augru_forward::primitive_desc> {
        using augru_backward_primitive_desc::augru_backward_primitive_desc;

        /// An empty descriptor.
        primitive_desc() = default;
    };

    /// An empty primitive.
    augru_backward() = default;
    /// The primitive of descriptor pd.
    augru_backward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    augru_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// As lbr_gru_forward with (1 - attention) * u in place of u.
///
/// Arguments: DNNL_ARG_SRC_LAYER, DNNL_ARG_SRC_ITER, DNNL_ARG_AUGRU_ATTENTION,
/// DNNL_ARG_WEIGHTS_LAYER, DNNL_ARG_WEIGHTS_ITER, DNNL_ARG_BIAS, DNNL_ARG_DST_LAYER,
/// DNNL_ARG_DST_ITER; in training DNNL_ARG_WORKSPACE, too.
struct lbr_augru_forward : public primitive {
    /// Throws dnnl_invalid_arguments for inconsistent shapes or parameters, and dnnl_unimplemented
    /// if no implementation supports them. A layout of format any is chosen by the implementation.
    struct primitive_desc : public detail::augru_forward_primitive_desc<algorithm::lbr_augru,
                                    dnnl_lbr_augru_forward_primitive_desc_create> {
        using augru_forward_primitive_desc::augru_forward_primitive_desc;

        /// An empty descriptor.
        primitive_desc() = default;
    };

    /// An empty primitive.
    lbr_augru_forward() = default;
    /// The primitive of descriptor pd.
    lbr_augru_forward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    lbr_augru_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// The gradients of all inputs of lbr_augru_forward.
///
/// Arguments: those of forward training and, for each but the workspace, its gradient
/// (DNNL_ARG_DIFF_SRC_LAYER, ...): the gradients of dst_layer and dst_iter are inputs.
struct lbr_augru_backward : public primitive {
    /// Throws as forward does. The parameters must equal those of hint_fwd_pd.
    struct primitive_desc : public detail::augru_backward_primitive_desc<algorithm::lbr_augru,
                                    dnnl_lbr_augru_backward_primitive_desc_create,
                                    lbr_augru_forward::primitive_desc> {
        using augru_backward_primitive_desc::augru_backward_primitive_desc;

        /// An empty descriptor.
        primitive_desc() = default;
    };

    /// An empty primitive.
    lbr_augru_backward() = default;
    /// The primitive of descriptor pd.
    lbr_augru_backward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    lbr_augru_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_RNN_AUGRU_HPP
