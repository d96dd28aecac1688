// SPDX-License-Identifier: Apache-2.0
#include "graphs/operations.hpp"

#include "graph/lowering/operations.hpp"
#include "graph/op_samples.hpp"

namespace kiln::fuzz {

namespace {

using list_t = std::vector<int64_t>;

bool is_one_of(dnnl_graph_op_kind_t kind, std::initializer_list<dnnl_graph_op_kind_t> kinds) {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

/// One operand, elementwise; the sample's attributes hold for any shape.
bool is_unary(dnnl_graph_op_kind_t kind) {
    return is_one_of(
            kind, {dnnl_graph_op_abs, dnnl_graph_op_clamp, dnnl_graph_op_elu, dnnl_graph_op_exp,
                          dnnl_graph_op_gelu, dnnl_graph_op_hard_sigmoid, dnnl_graph_op_hard_swish,
                          dnnl_graph_op_leaky_relu, dnnl_graph_op_log, dnnl_graph_op_mish,
                          dnnl_graph_op_pow, dnnl_graph_op_reciprocal, dnnl_graph_op_relu,
                          dnnl_graph_op_round, dnnl_graph_op_sigmoid, dnnl_graph_op_softplus,
                          dnnl_graph_op_sqrt, dnnl_graph_op_square, dnnl_graph_op_tanh,
                          dnnl_graph_op_reorder});
}

bool is_binary(dnnl_graph_op_kind_t kind) {
    return is_one_of(kind, {dnnl_graph_op_add, dnnl_graph_op_divide, dnnl_graph_op_greater_equal,
                                   dnnl_graph_op_maximum, dnnl_graph_op_minimum,
                                   dnnl_graph_op_multiply, dnnl_graph_op_squared_difference,
                                   dnnl_graph_op_subtract, dnnl_graph_op_select});
}

bool is_row_norm(dnnl_graph_op_kind_t kind) {
    return is_one_of(kind,
            {dnnl_graph_op_layer_norm, dnnl_graph_op_layer_norm_backward, dnnl_graph_op_rms_norm});
}

bool is_channel_norm(dnnl_graph_op_kind_t kind) {
    return is_one_of(
            kind, {dnnl_graph_op_batch_norm_inference, dnnl_graph_op_batch_norm_forward_training,
                          dnnl_graph_op_batch_norm_backward, dnnl_graph_op_group_norm,
                          dnnl_graph_op_bias_add, dnnl_graph_op_prelu});
}

bool is_conversion(dnnl_graph_op_kind_t kind) {
    return is_one_of(
            kind, {dnnl_graph_op_quantize, dnnl_graph_op_dequantize, dnnl_graph_op_dynamic_quantize,
                          dnnl_graph_op_dynamic_dequantize, dnnl_graph_op_type_cast});
}

bool is_reduction(dnnl_graph_op_kind_t kind) {
    return is_one_of(
            kind, {dnnl_graph_op_reduce_l1, dnnl_graph_op_reduce_l2, dnnl_graph_op_reduce_max,
                          dnnl_graph_op_reduce_mean, dnnl_graph_op_reduce_min,
                          dnnl_graph_op_reduce_prod, dnnl_graph_op_reduce_sum});
}

bool is_softmax(dnnl_graph_op_kind_t kind) {
    return is_one_of(
            kind, {dnnl_graph_op_softmax, dnnl_graph_op_log_softmax, dnnl_graph_op_softmax_backward,
                          dnnl_graph_op_log_softmax_backward});
}

/// Kinds that the library executes, as its own table tells; norms and products more often.
const std::vector<size_t> &usual_kinds() {
    static const auto usual = [] {
        std::vector<size_t> list;
        const auto &samples = test::largest_forms(); // attributes have values
        for (size_t i = 0; i < samples.size(); ++i) {
            const auto kind = samples[i].kind;
            const bool is_frequent = is_row_norm(kind) || is_channel_norm(kind) || is_softmax(kind)
                                     || kind == dnnl_graph_op_matmul;
            if (is_conversion(kind) || graph::is_supported(samples[i]))
                list.insert(list.end(), is_frequent ? size_t(3) : size_t(2), i);
        }
        return list;
    }();
    return usual;
}

/// Types that depend on others are judged by the interface's documents, not by this model.
bool has_free_types(dnnl_graph_op_kind_t kind) { return !is_conversion(kind); }

} // namespace

const graph::op_t &operations_t::read_sample() {
    const auto &smallest = test::smallest_forms();
    const bool is_usual = !input_.one_in(8);
    const size_t index = is_usual ? input_.pick(usual_kinds()) : input_.below(smallest.size());
    const bool is_large = input_.one_in(3) && smallest[index].kind != dnnl_graph_op_wildcard
                          && smallest[index].kind != dnnl_graph_op_concat;
    return is_large ? test::largest_forms()[index] : smallest[index];
}

/// The shape of an operand after the first that goes with the first one's.
dims_t operations_t::operand_dims(dnnl_graph_op_kind_t kind, size_t position, const dims_t &src) {
    if (input_.one_in(16)) return read_dims(input_, 0, 4, 64);
    if (src.empty()) return src;
    const bool is_row = is_row_norm(kind);
    const size_t tensors =
            kind == dnnl_graph_op_layer_norm_backward || kind == dnnl_graph_op_batch_norm_backward
                    ? 2
                    : 1;
    if ((is_row || is_channel_norm(kind)) && position < tensors) return src;
    if (is_row) {
        const bool is_statistic = kind == dnnl_graph_op_layer_norm_backward && position < 4;
        if (is_statistic) return {src.begin(), src.end() - 1};
        return {src.back()};
    }
    if (is_channel_norm(kind))
        return {src[input_.one_in(2) && src.size() > 1 ? 1 : src.size() - 1]};
    if (kind == dnnl_graph_op_dynamic_quantize || kind == dnnl_graph_op_dynamic_dequantize)
        return {input_.one_in(2) ? src[0] : 1};
    if (is_reduction(kind)) return {input_.between(1, 3)};
    if (kind == dnnl_graph_op_matmul) { // square weights, half of them one for all of a batch
        if (position == 2) return {src.back()};
        dims_t weights(input_.one_in(2) ? src.end() - 1 : src.begin(), src.end());
        if (weights.size() == 1) weights.push_back(src.back());
        weights[weights.size() - 2] = src.back();
        return weights;
    }
    if (!is_binary(kind) || !input_.one_in(3)) return src;
    dims_t dims(src);
    const int64_t kept = input_.between(0, 31);
    for (size_t d = 0; d < dims.size(); ++d)
        if (!(kept >> d & 1)) dims[d] = 1;
    if (input_.one_in(4)) dims.erase(dims.begin());
    return dims;
}

dnnl_data_type_t operations_t::type_of(
        const graph::op_t &sample, size_t position, dnnl_data_type_t type) {
    if (is_wild_ && input_.one_in(32)) return input_.pick(all_types());
    if (!has_free_types(sample.kind) || type != dnnl_f32) return type;
    const bool is_parameter = (is_row_norm(sample.kind) || is_channel_norm(sample.kind))
                              && position > 0 && input_.one_in(2);
    return is_parameter ? dnnl_f32 : type_;
}

graph::attr_value_t operations_t::read_value(
        dnnl_graph_op_attr_t name, const graph::attr_value_t &usual, const dims_t &src) {
    const auto ndims = static_cast<int64_t>(src.size());
    const auto axis = [&] { return ndims == 0 ? 0 : input_.between(-ndims, ndims - 1); };
    if (!input_.one_in(2)) return usual;
    is_changed_ = true;
    switch (name) {
    case dnnl_graph_op_attr_axis:
    case dnnl_graph_op_attr_begin_norm_axis: return axis();
    case dnnl_graph_op_attr_axes: {
        list_t axes;
        for (auto left = input_.between(0, 3); left > 0; --left) axes.push_back(axis());
        return axes;
    }
    case dnnl_graph_op_attr_order: {
        const auto order = read_permutation(input_, static_cast<int>(ndims));
        return list_t(order.begin(), order.end());
    }
    case dnnl_graph_op_attr_shape: {
        list_t shape(src.rbegin(), src.rend());
        if (!shape.empty() && input_.one_in(2)) shape[input_.below(shape.size())] = -1;
        if (input_.one_in(4)) shape.push_back(1);
        return shape;
    }
    case dnnl_graph_op_attr_groups: return input_.between(1, 4);
    case dnnl_graph_op_attr_data_format: return std::string(input_.one_in(2) ? "NCX" : "NXC");
    case dnnl_graph_op_attr_qtype:
        return std::string(input_.pick({"per_channel", "per_tensor", "per_group"}));
    case dnnl_graph_op_attr_scales: {
        std::vector<float> scales;
        const int64_t count = ndims > 0 && input_.one_in(2) ? src[input_.below(src.size())] : 1;
        for (int64_t i = 0; i < std::min<int64_t>(count, 64); ++i) scales.push_back(0.5f);
        return scales;
    }
    default: break;
    }
    if (std::holds_alternative<bool>(usual)) return input_.one_in(2);
    if (std::holds_alternative<float>(usual)) return input_.number();
    is_changed_ = false;
    return usual;
}

void operations_t::set(
        dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const graph::attr_value_t &value) {
    struct setter_t {
        dnnl_graph_op_t op;
        dnnl_graph_op_attr_t name;
        dnnl_status_t operator()(float number) const {
            return dnnl_graph_op_set_attr_f32(op, name, &number, 1);
        }
        dnnl_status_t operator()(const std::vector<float> &list) const {
            const float none = 0;
            return dnnl_graph_op_set_attr_f32(
                    op, name, list.empty() ? &none : list.data(), list.size());
        }
        dnnl_status_t operator()(int64_t number) const {
            return dnnl_graph_op_set_attr_s64(op, name, &number, 1);
        }
        dnnl_status_t operator()(const list_t &list) const {
            const int64_t none = 0;
            return dnnl_graph_op_set_attr_s64(
                    op, name, list.empty() ? &none : list.data(), list.size());
        }
        dnnl_status_t operator()(bool flag) const {
            const uint8_t byte = flag;
            return dnnl_graph_op_set_attr_bool(op, name, &byte, 1);
        }
        dnnl_status_t operator()(const std::string &text) const {
            return dnnl_graph_op_set_attr_str(op, name, text.c_str(), 1);
        }
    };
    succeeded(std::visit(setter_t{op, name}, value), "op_set_attr_*", verdict_t::success);
}

void operations_t::set_attributes(
        dnnl_graph_op_t op, const attributes_t &attributes, const dims_t &src) {
    for (const auto &[name, value] : attributes) {
        if (is_wild_ && input_.one_in(32)) continue;
        set(op, name, read_value(name, value, src));
    }
    if (!is_wild_ || !input_.one_in(16)) return;
    const auto name = static_cast<dnnl_graph_op_attr_t>(input_.between(0, 60));
    const graph::attr_value_t values[] = {input_.number(), input_.any_s64(), input_.one_in(2),
            input_.text(8), list_t(input_.below(5), input_.any_s64()),
            std::vector<float>(input_.below(5), input_.number())};
    set(op, name, values[input_.below(std::size(values))]);
}

op_handle_t operations_t::read(size_t id, verdict_t &verdict) {
    const graph::op_t &sample = read_sample();
    is_changed_ = false;
    verdict = is_wild_ ? verdict_t::unknown : verdict_t::success;
    op_handle_t op;
    succeeded(dnnl_graph_op_create(op.out(), id, sample.kind, input_.one_in(2) ? "op" : ""),
            "op_create", verdict_t::success);
    dims_t src;
    bool is_simple = is_unary(sample.kind) || is_binary(sample.kind);
    const auto add = [&](const value_t &value, bool is_input) {
        logical_tensor_t lt = value.declared;
        const bool is_damaged = is_wild_ && input_.one_in(16);
        if (is_damaged) damage(input_, lt);
        const auto call = is_input ? dnnl_graph_op_add_input : dnnl_graph_op_add_output;
        succeeded(
                call(op, &lt), "op_add_*put", is_damaged ? verdict_t::unknown : verdict_t::success);
    };
    for (size_t i = 0; i < sample.inputs.size(); ++i) {
        const auto type = type_of(sample, i, sample.inputs[i].data_type);
        const value_t &value = i == 0 ? values_.source(type)
                                      : values_.operand(type, operand_dims(sample.kind, i, src));
        if (i == 0) src = value.dims;
        is_simple &= value.dims == src;
        add(value, true);
    }
    const bool keeps_shape = is_unary(sample.kind) || is_binary(sample.kind)
                             || is_row_norm(sample.kind) || is_channel_norm(sample.kind)
                             || is_conversion(sample.kind) || is_softmax(sample.kind)
                             || sample.kind == dnnl_graph_op_matmul;
    for (size_t i = 0; i < sample.outputs.size(); ++i) {
        const auto type = type_of(sample, i, sample.outputs[i].data_type);
        add(values_.result(type, keeps_shape && i == 0 ? &src : nullptr), false);
    }
    set_attributes(op, sample.attributes, src);
    are_simple_ &= is_simple && !is_changed_ && !is_wild_;
    // Types of parameters and attributes that changed may contradict others.
    if (is_changed_ || is_row_norm(sample.kind) || is_channel_norm(sample.kind)
            || (type_ != dnnl_f32 && !is_unary(sample.kind)))
        verdict = verdict_t::unknown;
    // Axes of samples need not be those of the shape.
    if (!is_unary(sample.kind) && !is_binary(sample.kind)) verdict = verdict_t::unknown;
    return op;
}

} // namespace kiln::fuzz
