// SPDX-License-Identifier: Apache-2.0
// The schemas of all operations, one row each. Rows that are alike are made by one function. The
// compiler makes the table: at run time there is nothing that could fail.
#include <algorithm>

#include "graph/operations/schema_checks.hpp"
#include "graph/schema/schema.hpp"
#include "graph/shapes/shape_inference.hpp"

namespace kiln::graph {

namespace {

constexpr type_set_t floats = float_types;
constexpr type_set_t floats_or_s32 = floats | type_set({dnnl_s32});
constexpr type_set_t only_f32 = type_set({dnnl_f32});
constexpr type_set_t only_s32 = type_set({dnnl_s32});
constexpr type_set_t only_s64 = type_set({dnnl_s64});
constexpr type_set_t only_u8 = type_set({dnnl_u8});
constexpr type_set_t only_boolean = type_set({dnnl_boolean});
constexpr type_set_t quantized = int8_types | f8_types;
constexpr type_set_t any_type = 0;
constexpr presence_t may_be_absent = presence_t::may_be_absent;

// ---- rows

/// A list in a row; what does not fit is an error of the compiler.
template <typename T, size_t capacity> class list_t {
public:
    constexpr list_t() = default;
    constexpr list_t(std::initializer_list<T> values) { append(values); }
    constexpr list_t &append(std::span<const T> values) {
        for (const T &value : values) values_[size_++] = value;
        return *this;
    }
    constexpr std::span<const T> all() const { return {values_.data(), size_}; }

private:
    std::array<T, capacity> values_{};
    size_t size_ = 0;
};

using attributes_t = list_t<attribute_t, 10>;
using checks_t = list_t<op_check_t, 3>;
using counts_t = list_t<size_t, 5>;

/// A schema while the compiler makes the table: see schema_t.
struct row_t {
    op_kind_t kind = dnnl_graph_op_last_symbol;
    const char *name = nullptr;
    list_t<parameter_t, 6> inputs{};
    list_t<parameter_t, 5> outputs{};
    std::array<type_set_t, type_group_count> types{};
    infer_t infer = nullptr;
    attributes_t attributes{};
    checks_t checks{};
    counts_t input_counts{};
    counts_t output_counts{};
    find_skipped_inputs_t skipped_inputs = nullptr;
    size_t most_inputs = 0;
    size_t most_outputs = 0;
};

// ---- attributes

constexpr double unbounded = -std::numeric_limits<double>::infinity();

constexpr attribute_t required(op_attr_t name, double lowest = unbounded) {
    return {.name = name, .is_required = true, .lowest = lowest};
}
constexpr attribute_t optional(op_attr_t name, double lowest = unbounded) {
    return {.name = name, .lowest = lowest};
}
constexpr attribute_t with_default(
        op_attr_t name, default_value_t value, double lowest = unbounded) {
    return {.name = name, .default_value = value, .lowest = lowest};
}

using strings_t = std::span<const char *const>;
/// A string attribute; the first of the allowed values is the default.
constexpr attribute_t choice(op_attr_t name, strings_t allowed) {
    return {.name = name, .default_value = allowed[0], .allowed = allowed};
}

constexpr const char *data_formats[] = {"NXC", "NCX"};
constexpr const char *broadcasts[] = {"numpy", "none"};
// oneDNN's library accepts the capitals, its documents show the others.
constexpr const char *pads[] = {
        "None", "SAME_UPPER", "SAME_LOWER", "VALID", "none", "same_upper", "same_lower", "valid"};
constexpr const char *gelu_modes[] = {"gelu_erf", "gelu_tanh"};
constexpr const char *coordinate_modes[] = {"half_pixel", "align_corners"};
constexpr const char *interpolations[] = {"nearest", "linear", "bilinear", "trilinear"};
constexpr const char *roundings[] = {"floor", "ceil"};
constexpr const char *softmax_modes[] = {"none", "inf_as_zero"};
constexpr const char *accumulations[] = {"strict", "relaxed", "any", "f32", "s32", "f16"};
constexpr const char *granularities[] = {"per_tensor", "per_channel", "per_group"};
constexpr strings_t without_groups = strings_t(granularities).first(2);
constexpr const char *convolution_formats[] = {"XIO", "OIX"};
constexpr const char *transposed_formats[] = {"XOI", "IOX"};

constexpr attribute_t data_format = choice(dnnl_graph_op_attr_data_format, data_formats);
constexpr attribute_t auto_broadcast = choice(dnnl_graph_op_attr_auto_broadcast, broadcasts);
constexpr attribute_t auto_pad = choice(dnnl_graph_op_attr_auto_pad, pads);
constexpr attribute_t use_dst = with_default(dnnl_graph_op_attr_use_dst, true);
constexpr attribute_t keep_stats = with_default(dnnl_graph_op_attr_keep_stats, true);
// Without a default: if it is not set, the number of inputs says whether gamma is present.
constexpr attribute_t use_affine = optional(dnnl_graph_op_attr_use_affine);
constexpr attribute_t epsilon = {
        .name = dnnl_graph_op_attr_epsilon, .default_value = 1e-5f, .is_positive = true};
constexpr attribute_t required_epsilon = {
        .name = dnnl_graph_op_attr_epsilon, .is_required = true, .is_positive = true};
constexpr attribute_t begin_norm_axis =
        with_default(dnnl_graph_op_attr_begin_norm_axis, int64_t(-1));
constexpr attribute_t gelu_mode = choice(dnnl_graph_op_attr_mode, gelu_modes);
constexpr attribute_t coordinates =
        choice(dnnl_graph_op_attr_coordinate_transformation_mode, coordinate_modes);
constexpr attribute_t rounding_type = choice(dnnl_graph_op_attr_rounding_type, roundings);
constexpr attribute_t kernel = required(dnnl_graph_op_attr_kernel, 1);

constexpr attributes_t interpolation_attributes = {
        {.name = dnnl_graph_op_attr_mode, .is_required = true, .allowed = interpolations},
        optional(dnnl_graph_op_attr_sizes, 1), optional(dnnl_graph_op_attr_scales, 0), coordinates,
        data_format};

constexpr attributes_t quantization_attributes(strings_t types, const attributes_t &more) {
    return attributes_t{choice(dnnl_graph_op_attr_qtype, types),
            with_default(dnnl_graph_op_attr_axis, int64_t(1))}
            .append(more.all());
}
constexpr attributes_t static_scales = {
        required(dnnl_graph_op_attr_scales), optional(dnnl_graph_op_attr_zps)};

constexpr attributes_t window_attributes(const attributes_t &more) {
    return attributes_t{required(dnnl_graph_op_attr_strides, 1),
            required(dnnl_graph_op_attr_pads_begin, 0), required(dnnl_graph_op_attr_pads_end, 0),
            auto_pad, data_format}
            .append(more.all());
}

constexpr attributes_t convolution_attributes(
        strings_t weights_formats, const attributes_t &more = {}) {
    return window_attributes({required(dnnl_graph_op_attr_dilations, 1),
                                     with_default(dnnl_graph_op_attr_groups, int64_t(1), 1),
                                     choice(dnnl_graph_op_attr_weights_format, weights_formats)})
            .append(more.all());
}

// ---- functions that make rows

/// Inputs and outputs of one float type.
constexpr row_t uniform(op_kind_t kind, const char *name,
        std::initializer_list<const char *> inputs, std::initializer_list<const char *> outputs,
        infer_t infer, const attributes_t &attributes = {}, const checks_t &checks = {},
        const counts_t &input_counts = {}) {
    row_t row{.kind = kind,
            .name = name,
            .types = {floats},
            .infer = infer,
            .attributes = attributes,
            .checks = checks,
            .input_counts = input_counts};
    for (const char *input : inputs) row.inputs.append({{{input, T1}}});
    for (const char *output : outputs) row.outputs.append({{{output, T1}}});
    return row;
}

constexpr row_t unary(op_kind_t kind, const char *name, const attributes_t &attributes = {},
        const checks_t &checks = {}, infer_t infer = infer_same_shape) {
    return uniform(kind, name, {"src"}, {"dst"}, infer, attributes, checks);
}

constexpr row_t unary_backward(op_kind_t kind, const char *name,
        const attributes_t &attributes = {}, const char *first = "src",
        const checks_t &checks = {}) {
    return uniform(
            kind, name, {first, "diff_dst"}, {"diff_src"}, infer_gradient, attributes, checks);
}

/// `types`: of the groups of src_0, src_1 and dst; a group of its own for each by default.
constexpr row_t binary(op_kind_t kind, const char *name,
        std::array<type_set_t, type_group_count> types,
        std::array<type_group_t, 3> groups = {T1, T2, T3}) {
    return {.kind = kind,
            .name = name,
            .inputs = {{"src_0", groups[0]}, {"src_1", groups[1]}},
            .outputs = {{"dst", groups[2]}},
            .types = types,
            .infer = infer_broadcast,
            .attributes = {auto_broadcast}};
}

constexpr row_t uniform_binary(op_kind_t kind, const char *name) {
    return uniform(kind, name, {"src_0", "src_1"}, {"dst"}, infer_broadcast, {auto_broadcast});
}

constexpr row_t static_quantization(
        op_kind_t kind, const char *name, type_set_t from, type_set_t to) {
    return {.kind = kind,
            .name = name,
            .inputs = {{"src", T1}},
            .outputs = {{"dst", T2}},
            .types = {from, to},
            .infer = infer_quantization,
            .attributes = quantization_attributes(without_groups, static_scales),
            .checks = {check_quantization}};
}

constexpr row_t softmax_backward(op_kind_t kind, const char *name, type_group_t diff_src,
        int64_t default_axis, const checks_t &checks) {
    return {.kind = kind,
            .name = name,
            .inputs = {{"diff_dst", T1}, {"dst", T1}},
            .outputs = {{"diff_src", diff_src}},
            .types = {floats, floats},
            .infer = infer_gradient,
            .attributes = {with_default(dnnl_graph_op_attr_axis, default_axis)},
            .checks = checks};
}

constexpr row_t reduction(op_kind_t kind, const char *name) {
    return {.kind = kind,
            .name = name,
            .inputs = {{"src", T1}, {"axes", T2}},
            .outputs = {{"dst", T1}},
            .types = {floats, only_s32},
            .infer = infer_reduction,
            .attributes = {optional(dnnl_graph_op_attr_axes),
                    with_default(dnnl_graph_op_attr_keep_dims, false)},
            .checks = {check_reduction, check_axes<dnnl_graph_op_attr_axes>},
            .input_counts = {1, 2}};
}

constexpr row_t convolution(
        op_kind_t kind, const char *name, infer_t infer, const attributes_t &attributes) {
    return uniform(kind, name, {"src", "weights", "bias"}, {"dst"}, infer, attributes, {}, {2, 3});
}

constexpr row_t convolution_backward_weights(
        op_kind_t kind, const char *name, infer_t infer, strings_t formats) {
    return {.kind = kind,
            .name = name,
            .inputs = {{"src", T1}, {"diff_dst", T1}, {"weights_shape", T2}},
            .outputs = {{"diff_weights", T1}},
            .types = {floats, only_s32},
            .infer = infer,
            .attributes = convolution_attributes(
                    formats, {optional(dnnl_graph_op_attr_weights_shape, 0)}),
            .input_counts = {2, 3}};
}

// ---- the table

constexpr row_t rows[] = {
        // Elementwise, one operand
        unary(dnnl_graph_op_abs, "Abs"),
        unary(dnnl_graph_op_clamp, "Clamp",
                {required(dnnl_graph_op_attr_min), required(dnnl_graph_op_attr_max)},
                {check_clamp}),
        unary(dnnl_graph_op_elu, "Elu", {required(dnnl_graph_op_attr_alpha, 0)}),
        unary(dnnl_graph_op_exp, "Exp"),
        unary(dnnl_graph_op_gelu, "GELU", {gelu_mode}),
        unary(dnnl_graph_op_hard_sigmoid, "HardSigmoid",
                {required(dnnl_graph_op_attr_alpha), required(dnnl_graph_op_attr_beta)}),
        unary(dnnl_graph_op_hard_swish, "HardSwish"),
        unary(dnnl_graph_op_leaky_relu, "LeakyReLU", {required(dnnl_graph_op_attr_alpha)}),
        unary(dnnl_graph_op_log, "Log"),
        unary(dnnl_graph_op_mish, "Mish"),
        unary(dnnl_graph_op_pow, "Pow", {required(dnnl_graph_op_attr_beta)}),
        unary(dnnl_graph_op_reciprocal, "Reciprocal"),
        unary(dnnl_graph_op_relu, "ReLU"),
        unary(dnnl_graph_op_round, "Round"),
        unary(dnnl_graph_op_sigmoid, "Sigmoid"),
        unary(dnnl_graph_op_softplus, "SoftPlus", {with_default(dnnl_graph_op_attr_beta, 1.0f)}),
        unary(dnnl_graph_op_sqrt, "Sqrt"),
        unary(dnnl_graph_op_square, "Square"),
        unary(dnnl_graph_op_tanh, "Tanh"),

        // Elementwise, gradients
        unary_backward(dnnl_graph_op_abs_backward, "AbsBackward"),
        unary_backward(dnnl_graph_op_clamp_backward, "ClampBackward",
                {required(dnnl_graph_op_attr_min), required(dnnl_graph_op_attr_max), use_dst},
                "src/dst", {check_clamp}),
        unary_backward(dnnl_graph_op_elu_backward, "EluBackward",
                {required(dnnl_graph_op_attr_alpha, 0), use_dst}, "src/dst"),
        unary_backward(dnnl_graph_op_gelu_backward, "GELUBackward", {gelu_mode}),
        unary_backward(dnnl_graph_op_hard_sigmoid_backward, "HardSigmoidBackward",
                {required(dnnl_graph_op_attr_alpha), required(dnnl_graph_op_attr_beta)}),
        unary_backward(dnnl_graph_op_hard_swish_backward, "HardSwishBackward"),
        unary_backward(dnnl_graph_op_mish_backward, "MishBackward"),
        unary_backward(dnnl_graph_op_relu_backward, "ReLUBackward", {use_dst}, "src/dst"),
        unary_backward(dnnl_graph_op_sigmoid_backward, "SigmoidBackward", {use_dst}, "src/dst"),
        unary_backward(dnnl_graph_op_softplus_backward, "SoftPlusBackward",
                {with_default(dnnl_graph_op_attr_beta, 1.0f)}),
        unary_backward(dnnl_graph_op_sqrt_backward, "SqrtBackward", {use_dst}, "src/dst"),
        unary_backward(dnnl_graph_op_tanh_backward, "TanhBackward", {use_dst}, "src/dst"),

        // Elementwise, several operands
        binary(dnnl_graph_op_add, "Add", {floats_or_s32, floats_or_s32, floats_or_s32}),
        binary(dnnl_graph_op_divide, "Divide", {floats, floats, floats}),
        uniform_binary(dnnl_graph_op_maximum, "Maximum"),
        uniform_binary(dnnl_graph_op_minimum, "Minimum"),
        binary(dnnl_graph_op_multiply, "Multiply", {floats, floats, floats}),
        uniform_binary(dnnl_graph_op_squared_difference, "SquaredDifference"),
        binary(dnnl_graph_op_subtract, "Subtract", {floats_or_s32, floats_or_s32, floats_or_s32}),
        binary(dnnl_graph_op_greater_equal, "GreaterEqual", {floats_or_s32, only_boolean},
                {T1, T1, T2}),
        {.kind = dnnl_graph_op_select,
                .name = "Select",
                .inputs = {{"cond", T1}, {"src_0", T2}, {"src_1", T2}},
                .outputs = {{"dst", T2}},
                .types = {only_boolean, floats},
                .infer = infer_select,
                .attributes = {auto_broadcast}},
        uniform(dnnl_graph_op_bias_add, "BiasAdd", {"src", "bias"}, {"dst"}, infer_bias_add,
                {data_format}),
        uniform(dnnl_graph_op_bias_add_backward, "BiasAddBackward", {"diff_dst"}, {"diff_bias"},
                infer_bias_add_backward, {data_format}),
        uniform(dnnl_graph_op_prelu, "PReLU", {"src", "slope"}, {"dst"}, infer_same_shape,
                {data_format, with_default(dnnl_graph_op_attr_per_channel_broadcast, true)}),
        uniform(dnnl_graph_op_prelu_backward, "PReLUBackward", {"src", "slope", "diff_dst"},
                {"diff_src", "diff_slope"}, infer_prelu_backward, {data_format}),
        {.kind = dnnl_graph_op_dropout,
                .name = "Dropout",
                .inputs = {{"src", T1}, {"seed", T2}, {"offset", T2}, {"probability", T3}},
                .outputs = {{"dst", T1}, {"mask", T4}},
                .types = {floats, only_s64, only_f32, only_u8},
                .infer = infer_same_shape,
                .output_counts = {1, 2}},

        // Normalizations. Beyond oneDNN, gamma and statistics may have any float type, and
        // statistics may be absent.
        {.kind = dnnl_graph_op_layer_norm,
                .name = "LayerNorm",
                .inputs = {{"src", T1}, {"gamma", T2}, {"beta", T2}},
                .outputs = {{"dst", T1, may_be_absent}, {"mean", T3, may_be_absent},
                        {"variance", T3, may_be_absent}},
                .types = {floats, floats, floats},
                .infer = infer_layer_norm,
                .attributes = {keep_stats, begin_norm_axis, use_affine, epsilon},
                .checks = {check_axis<dnnl_graph_op_attr_begin_norm_axis>, check_kept_statistics,
                        check_affine},
                .input_counts = {1, 2, 3},
                .output_counts = {1, 3}},
        {.kind = dnnl_graph_op_layer_norm_backward,
                .name = "LayerNormBackward",
                .inputs = {{"src", T1}, {"diff_dst", T1}, {"mean", T3}, {"variance", T3},
                        {"gamma", T2}, {"beta", T2}},
                .outputs = {{"diff_src", T1, may_be_absent}, {"diff_gamma", T2, may_be_absent},
                        {"diff_beta", T2, may_be_absent}},
                .types = {floats, floats, floats},
                .infer = infer_layer_norm_backward,
                .attributes = {begin_norm_axis, use_affine, epsilon},
                .checks = {check_axis<dnnl_graph_op_attr_begin_norm_axis>, check_affine,
                        check_layer_norm_backward},
                .input_counts = {2, 3, 4, 5, 6},
                .output_counts = {1, 2, 3},
                .skipped_inputs = skipped_inputs_of_layer_norm_backward},
        {.kind = dnnl_graph_op_rms_norm,
                .name = "RMSNorm",
                .inputs = {{"src", T1}, {"gamma", T2}},
                .outputs = {{"dst", T1}},
                .types = {floats, floats},
                .infer = infer_layer_norm,
                .attributes = {begin_norm_axis, epsilon},
                .checks = {check_axis<dnnl_graph_op_attr_begin_norm_axis>},
                .input_counts = {1, 2}},
        {.kind = dnnl_graph_op_group_norm,
                .name = "GroupNorm",
                .inputs = {{"src", T1}, {"gamma", T2}, {"beta", T2}},
                .outputs = {{"dst", T1, may_be_absent}, {"mean", T3, may_be_absent},
                        {"variance", T3, may_be_absent}},
                .types = {floats, floats, floats},
                .infer = infer_group_norm,
                .attributes = {keep_stats, required(dnnl_graph_op_attr_groups, 1), use_affine,
                        epsilon, data_format},
                .checks = {check_weight_types, check_kept_statistics, check_affine},
                .input_counts = {1, 2, 3},
                .output_counts = {1, 3}},
        {.kind = dnnl_graph_op_batch_norm_inference,
                .name = "BatchNormInference",
                .inputs = {{"src", T1}, {"gamma", T2}, {"beta", T2}, {"mean", T2},
                        {"variance", T2}},
                .outputs = {{"dst", T1}},
                .types = {floats, floats},
                .infer = infer_batch_norm,
                .attributes = {required_epsilon, data_format},
                .checks = {check_weight_types}},
        {.kind = dnnl_graph_op_batch_norm_forward_training,
                .name = "BatchNormForwardTraining",
                .inputs = {{"src", T1}, {"mean", T2}, {"variance", T2}, {"gamma", T2},
                        {"beta", T2}},
                .outputs = {{"dst", T1}, {"running_mean", T2}, {"running_variance", T2},
                        {"batch_mean", T2}, {"batch_variance", T2}},
                .types = {floats, floats},
                .infer = infer_batch_norm,
                .attributes = {required_epsilon, optional(dnnl_graph_op_attr_momentum, 0),
                        data_format},
                .checks = {check_weight_types},
                .input_counts = {3, 4, 5}},
        {.kind = dnnl_graph_op_batch_norm_backward,
                .name = "BatchNormTrainingBackward",
                .inputs = {{"src", T1}, {"diff_dst", T1}, {"mean", T2}, {"variance", T2},
                        {"gamma", T2}},
                .outputs = {{"diff_src", T1, may_be_absent}, {"diff_gamma", T2, may_be_absent},
                        {"diff_beta", T2, may_be_absent}},
                .types = {floats, floats},
                .infer = infer_batch_norm,
                .attributes = {required_epsilon, data_format},
                .checks = {check_weight_types, check_batch_norm_gradients},
                .input_counts = {4, 5},
                .output_counts = {1, 3}},

        // Softmax
        unary(dnnl_graph_op_log_softmax, "LogSoftmax",
                {with_default(dnnl_graph_op_attr_axis, int64_t(-1))},
                {check_axis<dnnl_graph_op_attr_axis>}),
        softmax_backward(dnnl_graph_op_log_softmax_backward, "LogSoftmaxBackward", T1, -1,
                {check_axis<dnnl_graph_op_attr_axis>}),
        {.kind = dnnl_graph_op_softmax,
                .name = "SoftMax",
                .inputs = {{"src", T1}},
                .outputs = {{"dst", T2}, {"stats", T3}},
                .types = {floats, floats, only_f32},
                .infer = infer_softmax,
                .attributes = {with_default(dnnl_graph_op_attr_axis, int64_t(1)),
                        choice(dnnl_graph_op_attr_mode, softmax_modes)},
                .checks = {check_axis<dnnl_graph_op_attr_axis>,
                        check_types_are_alike_or_one_is_f32},
                .output_counts = {1, 2}},
        softmax_backward(dnnl_graph_op_softmax_backward, "SoftMaxBackward", T2, 1,
                {check_axis<dnnl_graph_op_attr_axis>, check_output_is_f32_or_like_input}),

        // Reductions
        reduction(dnnl_graph_op_reduce_l1, "ReduceL1"),
        reduction(dnnl_graph_op_reduce_l2, "ReduceL2"),
        reduction(dnnl_graph_op_reduce_max, "ReduceMax"),
        reduction(dnnl_graph_op_reduce_mean, "ReduceMean"),
        reduction(dnnl_graph_op_reduce_min, "ReduceMin"),
        reduction(dnnl_graph_op_reduce_prod, "ReduceProd"),
        reduction(dnnl_graph_op_reduce_sum, "ReduceSum"),

        // Data types
        {.kind = dnnl_graph_op_type_cast,
                .name = "TypeCast",
                .inputs = {{"src", T1}},
                .outputs = {{"dst", T2}},
                .types = {floats, floats},
                .infer = infer_same_shape,
                .checks = {check_type_cast}},
        static_quantization(dnnl_graph_op_quantize, "Quantize", only_f32, quantized),
        static_quantization(dnnl_graph_op_dequantize, "Dequantize", quantized, only_f32),
        {.kind = dnnl_graph_op_dynamic_quantize,
                .name = "DynamicQuantize",
                .inputs = {{"src", T1}, {"scales", T1}, {"zps", T2}},
                .outputs = {{"dst", T3}},
                .types = {only_f32, int8_types | only_s32, int8_types},
                .infer = infer_dynamic_quantization,
                .attributes = quantization_attributes(without_groups, {}),
                .checks = {check_dynamic_quantization},
                .input_counts = {2, 3}},
        {.kind = dnnl_graph_op_dynamic_dequantize,
                .name = "DynamicDequantize",
                .inputs = {{"src", T1}, {"scales", T2}, {"zps", T3}},
                .outputs = {{"dst", T2}},
                .types = {int8_types | int4_types, floats, int8_types | int4_types | only_s32},
                .infer = infer_dynamic_quantization,
                .attributes = quantization_attributes(
                        granularities, {optional(dnnl_graph_op_attr_group_shape, 1)}),
                .checks = {check_dynamic_quantization},
                .input_counts = {2, 3}},

        // Layout, shape and index
        unary(dnnl_graph_op_reorder, "Reorder"),
        unary(dnnl_graph_op_static_reshape, "StaticReshape",
                {required(dnnl_graph_op_attr_shape, -1), required(dnnl_graph_op_attr_special_zero)},
                {}, infer_reshape),
        unary(dnnl_graph_op_static_transpose, "StaticTranspose",
                {required(dnnl_graph_op_attr_order)}, {check_axes<dnnl_graph_op_attr_order>},
                infer_transpose),
        {.kind = dnnl_graph_op_concat,
                .name = "Concat",
                .inputs = {{"src_i", T1}},
                .outputs = {{"dst", T1}},
                .types = {floats},
                .infer = infer_concat,
                .attributes = {required(dnnl_graph_op_attr_axis)},
                .checks = {check_axis<dnnl_graph_op_attr_axis>},
                .input_counts = {1},
                .most_inputs = 64},
        {.kind = dnnl_graph_op_gen_index,
                .name = "GenIndex",
                .inputs = {{"src", T1}},
                .outputs = {{"dst", T2}},
                .types = {floats, only_s32},
                .infer = infer_same_shape,
                .attributes = {required(dnnl_graph_op_attr_axis)},
                .checks = {check_axis<dnnl_graph_op_attr_axis>}},
        {.kind = dnnl_graph_op_interpolate,
                .name = "Interpolate",
                .inputs = {{"src", T1}, {"sizes", T2}},
                .outputs = {{"dst", T1}},
                .types = {floats, only_s32},
                .infer = infer_interpolation,
                .attributes = interpolation_attributes,
                .checks = {check_interpolation},
                .input_counts = {1, 2}},
        {.kind = dnnl_graph_op_interpolate_backward,
                .name = "InterpolateBackward",
                .inputs = {{"src", T1}, {"diff_dst", T1}, {"sizes", T2}},
                .outputs = {{"diff_src", T1}},
                .types = {floats, only_s32},
                .infer = infer_same_shape,
                .attributes = interpolation_attributes,
                .checks = {check_interpolation},
                .input_counts = {2, 3}},

        // Windows
        unary(dnnl_graph_op_avg_pool, "AvgPool",
                window_attributes(
                        {kernel, required(dnnl_graph_op_attr_exclude_pad), rounding_type}),
                {}, infer_pooling),
        {.kind = dnnl_graph_op_avg_pool_backward,
                .name = "AvgPoolBackward",
                .inputs = {{"diff_dst", T1}, {"src_shape", T2}},
                .outputs = {{"diff_src", T1}},
                .types = {floats, only_s32},
                .infer = infer_avg_pool_backward,
                .attributes = window_attributes({kernel, required(dnnl_graph_op_attr_exclude_pad),
                        optional(dnnl_graph_op_attr_src_shape, 0)}),
                .input_counts = {1, 2}},
        unary(dnnl_graph_op_max_pool, "MaxPool",
                window_attributes(
                        {kernel, optional(dnnl_graph_op_attr_dilations, 1), rounding_type}),
                {check_dilations}, infer_pooling),
        uniform(dnnl_graph_op_max_pool_backward, "MaxPoolBackward", {"src", "diff_dst"},
                {"diff_src"}, infer_same_shape,
                window_attributes({kernel, optional(dnnl_graph_op_attr_dilations, 1)}),
                {check_dilations}),
        convolution(dnnl_graph_op_convolution, "Convolution", infer_convolution,
                convolution_attributes(convolution_formats)),
        {.kind = dnnl_graph_op_convolution_backward_data,
                .name = "ConvolutionBackwardData",
                .inputs = {{"diff_dst", T1}, {"weights", T1}, {"dst_shape", T2}},
                .outputs = {{"diff_src", T1}},
                .types = {floats, only_s32},
                .infer = infer_convolution_backward_data,
                .attributes = convolution_attributes(
                        convolution_formats, {optional(dnnl_graph_op_attr_output_padding, 0),
                                                     optional(dnnl_graph_op_attr_dst_shape, 0)}),
                .input_counts = {2, 3}},
        convolution_backward_weights(dnnl_graph_op_convolution_backward_weights,
                "ConvolutionBackwardWeights", infer_convolution_backward_weights,
                convolution_formats),
        convolution(dnnl_graph_op_conv_transpose, "ConvTranspose", infer_conv_transpose,
                convolution_attributes(
                        transposed_formats, {optional(dnnl_graph_op_attr_output_padding, 0)})),
        uniform(dnnl_graph_op_conv_transpose_backward_data, "ConvTransposeBackwardData",
                {"diff_dst", "weights"}, {"diff_src"}, infer_conv_transpose_backward_data,
                convolution_attributes(transposed_formats)),
        convolution_backward_weights(dnnl_graph_op_conv_transpose_backward_weights,
                "ConvTransposeBackwardWeights", infer_convolution_backward_weights,
                transposed_formats),
        {.kind = dnnl_graph_op_matmul,
                .name = "MatMul",
                .inputs = {{"src", T1}, {"weights", T1}, {"bias", T1}},
                .outputs = {{"dst", T2}},
                .types = {floats, floats},
                .infer = infer_matmul,
                .attributes = {with_default(dnnl_graph_op_attr_transpose_a, false),
                        with_default(dnnl_graph_op_attr_transpose_b, false),
                        choice(dnnl_graph_op_attr_accumulation_mode, accumulations)},
                .checks = {check_output_is_f32_or_like_input},
                .input_counts = {2, 3}},

        // Not computations
        {.kind = dnnl_graph_op_end,
                .name = "End",
                .inputs = {{"src", T1}},
                .outputs = {},
                .types = {floats_or_s32 | int8_types | type_set({dnnl_data_type_undef})},
                .infer = infer_nothing},
        {.kind = dnnl_graph_op_wildcard,
                .name = "Wildcard",
                .inputs = {{"src", T1}},
                .outputs = {{"dst", T1}},
                .types = {any_type},
                .infer = infer_nothing,
                .most_inputs = SIZE_MAX,
                .most_outputs = SIZE_MAX},
};

// ---- the schemas

constexpr size_t row_count = std::size(rows);

/// The elements of one list of all rows, row after row.
template <auto list>
constexpr auto elements = [] {
    constexpr size_t count = [] {
        size_t sum = 0;
        for (const row_t &row : rows) sum += (row.*list).all().size();
        return sum;
    }();
    using element_t = std::remove_cvref_t<decltype((rows[0].*list).all()[0])>;
    std::array<element_t, count> result{};
    size_t at = 0;
    for (const row_t &row : rows)
        for (const element_t &element : (row.*list).all()) result[at++] = element;
    return result;
}();

/// That list of one row.
template <auto list> constexpr auto elements_of(size_t index) {
    size_t first = 0;
    for (size_t i = 0; i < index; ++i) first += (rows[i].*list).all().size();
    return std::span(elements<list>).subspan(first, (rows[index].*list).all().size());
}

constexpr schema_t schema_of(size_t index) {
    const row_t &row = rows[index];
    return {.kind = row.kind,
            .name = row.name,
            .inputs = elements_of<&row_t::inputs>(index),
            .outputs = elements_of<&row_t::outputs>(index),
            .types = row.types,
            .infer = row.infer,
            .attributes = elements_of<&row_t::attributes>(index),
            .checks = elements_of<&row_t::checks>(index),
            .input_counts = elements_of<&row_t::input_counts>(index),
            .output_counts = elements_of<&row_t::output_counts>(index),
            .skipped_inputs = row.skipped_inputs,
            .most_inputs = row.most_inputs,
            .most_outputs = row.most_outputs};
}

/// At the index of its kind, each schema.
constexpr auto table = [] {
    std::array<schema_t, row_count> result{};
    for (size_t i = 0; i < row_count; ++i) result[rows[i].kind] = schema_of(i);
    return result;
}();
static_assert(row_count == dnnl_graph_op_last_symbol
              && std::ranges::all_of(table, [](const schema_t &schema) { return schema.name; }));

} // namespace

std::span<const schema_t> schemas() { return table; }

const schema_t *find_schema(op_kind_t kind) {
    const auto index = static_cast<size_t>(kind);
    return index < table.size() ? &table[index] : nullptr;
}

} // namespace kiln::graph
