// SPDX-License-Identifier: Apache-2.0
// The base of the descriptors of recurrent operations.

#ifndef ONEAPI_DNNL_CPP_RNN_RNN_PRIMITIVE_DESC_HPP
#define ONEAPI_DNNL_CPP_RNN_RNN_PRIMITIVE_DESC_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

/// Descriptor of a recurrent operation. The symbols in the shapes of tensors: T time steps, N
/// batch, L layers, D directions (1 or 2), G gates of a cell; channels of src_layer (SLC), src_iter
/// (SIC), dst_layer (DLC), dst_iter (DIC), of the hidden state (DHC). A state whose descriptor is
/// the zero descriptor is absent: an input is taken as zeros, an output is not stored.
struct rnn_primitive_desc_base : public primitive_desc {
    using primitive_desc::primitive_desc;

    /// An empty descriptor.
    rnn_primitive_desc_base() = default;

    /// Copies a C descriptor pd of this propagation kind and cell.
    rnn_primitive_desc_base(
            dnnl_primitive_desc_t pd, dnnl::prop_kind aprop_kind, algorithm cell_kind)
        : rnn_primitive_desc_base(pd, aprop_kind, aprop_kind, cell_kind) {}

    /// The descriptors of arguments; the zero descriptor for those that the cell does not have.
    memory::desc src_layer_desc() const { return arg_desc(DNNL_ARG_SRC_LAYER); }
    memory::desc augru_attention_desc() const { return arg_desc(DNNL_ARG_AUGRU_ATTENTION); }
    memory::desc src_iter_desc() const { return arg_desc(DNNL_ARG_SRC_ITER); }
    memory::desc src_iter_c_desc() const { return arg_desc(DNNL_ARG_SRC_ITER_C); }
    memory::desc weights_layer_desc() const { return arg_desc(DNNL_ARG_WEIGHTS_LAYER); }
    memory::desc weights_iter_desc() const { return arg_desc(DNNL_ARG_WEIGHTS_ITER); }
    memory::desc weights_peephole_desc() const { return arg_desc(DNNL_ARG_WEIGHTS_PEEPHOLE); }
    memory::desc weights_projection_desc() const { return arg_desc(DNNL_ARG_WEIGHTS_PROJECTION); }
    memory::desc bias_desc() const { return arg_desc(DNNL_ARG_BIAS); }
    memory::desc dst_layer_desc() const { return arg_desc(DNNL_ARG_DST_LAYER); }
    memory::desc dst_iter_desc() const { return arg_desc(DNNL_ARG_DST_ITER); }
    memory::desc dst_iter_c_desc() const { return arg_desc(DNNL_ARG_DST_ITER_C); }

    memory::desc diff_src_layer_desc() const { return arg_desc(DNNL_ARG_DIFF_SRC_LAYER); }
    memory::desc diff_augru_attention_desc() const {
        return arg_desc(DNNL_ARG_DIFF_AUGRU_ATTENTION);
    }
    memory::desc diff_src_iter_desc() const { return arg_desc(DNNL_ARG_DIFF_SRC_ITER); }
    memory::desc diff_src_iter_c_desc() const { return arg_desc(DNNL_ARG_DIFF_SRC_ITER_C); }
    memory::desc diff_weights_layer_desc() const { return arg_desc(DNNL_ARG_DIFF_WEIGHTS_LAYER); }
    memory::desc diff_weights_iter_desc() const { return arg_desc(DNNL_ARG_DIFF_WEIGHTS_ITER); }
    memory::desc diff_weights_peephole_desc() const {
        return arg_desc(DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE);
    }
    memory::desc diff_weights_projection_desc() const {
        return arg_desc(DNNL_ARG_DIFF_WEIGHTS_PROJECTION);
    }
    memory::desc diff_bias_desc() const { return arg_desc(DNNL_ARG_DIFF_BIAS); }
    memory::desc diff_dst_layer_desc() const { return arg_desc(DNNL_ARG_DIFF_DST_LAYER); }
    memory::desc diff_dst_iter_desc() const { return arg_desc(DNNL_ARG_DIFF_DST_ITER); }
    memory::desc diff_dst_iter_c_desc() const { return arg_desc(DNNL_ARG_DIFF_DST_ITER_C); }

protected:
    using rnn_base = rnn_primitive_desc_base;

    /// Copies a C descriptor pd of one of two propagation kinds and of a cell; throws
    /// dnnl_invalid_arguments for any other.
    rnn_primitive_desc_base(dnnl_primitive_desc_t pd, dnnl::prop_kind prop_kind1,
            dnnl::prop_kind prop_kind2, algorithm cell_kind)
        : primitive_desc(pd, dnnl::primitive::kind::rnn, prop_kind1, prop_kind2) {
        if (pd != nullptr && get_cell_kind() != cell_kind)
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "a primitive descriptor has another cell");
    }

private:
    memory::desc arg_desc(int arg) const { return query_md(query::exec_arg_md, arg); }
};

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_RNN_RNN_PRIMITIVE_DESC_HPP
