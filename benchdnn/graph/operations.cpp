// SPDX-License-Identifier: Apache-2.0
// The table of operations.
#include "graph/operations.hpp"

#include <algorithm>
#include <map>

#include "common/command_line/usage_error.hpp"

namespace benchdnn::graph {

namespace {

void infer_nothing(graph_t &, const op_t &) {}

const std::vector<operation_t> operations{
        {"Abs", dnnl_graph_op_abs, infer_same, compute_eltwise, {role_t::data}},
        {"AbsBackward", dnnl_graph_op_abs_backward, infer_same, compute_eltwise_backward,
                {role_t::forward, role_t::diff_dst}},
        {"Add", dnnl_graph_op_add, infer_broadcast, compute_binary, {role_t::data}},
        {"AvgPool", dnnl_graph_op_avg_pool, nullptr, nullptr, {}},
        {"AvgPoolBackward", dnnl_graph_op_avg_pool_backward, nullptr, nullptr, {}},
        {"BatchNormForwardTraining", dnnl_graph_op_batch_norm_forward_training, infer_batch_norm,
                compute_batch_norm_training,
                {role_t::data, role_t::mean, role_t::variance, role_t::scale, role_t::shift}},
        {"BatchNormInference", dnnl_graph_op_batch_norm_inference, infer_batch_norm,
                compute_batch_norm_inference,
                {role_t::data, role_t::scale, role_t::shift, role_t::mean, role_t::variance}},
        {"BatchNormTrainingBackward", dnnl_graph_op_batch_norm_backward, infer_batch_norm,
                compute_batch_norm_backward,
                {role_t::data, role_t::diff_dst, role_t::mean, role_t::variance, role_t::scale}},
        {"BiasAdd", dnnl_graph_op_bias_add, infer_same, compute_bias_add, {role_t::data}},
        {"BiasAddBackprop", dnnl_graph_op_bias_add_backward, nullptr, nullptr, {}},
        {"BiasAddBackward", dnnl_graph_op_bias_add_backward, nullptr, nullptr, {}},
        {"Clamp", dnnl_graph_op_clamp, infer_same, compute_eltwise, {role_t::data}},
        {"ClampBackward", dnnl_graph_op_clamp_backward, infer_same, compute_eltwise_backward,
                {role_t::forward, role_t::diff_dst}},
        {"Concat", dnnl_graph_op_concat, infer_concat, compute_concat, {role_t::data}},
        {"Convolution", dnnl_graph_op_convolution, nullptr, nullptr, {}},
        {"ConvolutionBackwardData", dnnl_graph_op_convolution_backward_data, nullptr, nullptr, {}},
        {"ConvolutionBackwardWeights", dnnl_graph_op_convolution_backward_weights, nullptr, nullptr,
                {}},
        {"ConvTranspose", dnnl_graph_op_conv_transpose, nullptr, nullptr, {}},
        {"ConvTransposeBackwardData", dnnl_graph_op_conv_transpose_backward_data, nullptr, nullptr,
                {}},
        {"ConvTransposeBackwardWeights", dnnl_graph_op_conv_transpose_backward_weights, nullptr,
                nullptr, {}},
        {"Dequantize", dnnl_graph_op_dequantize, infer_same, compute_dequantize, {role_t::data}},
        {"Divide", dnnl_graph_op_divide, infer_broadcast, compute_binary,
                {role_t::data, role_t::positive}},
        {"Dropout", dnnl_graph_op_dropout, nullptr, nullptr, {}},
        {"DynamicDequantize", dnnl_graph_op_dynamic_dequantize, infer_same, compute_dequantize,
                {role_t::data, role_t::quantization_scale, role_t::zero_point}},
        {"DynamicQuantize", dnnl_graph_op_dynamic_quantize, infer_same, compute_quantize,
                {role_t::data, role_t::quantization_scale, role_t::zero_point}},
        {"Elu", dnnl_graph_op_elu, infer_same, compute_eltwise, {role_t::data}},
        {"EluBackward", dnnl_graph_op_elu_backward, infer_same, compute_eltwise_backward,
                {role_t::forward, role_t::diff_dst}},
        {"End", dnnl_graph_op_end, infer_nothing, compute_nothing, {role_t::data}},
        {"Exp", dnnl_graph_op_exp, infer_same, compute_eltwise, {role_t::data}},
        {"GELU", dnnl_graph_op_gelu, infer_same, compute_eltwise, {role_t::data}},
        {"GELUBackward", dnnl_graph_op_gelu_backward, infer_same, compute_eltwise_backward,
                {role_t::forward, role_t::diff_dst}},
        {"GenIndex", dnnl_graph_op_gen_index, nullptr, nullptr, {}},
        {"GreaterEqual", dnnl_graph_op_greater_equal, infer_broadcast, compute_binary,
                {role_t::data}},
        {"GroupNorm", dnnl_graph_op_group_norm, infer_group_norm, compute_group_norm,
                {role_t::data, role_t::scale, role_t::shift}},
        {"HardSigmoid", dnnl_graph_op_hard_sigmoid, infer_same, compute_eltwise, {role_t::data}},
        {"HardSigmoidBackward", dnnl_graph_op_hard_sigmoid_backward, infer_same,
                compute_eltwise_backward, {role_t::forward, role_t::diff_dst}},
        {"HardSwish", dnnl_graph_op_hard_swish, infer_same, compute_eltwise, {role_t::data}},
        {"HardSwishBackward", dnnl_graph_op_hard_swish_backward, infer_same,
                compute_eltwise_backward, {role_t::forward, role_t::diff_dst}},
        {"Interpolate", dnnl_graph_op_interpolate, nullptr, nullptr, {}},
        {"InterpolateBackward", dnnl_graph_op_interpolate_backward, nullptr, nullptr, {}},
        {"LayerNorm", dnnl_graph_op_layer_norm, infer_layer_norm, compute_layer_norm,
                {role_t::data, role_t::scale, role_t::shift}},
        {"LayerNormBackward", dnnl_graph_op_layer_norm_backward, infer_layer_norm_backward,
                compute_layer_norm_backward,
                {role_t::data, role_t::diff_dst, role_t::mean, role_t::variance, role_t::scale,
                        role_t::shift}},
        {"LeakyReLU", dnnl_graph_op_leaky_relu, infer_same, compute_eltwise, {role_t::data}},
        {"Log", dnnl_graph_op_log, infer_same, compute_eltwise, {role_t::positive}},
        {"LogSoftmax", dnnl_graph_op_log_softmax, infer_softmax, compute_softmax, {role_t::data}},
        {"LogSoftmaxBackward", dnnl_graph_op_log_softmax_backward, infer_same,
                compute_softmax_backward, {role_t::diff_dst, role_t::forward}},
        {"MatMul", dnnl_graph_op_matmul, infer_matmul, compute_matmul, {role_t::data}},
        {"Maximum", dnnl_graph_op_maximum, infer_broadcast, compute_binary, {role_t::data}},
        {"MaxPool", dnnl_graph_op_max_pool, nullptr, nullptr, {}},
        {"MaxPoolBackward", dnnl_graph_op_max_pool_backward, nullptr, nullptr, {}},
        {"Minimum", dnnl_graph_op_minimum, infer_broadcast, compute_binary, {role_t::data}},
        {"Mish", dnnl_graph_op_mish, infer_same, compute_eltwise, {role_t::data}},
        {"MishBackward", dnnl_graph_op_mish_backward, infer_same, compute_eltwise_backward,
                {role_t::forward, role_t::diff_dst}},
        {"Multiply", dnnl_graph_op_multiply, infer_broadcast, compute_binary, {role_t::data}},
        {"Pow", dnnl_graph_op_pow, infer_same, compute_eltwise, {role_t::positive}},
        {"PReLU", dnnl_graph_op_prelu, infer_same, compute_prelu, {role_t::data}},
        {"PReLUBackward", dnnl_graph_op_prelu_backward, infer_pairwise, compute_prelu_backward,
                {role_t::data, role_t::data, role_t::diff_dst}},
        {"Quantize", dnnl_graph_op_quantize, infer_same, compute_quantize, {role_t::data}},
        {"Reciprocal", dnnl_graph_op_reciprocal, infer_same, compute_eltwise, {role_t::positive}},
        {"ReduceL1", dnnl_graph_op_reduce_l1, infer_reduction, compute_reduction,
                {role_t::data, role_t::axes}},
        {"ReduceL2", dnnl_graph_op_reduce_l2, infer_reduction, compute_reduction,
                {role_t::data, role_t::axes}},
        {"ReduceMax", dnnl_graph_op_reduce_max, infer_reduction, compute_reduction,
                {role_t::data, role_t::axes}},
        {"ReduceMean", dnnl_graph_op_reduce_mean, infer_reduction, compute_reduction,
                {role_t::data, role_t::axes}},
        {"ReduceMin", dnnl_graph_op_reduce_min, infer_reduction, compute_reduction,
                {role_t::data, role_t::axes}},
        {"ReduceProd", dnnl_graph_op_reduce_prod, infer_reduction, compute_reduction,
                {role_t::near_one, role_t::axes}},
        {"ReduceSum", dnnl_graph_op_reduce_sum, infer_reduction, compute_reduction,
                {role_t::data, role_t::axes}},
        {"ReLU", dnnl_graph_op_relu, infer_same, compute_eltwise, {role_t::data}},
        {"ReLUBackward", dnnl_graph_op_relu_backward, infer_same, compute_eltwise_backward,
                {role_t::forward, role_t::diff_dst}},
        {"Reorder", dnnl_graph_op_reorder, infer_same, compute_conversion, {role_t::data}},
        {"RMSNorm", dnnl_graph_op_rms_norm, infer_same, compute_layer_norm,
                {role_t::data, role_t::scale}},
        {"Round", dnnl_graph_op_round, infer_same, compute_eltwise, {role_t::data}},
        {"Select", dnnl_graph_op_select, infer_broadcast, compute_select,
                {role_t::condition, role_t::data, role_t::data}},
        {"Sigmoid", dnnl_graph_op_sigmoid, infer_same, compute_eltwise, {role_t::data}},
        {"SigmoidBackward", dnnl_graph_op_sigmoid_backward, infer_same, compute_eltwise_backward,
                {role_t::forward, role_t::diff_dst}},
        {"SoftMax", dnnl_graph_op_softmax, infer_softmax, compute_softmax, {role_t::data}},
        {"Softmax", dnnl_graph_op_softmax, infer_softmax, compute_softmax, {role_t::data}},
        {"SoftMaxBackward", dnnl_graph_op_softmax_backward, infer_same, compute_softmax_backward,
                {role_t::diff_dst, role_t::forward}},
        {"SoftmaxBackward", dnnl_graph_op_softmax_backward, infer_same, compute_softmax_backward,
                {role_t::diff_dst, role_t::forward}},
        {"SoftPlus", dnnl_graph_op_softplus, infer_same, compute_eltwise, {role_t::data}},
        {"SoftPlusBackward", dnnl_graph_op_softplus_backward, infer_same, compute_eltwise_backward,
                {role_t::forward, role_t::diff_dst}},
        {"Sqrt", dnnl_graph_op_sqrt, infer_same, compute_eltwise, {role_t::positive}},
        {"SqrtBackward", dnnl_graph_op_sqrt_backward, infer_same, compute_eltwise_backward,
                {role_t::forward, role_t::diff_dst}},
        {"Square", dnnl_graph_op_square, infer_same, compute_eltwise, {role_t::data}},
        {"SquaredDifference", dnnl_graph_op_squared_difference, infer_broadcast, compute_binary,
                {role_t::data}},
        {"StaticReshape", dnnl_graph_op_static_reshape, infer_reshape, compute_reshape,
                {role_t::data}},
        {"StaticTranspose", dnnl_graph_op_static_transpose, infer_transpose, compute_transpose,
                {role_t::data}},
        {"Subtract", dnnl_graph_op_subtract, infer_broadcast, compute_binary, {role_t::data}},
        {"Tanh", dnnl_graph_op_tanh, infer_same, compute_eltwise, {role_t::data}},
        {"TanhBackward", dnnl_graph_op_tanh_backward, infer_same, compute_eltwise_backward,
                {role_t::forward, role_t::diff_dst}},
        {"TypeCast", dnnl_graph_op_type_cast, infer_same, compute_conversion, {role_t::data}},
        {"Wildcard", dnnl_graph_op_wildcard, nullptr, nullptr, {}},
};

const std::map<std::string, dnnl_graph_op_attr_t> attributes{
        {"accumulation_mode", dnnl_graph_op_attr_accumulation_mode},
        {"alpha", dnnl_graph_op_attr_alpha},
        {"auto_broadcast", dnnl_graph_op_attr_auto_broadcast},
        {"auto_pad", dnnl_graph_op_attr_auto_pad},
        {"axes", dnnl_graph_op_attr_axes},
        {"axis", dnnl_graph_op_attr_axis},
        {"begin_norm_axis", dnnl_graph_op_attr_begin_norm_axis},
        {"beta", dnnl_graph_op_attr_beta},
        {"coordinate_transformation_mode", dnnl_graph_op_attr_coordinate_transformation_mode},
        {"data_format", dnnl_graph_op_attr_data_format},
        {"dilations", dnnl_graph_op_attr_dilations},
        {"dst_shape", dnnl_graph_op_attr_dst_shape},
        {"epsilon", dnnl_graph_op_attr_epsilon},
        {"exclude_pad", dnnl_graph_op_attr_exclude_pad},
        {"group_shape", dnnl_graph_op_attr_group_shape},
        {"groups", dnnl_graph_op_attr_groups},
        {"keep_dims", dnnl_graph_op_attr_keep_dims},
        {"keep_stats", dnnl_graph_op_attr_keep_stats},
        {"kernel", dnnl_graph_op_attr_kernel},
        {"max", dnnl_graph_op_attr_max},
        {"min", dnnl_graph_op_attr_min},
        {"mode", dnnl_graph_op_attr_mode},
        {"momentum", dnnl_graph_op_attr_momentum},
        {"order", dnnl_graph_op_attr_order},
        {"output_padding", dnnl_graph_op_attr_output_padding},
        {"pads_begin", dnnl_graph_op_attr_pads_begin},
        {"pads_end", dnnl_graph_op_attr_pads_end},
        {"per_channel_broadcast", dnnl_graph_op_attr_per_channel_broadcast},
        {"qtype", dnnl_graph_op_attr_qtype},
        {"rounding_type", dnnl_graph_op_attr_rounding_type},
        {"scales", dnnl_graph_op_attr_scales},
        {"shape", dnnl_graph_op_attr_shape},
        {"sizes", dnnl_graph_op_attr_sizes},
        {"special_zero", dnnl_graph_op_attr_special_zero},
        {"src_shape", dnnl_graph_op_attr_src_shape},
        {"strides", dnnl_graph_op_attr_strides},
        {"transpose_a", dnnl_graph_op_attr_transpose_a},
        {"transpose_b", dnnl_graph_op_attr_transpose_b},
        {"use_affine", dnnl_graph_op_attr_use_affine},
        {"use_dst", dnnl_graph_op_attr_use_dst},
        {"weights_format", dnnl_graph_op_attr_weights_format},
        {"weights_shape", dnnl_graph_op_attr_weights_shape},
        {"zps", dnnl_graph_op_attr_zps},
};

} // namespace

const operation_t *find_operation(const std::string &name) {
    const auto found = std::find_if(operations.begin(), operations.end(),
            [&](const operation_t &operation) { return operation.name == name; });
    return found == operations.end() ? nullptr : &*found;
}

std::vector<std::string> operation_names() {
    std::vector<std::string> names;
    for (const operation_t &operation : operations) names.push_back(operation.name);
    return names;
}

const operation_t &operation_of(const std::string &name) {
    const operation_t *operation = find_operation(name);
    if (!operation) throw bad_value_t(name, "no operation of graphs", operation_names());
    return *operation;
}

bool lacks_statistics(const op_t &op) {
    const size_t count = op.inputs.size();
    return op.kind == "LayerNormBackward"
           && (count < 4 || (count == 4 && op.get<bool>("use_affine", false)));
}

role_t role_of(const op_t &op, size_t port) {
    const operation_t *operation = find_operation(op.kind);
    if (!operation || operation->roles.empty()) return role_t::data;
    if (lacks_statistics(op) && port >= 2) port += 2;
    return operation->roles[std::min(port, operation->roles.size() - 1)];
}

dnnl_graph_op_attr_t attribute_enumerator(const std::string &name) {
    const auto found = attributes.find(name);
    if (found != attributes.end()) return found->second;
    std::vector<std::string> names;
    for (const auto &[known, enumerator] : attributes) names.push_back(known);
    throw bad_value_t(name, "no attribute of graphs' operations", names);
}

} // namespace benchdnn::graph
