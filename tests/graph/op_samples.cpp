// SPDX-License-Identifier: Apache-2.0
// The table follows oneDNN's documents and is independent of the library's.
#include "graph/op_samples.hpp"

namespace kiln::test {

using graph::logical_tensor_t;
using graph::op_t;

logical_tensor_t tensor(dnnl_data_type_t data_type) {
    logical_tensor_t lt;
    dnnl_graph_logical_tensor_init(&lt, 0, data_type, DNNL_GRAPH_UNKNOWN_NDIMS,
            dnnl_graph_layout_type_strided, dnnl_graph_tensor_property_undef);
    return lt;
}

logical_tensor_t tensor(dnnl_data_type_t data_type, const graph::shape_t &shape) {
    logical_tensor_t lt;
    dnnl_graph_logical_tensor_init_with_dims(&lt, 0, data_type, static_cast<int>(shape.size()),
            shape.data(), dnnl_graph_layout_type_strided, dnnl_graph_tensor_property_undef);
    return lt;
}

logical_tensor_t absent() {
    logical_tensor_t lt = tensor(dnnl_data_type_undef);
    lt.layout_type = dnnl_graph_layout_type_undef;
    return lt;
}

op_t make_op(dnnl_graph_op_kind_t kind, const tensors_t &inputs, const tensors_t &outputs,
        const attributes_t &attributes) {
    op_t op{.id = 0,
            .kind = kind,
            .name = "op",
            .inputs = inputs,
            .outputs = outputs,
            .attributes = attributes};
    size_t id = 0;
    for (logical_tensor_t &input : op.inputs) input.id = id++;
    for (logical_tensor_t &output : op.outputs) output.id = id++;
    return op;
}

namespace {

using types_t = std::vector<dnnl_data_type_t>;
using list_t = std::vector<int64_t>;

constexpr auto f32 = dnnl_f32;
constexpr auto s32 = dnnl_s32;
constexpr auto s8 = dnnl_s8;

struct sample_t {
    dnnl_graph_op_kind_t kind;
    types_t inputs, outputs;
    attributes_t attributes;                                        ///< required
    attributes_t more_attributes = {};                              ///< optional
    types_t more_inputs = {}, more_outputs = {};                    ///< optional
    attributes_t smallest_attributes = {}, largest_attributes = {}; ///< of one form only
};

#define ATTR(name) dnnl_graph_op_attr_##name
const attributes_t none;
const attributes_t alpha = {{ATTR(alpha), 0.5f}};
const attributes_t alpha_beta = {{ATTR(alpha), 0.5f}, {ATTR(beta), 0.25f}};
const attributes_t beta = {{ATTR(beta), 2.f}};
const attributes_t limits = {{ATTR(min), -1.f}, {ATTR(max), 1.f}};
const attributes_t mode = {{ATTR(mode), std::string("gelu_tanh")}};
const attributes_t use_dst = {{ATTR(use_dst), false}};
const attributes_t broadcast = {{ATTR(auto_broadcast), std::string("none")}};
const attributes_t format = {{ATTR(data_format), std::string("NCX")}};
const attributes_t axis = {{ATTR(axis), int64_t(0)}};
const attributes_t epsilon = {{ATTR(epsilon), 1e-3f}};

attributes_t operator+(attributes_t lhs, const attributes_t &rhs) {
    lhs.insert(rhs.begin(), rhs.end());
    return lhs;
}

const attributes_t window = {{ATTR(strides), list_t{1, 1}}, {ATTR(pads_begin), list_t{0, 0}},
        {ATTR(pads_end), list_t{0, 0}}};
const attributes_t kernel = {{ATTR(kernel), list_t{2, 2}}};
const attributes_t dilations = {{ATTR(dilations), list_t{1, 1}}};
const attributes_t exclude_pad = {{ATTR(exclude_pad), true}};
const attributes_t auto_pad = {{ATTR(auto_pad), std::string("VALID")}};
const attributes_t rounding = {{ATTR(rounding_type), std::string("ceil")}};
attributes_t weights(const char *weights_format) {
    return format + auto_pad
           + attributes_t{
                   {ATTR(groups), int64_t(2)}, {ATTR(weights_format), std::string(weights_format)}};
}
attributes_t list(dnnl_graph_op_attr_t name, const list_t &values) { return {{name, values}}; }

const attributes_t interpolation = {
        {ATTR(mode), std::string("nearest")}, {ATTR(sizes), list_t{4, 4}}};
const attributes_t more_interpolation =
        format + attributes_t{{ATTR(coordinate_transformation_mode), std::string("align_corners")}};
const attributes_t qtype = axis + attributes_t{{ATTR(qtype), std::string("per_channel")}};
const attributes_t scales = {{ATTR(scales), std::vector<float>{0.5f}}};
const attributes_t zps = list(ATTR(zps), {3});

sample_t unary(dnnl_graph_op_kind_t kind, const attributes_t &required = none,
        const attributes_t &more = none) {
    return {kind, {f32}, {f32}, required, more};
}
sample_t unary_backward(dnnl_graph_op_kind_t kind, const attributes_t &required = none,
        const attributes_t &more = none) {
    return {kind, {f32, f32}, {f32}, required, more};
}
sample_t binary(dnnl_graph_op_kind_t kind) { return {kind, {f32, f32}, {f32}, none, broadcast}; }
/// Axes are an input in the largest form, an attribute in the smallest.
sample_t reduction(dnnl_graph_op_kind_t kind) {
    return {.kind = kind,
            .inputs = {f32},
            .outputs = {f32},
            .attributes = {},
            .more_attributes = {{ATTR(keep_dims), true}},
            .more_inputs = {s32},
            .smallest_attributes = list(ATTR(axes), {1})};
}

const sample_t samples[] = {
        unary(dnnl_graph_op_abs),
        unary_backward(dnnl_graph_op_abs_backward),
        binary(dnnl_graph_op_add),
        unary(dnnl_graph_op_avg_pool, window + kernel + exclude_pad, format + auto_pad + rounding),
        {dnnl_graph_op_avg_pool_backward, {f32}, {f32}, window + kernel + exclude_pad,
                format + auto_pad + list(ATTR(src_shape), {1, 2, 4, 4}), {s32}},
        {dnnl_graph_op_batch_norm_backward, {f32, f32, f32, f32}, {f32}, epsilon, format, {f32},
                {f32, f32}},
        {dnnl_graph_op_batch_norm_forward_training, {f32, f32, f32}, {f32, f32, f32, f32, f32},
                epsilon, format + attributes_t{{ATTR(momentum), 0.1f}}, {f32, f32}},
        {dnnl_graph_op_batch_norm_inference, {f32, f32, f32, f32, f32}, {f32}, epsilon, format},
        {dnnl_graph_op_bias_add, {f32, f32}, {f32}, none, format},
        {dnnl_graph_op_bias_add_backward, {f32}, {f32}, none, format},
        unary(dnnl_graph_op_clamp, limits),
        unary_backward(dnnl_graph_op_clamp_backward, limits, use_dst),
        {dnnl_graph_op_concat, {f32}, {f32}, axis, none, types_t(63, f32)},
        {dnnl_graph_op_convolution, {f32, f32}, {f32}, window + dilations, weights("OIX"), {f32}},
        {dnnl_graph_op_convolution_backward_data, {f32, f32}, {f32}, window + dilations,
                weights("OIX") + list(ATTR(output_padding), {0, 0})
                        + list(ATTR(dst_shape), {1, 2, 4, 4}),
                {s32}},
        {dnnl_graph_op_convolution_backward_weights, {f32, f32}, {f32}, window + dilations,
                weights("OIX") + list(ATTR(weights_shape), {2, 2, 3, 3}), {s32}},
        {dnnl_graph_op_conv_transpose, {f32, f32}, {f32}, window + dilations,
                weights("IOX") + list(ATTR(output_padding), {0, 0}), {f32}},
        {dnnl_graph_op_conv_transpose_backward_data, {f32, f32}, {f32}, window + dilations,
                weights("IOX")},
        {dnnl_graph_op_conv_transpose_backward_weights, {f32, f32}, {f32}, window + dilations,
                weights("IOX") + list(ATTR(weights_shape), {2, 2, 3, 3}), {s32}},
        {dnnl_graph_op_dequantize, {s8}, {f32}, scales, qtype + zps},
        binary(dnnl_graph_op_divide),
        {dnnl_graph_op_dynamic_dequantize, {s8, f32}, {f32}, none,
                qtype + list(ATTR(group_shape), {1, 4}), {s32}},
        {dnnl_graph_op_dynamic_quantize, {f32, f32}, {s8}, none, qtype, {s32}},
        unary(dnnl_graph_op_elu, alpha),
        unary_backward(dnnl_graph_op_elu_backward, alpha, use_dst),
        {dnnl_graph_op_end, {f32}, {}, none},
        unary(dnnl_graph_op_exp),
        unary(dnnl_graph_op_gelu, none, mode),
        unary_backward(dnnl_graph_op_gelu_backward, none, mode),
        unary(dnnl_graph_op_hard_swish),
        unary_backward(dnnl_graph_op_hard_swish_backward),
        {dnnl_graph_op_interpolate, {f32}, {f32}, interpolation, more_interpolation, {s32}},
        {dnnl_graph_op_interpolate_backward, {f32, f32}, {f32}, interpolation, more_interpolation,
                {s32}},
        {.kind = dnnl_graph_op_layer_norm,
                .inputs = {f32},
                .outputs = {f32},
                .attributes = {},
                .more_attributes = epsilon
                                   + attributes_t{{ATTR(begin_norm_axis), int64_t(-2)},
                                           {ATTR(use_affine), true}},
                .more_inputs = {f32, f32},
                .more_outputs = {f32, f32},
                .smallest_attributes = {{ATTR(keep_stats), false}},
                .largest_attributes = {{ATTR(keep_stats), true}}},
        {dnnl_graph_op_layer_norm_backward, {f32, f32}, {f32}, none,
                epsilon
                        + attributes_t{{ATTR(begin_norm_axis), int64_t(-2)},
                                {ATTR(use_affine), true}},
                {f32, f32, f32, f32}, {f32, f32}},
        unary(dnnl_graph_op_leaky_relu, alpha),
        unary(dnnl_graph_op_log),
        unary(dnnl_graph_op_log_softmax, none, axis),
        unary_backward(dnnl_graph_op_log_softmax_backward, none, axis),
        {dnnl_graph_op_matmul, {f32, f32}, {f32}, none,
                {{ATTR(transpose_a), true}, {ATTR(transpose_b), true},
                        {ATTR(accumulation_mode), std::string("f32")}},
                {f32}},
        binary(dnnl_graph_op_maximum),
        unary(dnnl_graph_op_max_pool, window + kernel, format + auto_pad + rounding + dilations),
        unary_backward(
                dnnl_graph_op_max_pool_backward, window + kernel, format + auto_pad + dilations),
        binary(dnnl_graph_op_minimum),
        unary(dnnl_graph_op_mish),
        unary_backward(dnnl_graph_op_mish_backward),
        binary(dnnl_graph_op_multiply),
        {dnnl_graph_op_prelu, {f32, f32}, {f32}, none,
                format + attributes_t{{ATTR(per_channel_broadcast), false}}},
        {dnnl_graph_op_prelu_backward, {f32, f32, f32}, {f32, f32}, none, format},
        {dnnl_graph_op_quantize, {f32}, {s8}, scales, qtype + zps},
        unary(dnnl_graph_op_reciprocal),
        reduction(dnnl_graph_op_reduce_l1),
        reduction(dnnl_graph_op_reduce_l2),
        reduction(dnnl_graph_op_reduce_max),
        reduction(dnnl_graph_op_reduce_mean),
        reduction(dnnl_graph_op_reduce_min),
        reduction(dnnl_graph_op_reduce_prod),
        reduction(dnnl_graph_op_reduce_sum),
        unary(dnnl_graph_op_relu),
        unary_backward(dnnl_graph_op_relu_backward, none, use_dst),
        unary(dnnl_graph_op_reorder),
        unary(dnnl_graph_op_round),
        unary(dnnl_graph_op_sigmoid),
        unary_backward(dnnl_graph_op_sigmoid_backward, none, use_dst),
        {dnnl_graph_op_softmax, {f32}, {f32}, none,
                axis + attributes_t{{ATTR(mode), std::string("inf_as_zero")}}, {}, {f32}},
        unary_backward(dnnl_graph_op_softmax_backward, none, axis),
        unary(dnnl_graph_op_softplus, none, beta),
        unary_backward(dnnl_graph_op_softplus_backward, none, beta),
        unary(dnnl_graph_op_sqrt),
        unary_backward(dnnl_graph_op_sqrt_backward, none, use_dst),
        unary(dnnl_graph_op_square),
        binary(dnnl_graph_op_squared_difference),
        unary(dnnl_graph_op_static_reshape,
                list(ATTR(shape), {0, -1}) + attributes_t{{ATTR(special_zero), true}}),
        unary(dnnl_graph_op_static_transpose, list(ATTR(order), {1, 0})),
        binary(dnnl_graph_op_subtract),
        unary(dnnl_graph_op_tanh),
        unary_backward(dnnl_graph_op_tanh_backward, none, use_dst),
        {dnnl_graph_op_type_cast, {f32}, {dnnl_bf16}, none},
        {dnnl_graph_op_wildcard, {}, {}, none, none, types_t(100, dnnl_s4),
                types_t(100, dnnl_boolean)},
        unary(dnnl_graph_op_hard_sigmoid, alpha_beta),
        unary_backward(dnnl_graph_op_hard_sigmoid_backward, alpha_beta),
        {dnnl_graph_op_select, {dnnl_boolean, f32, f32}, {f32}, none, broadcast},
        unary(dnnl_graph_op_pow, beta),
        {.kind = dnnl_graph_op_group_norm,
                .inputs = {f32},
                .outputs = {f32},
                .attributes = {{ATTR(groups), int64_t(2)}},
                .more_attributes = epsilon + format + attributes_t{{ATTR(use_affine), true}},
                .more_inputs = {f32, f32},
                .more_outputs = {f32, f32},
                .smallest_attributes = {{ATTR(keep_stats), false}},
                .largest_attributes = {{ATTR(keep_stats), true}}},
        {dnnl_graph_op_gen_index, {f32}, {s32}, axis},
        {dnnl_graph_op_greater_equal, {f32, f32}, {dnnl_boolean}, none, broadcast},
        {dnnl_graph_op_rms_norm, {f32}, {f32}, none,
                epsilon + attributes_t{{ATTR(begin_norm_axis), int64_t(-2)}}, {f32}},
        {dnnl_graph_op_dropout, {f32, dnnl_s64, dnnl_s64, f32}, {f32}, none, none, {}, {dnnl_u8}},
};

tensors_t tensors(types_t types, const types_t &more) {
    types.insert(types.end(), more.begin(), more.end());
    tensors_t result;
    for (dnnl_data_type_t type : types) result.push_back(tensor(type));
    return result;
}

std::vector<op_t> make_ops(op_t (*make)(const sample_t &)) {
    std::vector<op_t> ops;
    for (const sample_t &sample : samples) ops.push_back(make(sample));
    return ops;
}

} // namespace

const std::vector<op_t> &smallest_forms() {
    static const auto ops = make_ops([](const sample_t &sample) {
        return make_op(sample.kind, tensors(sample.inputs, {}), tensors(sample.outputs, {}),
                sample.attributes + sample.smallest_attributes);
    });
    return ops;
}

const std::vector<op_t> &largest_forms() {
    static const auto ops = make_ops([](const sample_t &sample) {
        return make_op(sample.kind, tensors(sample.inputs, sample.more_inputs),
                tensors(sample.outputs, sample.more_outputs),
                sample.attributes + sample.more_attributes + sample.largest_attributes);
    });
    return ops;
}

} // namespace kiln::test
