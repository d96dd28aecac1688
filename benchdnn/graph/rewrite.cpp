// SPDX-License-Identifier: Apache-2.0
// Changes of a graph by the knobs.
#include "graph/rewrite.hpp"

#include <algorithm>
#include <set>

#include "common/command_line/text.hpp"
#include "common/command_line/usage_error.hpp"
#include "common/tensor/data_type.hpp"
#include "graph/operations.hpp"

namespace benchdnn::graph {

namespace {

logical_tensor_t &tensor_to_change(graph_t &graph, size_t id) {
    const auto found = graph.tensors.find(id);
    if (found == graph.tensors.end())
        throw bad_value_t(std::to_string(id), "the graph has no such tensor");
    return found->second;
}

op_t &op_to_change(graph_t &graph, size_t id) {
    for (op_t &op : graph.ops)
        if (op.id == id) return op;
    throw bad_value_t(std::to_string(id), "the graph has no such operation");
}

// "acdb": the axes in memory order, outermost first.
dims_t strides_of_letters(const std::string &letters, const dims_t &dims) {
    std::string sorted = letters;
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 0; i < sorted.size(); ++i)
        if (sorted.size() != dims.size() || sorted[i] != static_cast<char>('a' + i))
            throw bad_value_t(letters, "a letter is needed for each of the tensor's axes");
    dims_t strides(dims.size());
    dim_t stride = 1;
    for (size_t i = letters.size(); i-- > 0;) {
        const size_t axis = static_cast<size_t>(letters[i] - 'a');
        strides[axis] = stride;
        stride *= std::max<dim_t>(dims[axis], 1);
    }
    return strides;
}

// SHAPE, SHAPE*STRIDES or *STRIDES; the shape - is that of a scalar.
void change_shape(logical_tensor_t &tensor, const std::string &value) {
    const std::vector<std::string> parts = split(value, '*');
    if (parts.size() > 2) throw bad_value_t(value, "SHAPE, SHAPE*STRIDES or *STRIDES is expected");
    if (!parts[0].empty()) {
        tensor.dims = parts[0] == "-" ? dims_t() : parse_dims(parts[0]);
        tensor.strides = dense_strides(tensor.dims);
    }
    if (parts.size() == 1) return;
    const bool has_letters = !parts[1].empty() && parts[1][0] >= 'a' && parts[1][0] <= 'z';
    tensor.strides = has_letters ? strides_of_letters(parts[1], tensor.dims) : parse_dims(parts[1]);
    if (tensor.strides.size() != tensor.dims.size())
        throw bad_value_t(parts[1], "a stride is needed for each of the tensor's axes");
}

// The enumerators of one type are consecutive.
attribute_t parse_attribute(const std::string &name, const std::string &value) {
    const dnnl_graph_op_attr_t which = attribute_enumerator(name);
    if (which >= dnnl_graph_op_attr_auto_broadcast) return value;
    if (which >= dnnl_graph_op_attr_exclude_pad) return parse_bool(value);
    if (which >= dnnl_graph_op_attr_axes) {
        constexpr numbers_t exact_integers{-0x1p53, 0x1p53};
        // Fractions are truncated, as in oneDNN's driver, whose batch files have some.
        std::vector<int64_t> list;
        for (const std::string &piece : split(value, 'x'))
            list.push_back(static_cast<int64_t>(parse_number(piece, exact_integers)));
        return list;
    }
    if (which >= dnnl_graph_op_attr_axis) return parse_number(value, all_integers);
    if (which < dnnl_graph_op_attr_scales) return parse_number(value);
    std::vector<double> list;
    for (const std::string &piece : split(value, 'x')) list.push_back(parse_number(piece));
    return list;
}

// NAME:VALUE*NAME:VALUE
void change_attributes(op_t &op, const std::string &text) {
    for (const std::string &piece : split(text, '*')) {
        const size_t colon = piece.find(':');
        if (colon == std::string::npos) throw bad_value_t(piece, "NAME:VALUE is expected");
        const std::string name = piece.substr(0, colon);
        op.attributes[name] = parse_attribute(name, piece.substr(colon + 1));
    }
}

dnnl_graph_tensor_property_t parse_property(const std::string &name) {
    if (name == "undef") return dnnl_graph_tensor_property_undef;
    if (name == "variable") return dnnl_graph_tensor_property_variable;
    if (name == "constant") return dnnl_graph_tensor_property_constant;
    if (name == "host_scalar") return dnnl_graph_tensor_property_host_scalar;
    throw bad_value_t(name, "not a property", {"undef", "variable", "constant", "host_scalar"});
}

bool is_parameter(role_t role) {
    return role == role_t::scale || role == role_t::shift || role == role_t::mean
           || role == role_t::variance;
}

// Whether the tensor is used only as weights or statistics of normalizations, which keep their
// type.
bool is_parameter(const graph_t &graph, size_t id) {
    bool is_one = false;
    for (const place_t &place : graph.consumers(id)) {
        if (!is_parameter(role_of(*place.op, place.port))) return false;
        is_one = true;
    }
    const op_t *producer = graph.producer(id);
    if (!producer) return is_one;
    const operation_t *operation = find_operation(producer->kind);
    const bool has_weights =
            operation && operation->roles.size() > 1 && is_parameter(operation->roles.back());
    return has_weights && producer->outputs[0] != id;
}

void change_types(graph_t &graph, dnnl_data_type_t type) {
    std::vector<size_t> ids;
    for (const auto &[id, tensor] : graph.tensors)
        if (tensor.type == dnnl_f32 && !is_parameter(graph, id)) ids.push_back(id);
    for (const size_t id : ids) graph.tensors[id].type = type;
}

// Inputs whose first axis counts images, as that of the operation's first input does.
void change_images(graph_t &graph, dim_t images) {
    std::set<size_t> ids;
    for (const op_t &op : graph.ops)
        for (size_t port = 0; port < op.inputs.size(); ++port) {
            const logical_tensor_t &first = graph.tensor(op.inputs[0]);
            const logical_tensor_t &tensor = graph.tensor(op.inputs[port]);
            const bool is_alike =
                    !is_parameter(role_of(op, port)) && tensor.dims.size() == first.dims.size();
            const bool is_row_statistic = op.kind == "LayerNormBackward" && tensor.dims.size() > 0
                                          && is_parameter(role_of(op, port)) && port < 4
                                          && !lacks_statistics(op);
            const bool has_images = tensor.dims.size() > 0 && tensor.dims[0] == first.dims[0];
            if (has_images && graph.is_input(tensor.id) && (is_alike || is_row_statistic))
                ids.insert(tensor.id);
        }
    for (const size_t id : ids) {
        logical_tensor_t &tensor = graph.tensors.at(id);
        dims_t dims = tensor.dims;
        dims[0] = images;
        tensor.reshape(dims);
    }
}

// Elementwise operations and reductions, which keep their tensors, may be replaced by one of the
// same family: one with the same function of the reference.
bool can_become(const std::string &kind, const operation_t &other) {
    const operation_t *operation = find_operation(kind);
    if (!operation) return false;
    const bool is_elementwise = operation->compute == compute_eltwise
                                || operation->compute == compute_binary
                                || operation->compute == compute_eltwise_backward;
    return (is_elementwise || operation->compute == compute_reduction)
           && operation->compute == other.compute;
}

void change_kind(op_t &op, const std::string &kind) {
    if (!can_become(op.kind, operation_of(kind)))
        throw bad_value_t(kind, "it cannot take the place of " + op.kind);
    op.kind = kind;
}

} // namespace

by_id_t parse_by_id(const std::string &text) {
    by_id_t parsed{text, {}};
    if (text.empty()) return parsed;
    for (const std::string &piece : split(text, '+')) {
        const size_t colon = piece.find(':');
        if (colon == std::string::npos || colon + 1 == piece.size())
            throw bad_value_t(piece, "ID:VALUE is expected");
        // One of oneDNN's batch files has an id followed by a layout, which has no meaning there.
        const size_t end = std::min(colon, piece.find('*'));
        const auto id = static_cast<size_t>(parse_number(piece.substr(0, end), integers_from_0));
        if (!parsed.values.emplace(id, piece.substr(colon + 1)).second)
            throw bad_value_t(piece, "this ID has a value already");
    }
    return parsed;
}

types_t parse_types(const std::string &text) {
    if (text.empty() || text.find(':') != std::string::npos) return {parse_by_id(text)};
    const dnnl_data_type_t all = parse_data_type(text);
    return {{data_type_text(all), {}}, all};
}

void rewrite(graph_t &graph, const rewriting_t &rewriting) {
    for (const auto &[id, kind] : rewriting.kinds.values)
        change_kind(op_to_change(graph, id), kind);
    for (const auto &[id, text] : rewriting.attributes.values)
        change_attributes(op_to_change(graph, id), text);
    if (rewriting.types.all != dnnl_data_type_undef) change_types(graph, rewriting.types.all);
    for (const auto &[id, name] : rewriting.types.values)
        tensor_to_change(graph, id).type = parse_data_type(name);
    for (const auto &[id, name] : rewriting.properties.values)
        tensor_to_change(graph, id).property = parse_property(name);
    std::set<size_t> laid_out;
    // Other ids are ignored: oneDNN's batch files have some.
    for (const auto &[id, value] : rewriting.shapes.values) {
        if (graph.tensors.count(id) == 0 || !graph.is_input(id)) continue;
        change_shape(graph.tensors.at(id), value);
        laid_out.insert(id);
    }
    if (rewriting.images > 0) change_images(graph, rewriting.images);
    if (!rewriting.fpmath.empty()) {
        const std::vector<std::string> parts = split(rewriting.fpmath, ':');
        graph.fpmath_mode = parts[0];
        graph.fpmath_for_integers = parts.size() > 1 && parse_bool(parts[1]);
    }
    infer_shapes(graph, laid_out);
}

} // namespace benchdnn::graph
