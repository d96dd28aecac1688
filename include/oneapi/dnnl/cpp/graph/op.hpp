// SPDX-License-Identifier: Apache-2.0
// dnnl::graph::op, an operation of a graph: its kind, attributes, inputs and outputs. It is checked
// against its schema when it is added to a graph.

#ifndef ONEAPI_DNNL_CPP_GRAPH_OP_HPP
#define ONEAPI_DNNL_CPP_GRAPH_OP_HPP

#include "oneapi/dnnl/cpp/graph/logical_tensor.hpp"

namespace dnnl {

template <>
struct handle_traits<dnnl_graph_op_t>
    : public detail::destroyed_by<dnnl_graph_op_t, dnnl_graph_op_destroy> {};

namespace graph {
namespace detail {

/// The C function that sets an attribute of a C++ type; defined for the types of attributes only.
template <typename T> struct attr_setter;

template <> struct attr_setter<float> {
    static dnnl_status_t set(dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const float &value) {
        return dnnl_graph_op_set_attr_f32(op, name, &value, 1);
    }
};

template <> struct attr_setter<std::vector<float>> {
    static dnnl_status_t set(
            dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const std::vector<float> &values) {
        return dnnl_graph_op_set_attr_f32(op, name, values.data(), values.size());
    }
};

template <> struct attr_setter<int64_t> {
    static dnnl_status_t set(dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const int64_t &value) {
        return dnnl_graph_op_set_attr_s64(op, name, &value, 1);
    }
};

template <> struct attr_setter<std::vector<int64_t>> {
    static dnnl_status_t set(
            dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const std::vector<int64_t> &values) {
        return dnnl_graph_op_set_attr_s64(op, name, values.data(), values.size());
    }
};

template <> struct attr_setter<bool> {
    static dnnl_status_t set(dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const bool &value) {
        const uint8_t c_value = value ? 1 : 0;
        return dnnl_graph_op_set_attr_bool(op, name, &c_value, 1);
    }
};

template <> struct attr_setter<std::string> {
    static dnnl_status_t set(
            dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const std::string &value) {
        return dnnl_graph_op_set_attr_str(op, name, value.c_str(), value.size());
    }
};

} // namespace detail

/// Copies of the object share one operation. graph::add_op() copies the operation and checks the
/// copy against its schema.
class op : public handle<dnnl_graph_op_t> {
public:
    /// The kind of the operation.
    enum class kind {
        Abs = dnnl_graph_op_abs,
        AbsBackward = dnnl_graph_op_abs_backward,
        Add = dnnl_graph_op_add,
        AvgPool = dnnl_graph_op_avg_pool,
        AvgPoolBackward = dnnl_graph_op_avg_pool_backward,
        BatchNormTrainingBackward = dnnl_graph_op_batch_norm_backward,
        BatchNormForwardTraining = dnnl_graph_op_batch_norm_forward_training,
        BatchNormInference = dnnl_graph_op_batch_norm_inference,
        BiasAdd = dnnl_graph_op_bias_add,
        BiasAddBackward = dnnl_graph_op_bias_add_backward,
        Clamp = dnnl_graph_op_clamp,
        ClampBackward = dnnl_graph_op_clamp_backward,
        Concat = dnnl_graph_op_concat,
        Convolution = dnnl_graph_op_convolution,
        ConvolutionBackwardData = dnnl_graph_op_convolution_backward_data,
        ConvolutionBackwardWeights = dnnl_graph_op_convolution_backward_weights,
        ConvTranspose = dnnl_graph_op_conv_transpose,
        ConvTransposeBackwardData = dnnl_graph_op_conv_transpose_backward_data,
        ConvTransposeBackwardWeights = dnnl_graph_op_conv_transpose_backward_weights,
        Dequantize = dnnl_graph_op_dequantize,
        Divide = dnnl_graph_op_divide,
        DynamicDequantize = dnnl_graph_op_dynamic_dequantize,
        DynamicQuantize = dnnl_graph_op_dynamic_quantize,
        Elu = dnnl_graph_op_elu,
        EluBackward = dnnl_graph_op_elu_backward,
        /// Makes its input an output of the graph.
        End = dnnl_graph_op_end,
        Exp = dnnl_graph_op_exp,
        GELU = dnnl_graph_op_gelu,
        GELUBackward = dnnl_graph_op_gelu_backward,
        HardSwish = dnnl_graph_op_hard_swish,
        HardSwishBackward = dnnl_graph_op_hard_swish_backward,
        Interpolate = dnnl_graph_op_interpolate,
        InterpolateBackward = dnnl_graph_op_interpolate_backward,
        LayerNorm = dnnl_graph_op_layer_norm,
        LayerNormBackward = dnnl_graph_op_layer_norm_backward,
        LeakyReLU = dnnl_graph_op_leaky_relu,
        Log = dnnl_graph_op_log,
        LogSoftmax = dnnl_graph_op_log_softmax,
        LogSoftmaxBackward = dnnl_graph_op_log_softmax_backward,
        MatMul = dnnl_graph_op_matmul,
        Maximum = dnnl_graph_op_maximum,
        MaxPool = dnnl_graph_op_max_pool,
        MaxPoolBackward = dnnl_graph_op_max_pool_backward,
        Minimum = dnnl_graph_op_minimum,
        Mish = dnnl_graph_op_mish,
        MishBackward = dnnl_graph_op_mish_backward,
        Multiply = dnnl_graph_op_multiply,
        PReLU = dnnl_graph_op_prelu,
        PReLUBackward = dnnl_graph_op_prelu_backward,
        Quantize = dnnl_graph_op_quantize,
        Reciprocal = dnnl_graph_op_reciprocal,
        ReduceL1 = dnnl_graph_op_reduce_l1,
        ReduceL2 = dnnl_graph_op_reduce_l2,
        ReduceMax = dnnl_graph_op_reduce_max,
        ReduceMean = dnnl_graph_op_reduce_mean,
        ReduceMin = dnnl_graph_op_reduce_min,
        ReduceProd = dnnl_graph_op_reduce_prod,
        ReduceSum = dnnl_graph_op_reduce_sum,
        ReLU = dnnl_graph_op_relu,
        ReLUBackward = dnnl_graph_op_relu_backward,
        Reorder = dnnl_graph_op_reorder,
        Round = dnnl_graph_op_round,
        Sigmoid = dnnl_graph_op_sigmoid,
        SigmoidBackward = dnnl_graph_op_sigmoid_backward,
        SoftMax = dnnl_graph_op_softmax,
        SoftMaxBackward = dnnl_graph_op_softmax_backward,
        SoftPlus = dnnl_graph_op_softplus,
        SoftPlusBackward = dnnl_graph_op_softplus_backward,
        Sqrt = dnnl_graph_op_sqrt,
        SqrtBackward = dnnl_graph_op_sqrt_backward,
        Square = dnnl_graph_op_square,
        SquaredDifference = dnnl_graph_op_squared_difference,
        StaticReshape = dnnl_graph_op_static_reshape,
        StaticTranspose = dnnl_graph_op_static_transpose,
        Subtract = dnnl_graph_op_subtract,
        Tanh = dnnl_graph_op_tanh,
        TanhBackward = dnnl_graph_op_tanh_backward,
        TypeCast = dnnl_graph_op_type_cast,
        /// An operation that the library does not know; never part of a supported partition.
        Wildcard = dnnl_graph_op_wildcard,
        HardSigmoid = dnnl_graph_op_hard_sigmoid,
        HardSigmoidBackward = dnnl_graph_op_hard_sigmoid_backward,
        Select = dnnl_graph_op_select,
        Pow = dnnl_graph_op_pow,
        GroupNorm = dnnl_graph_op_group_norm,
        GenIndex = dnnl_graph_op_gen_index,
        GreaterEqual = dnnl_graph_op_greater_equal,
        RMSNorm = dnnl_graph_op_rms_norm,
        Dropout = dnnl_graph_op_dropout,
        /// The number of kinds.
        LastSymbol = dnnl_graph_op_last_symbol,
    };

    /// An attribute. The schema of each kind defines its required and optional attributes.
    enum class attr {
        /// None.
        undef = dnnl_graph_op_attr_undef,

        // One f32.
        alpha = dnnl_graph_op_attr_alpha,
        beta = dnnl_graph_op_attr_beta,
        epsilon = dnnl_graph_op_attr_epsilon,
        max = dnnl_graph_op_attr_max,
        min = dnnl_graph_op_attr_min,
        momentum = dnnl_graph_op_attr_momentum,

        // A list of f32.
        scales = dnnl_graph_op_attr_scales,

        // One s64.
        axis = dnnl_graph_op_attr_axis,
        begin_norm_axis = dnnl_graph_op_attr_begin_norm_axis,
        groups = dnnl_graph_op_attr_groups,

        // A list of s64.
        axes = dnnl_graph_op_attr_axes,
        dilations = dnnl_graph_op_attr_dilations,
        dst_shape = dnnl_graph_op_attr_dst_shape,
        kernel = dnnl_graph_op_attr_kernel,
        order = dnnl_graph_op_attr_order,
        output_padding = dnnl_graph_op_attr_output_padding,
        pads_begin = dnnl_graph_op_attr_pads_begin,
        pads_end = dnnl_graph_op_attr_pads_end,
        shape = dnnl_graph_op_attr_shape,
        sizes = dnnl_graph_op_attr_sizes,
        src_shape = dnnl_graph_op_attr_src_shape,
        strides = dnnl_graph_op_attr_strides,
        weights_shape = dnnl_graph_op_attr_weights_shape,
        zps = dnnl_graph_op_attr_zps,
        group_shape = dnnl_graph_op_attr_group_shape,

        // One boolean.
        exclude_pad = dnnl_graph_op_attr_exclude_pad,
        keep_dims = dnnl_graph_op_attr_keep_dims,
        keep_stats = dnnl_graph_op_attr_keep_stats,
        per_channel_broadcast = dnnl_graph_op_attr_per_channel_broadcast,
        special_zero = dnnl_graph_op_attr_special_zero,
        transpose_a = dnnl_graph_op_attr_transpose_a,
        transpose_b = dnnl_graph_op_attr_transpose_b,
        use_affine = dnnl_graph_op_attr_use_affine,
        use_dst = dnnl_graph_op_attr_use_dst,

        // One string.
        /// "none" or "numpy"
        auto_broadcast = dnnl_graph_op_attr_auto_broadcast,
        /// "none", "same_upper", "same_lower" or "valid"
        auto_pad = dnnl_graph_op_attr_auto_pad,
        /// "half_pixel" or "align_corners"
        coordinate_transformation_mode = dnnl_graph_op_attr_coordinate_transformation_mode,
        /// "NCX" or "NXC"
        data_format = dnnl_graph_op_attr_data_format,
        /// Interpolate: "nearest", "linear", "bilinear", "trilinear". SoftMax: "none",
        /// "inf_as_zero".
        /// GELU: "gelu_erf", "gelu_tanh".
        mode = dnnl_graph_op_attr_mode,
        /// "per_tensor" or "per_channel"
        qtype = dnnl_graph_op_attr_qtype,
        /// "floor" or "ceil"
        rounding_type = dnnl_graph_op_attr_rounding_type,
        /// "OIX", "XIO", "IOX" or "XOI"
        weights_format = dnnl_graph_op_attr_weights_format,
        /// "strict", "relaxed", "any", "f32", "s32" or "f16"
        accumulation_mode = dnnl_graph_op_attr_accumulation_mode,

        /// Beyond the last attribute.
        end = dnnl_graph_op_attr_end,
    };

    /// Without attributes, inputs or outputs. id must be unique within the graph; verbose lines and
    /// dumps show verbose_name.
    op(size_t id, kind akind, const std::string &verbose_name = "") {
        dnnl_graph_op_t result = nullptr;
        error::wrap_c_api(dnnl_graph_op_create(&result, id, to_c(akind), verbose_name.c_str()),
                "cannot make an operation; ONEDNN_VERBOSE=all says why");
        reset(result);
    }

    /// With inputs and outputs, in the order of the schema.
    op(size_t id, kind akind, const std::vector<logical_tensor> &inputs,
            const std::vector<logical_tensor> &outputs, const std::string &verbose_name = "")
        : op(id, akind, verbose_name) {
        add_inputs(inputs);
        add_outputs(outputs);
    }

    /// Appends an input. Inputs are identified by their position.
    void add_input(const logical_tensor &t) {
        error::wrap_c_api(dnnl_graph_op_add_input(get(), detail::c_struct_of(t)),
                "cannot add an input to an operation; ONEDNN_VERBOSE=all says why");
    }

    void add_inputs(const std::vector<logical_tensor> &ts) {
        for (const logical_tensor &t : ts) add_input(t);
    }

    /// Appends an output. An output that is not wanted has data_type::undef.
    void add_output(const logical_tensor &t) {
        error::wrap_c_api(dnnl_graph_op_add_output(get(), detail::c_struct_of(t)),
                "cannot add an output to an operation; ONEDNN_VERBOSE=all says why");
    }

    void add_outputs(const std::vector<logical_tensor> &ts) {
        for (const logical_tensor &t : ts) add_output(t);
    }

    /// Sets an attribute. T is the attribute's type: float, int64_t, bool, std::string, or a
    /// std::vector of one of the first two.
    template <typename T, typename = decltype(&detail::attr_setter<T>::set)>
    op &set_attr(attr name, const T &value) {
        error::wrap_c_api(detail::attr_setter<T>::set(get(), to_c(name), value),
                "cannot set an attribute of an operation; ONEDNN_VERBOSE=all says why");
        return *this;
    }

private:
    static dnnl_graph_op_kind_t to_c(kind akind) {
        return static_cast<dnnl_graph_op_kind_t>(akind);
    }
    static dnnl_graph_op_attr_t to_c(attr name) { return static_cast<dnnl_graph_op_attr_t>(name); }
};

} // namespace graph
} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_GRAPH_OP_HPP
