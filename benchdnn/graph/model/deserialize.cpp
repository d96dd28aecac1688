// SPDX-License-Identifier: Apache-2.0
// Reads graphs from JSON files.
#include "graph/model/deserialize.hpp"

#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "common/command_line/usage_error.hpp"
#include "common/tensor/data_type.hpp"

namespace benchdnn::graph {

namespace {

using json_t = nlohmann::json;

bool flag_of(const json_t &value) {
    return value.is_boolean() ? value.get<bool>() : value.get<int64_t>() != 0;
}

// {"type": "s64[]", "value": [2, 3]}
attribute_t attribute_of(const json_t &json) {
    const std::string type = json.at("type");
    const json_t &value = json.at("value");
    if (type == "bool") return flag_of(value);
    if (type == "s64") return value.get<int64_t>();
    if (type == "f32") return value.get<double>();
    if (type == "string") return value.get<std::string>();
    if (type == "s64[]") return value.get<std::vector<int64_t>>();
    if (type == "f32[]") return value.get<std::vector<double>>();
    throw bad_value_t(type, "attributes are bool, s64, f32, string, s64[] or f32[]");
}

dnnl_graph_tensor_property_t property_of(const std::string &name) {
    if (name == "constant") return dnnl_graph_tensor_property_constant;
    if (name == "variable") return dnnl_graph_tensor_property_variable;
    if (name == "host_scalar") return dnnl_graph_tensor_property_host_scalar;
    return dnnl_graph_tensor_property_undef;
}

// Tensors without a layout, or with layout any, are dense.
logical_tensor_t tensor_of(const json_t &json) {
    logical_tensor_t tensor;
    tensor.id = json.at("id");
    tensor.type = parse_data_type(json.at("dtype"));
    tensor.dims = json.value("shape", dims_t());
    tensor.property = property_of(json.value("property_type", "undef"));
    if (json.value("layout_type", "") == "strided") tensor.strides = json.value("stride", dims_t());
    if (tensor.strides.size() != tensor.dims.size()) tensor.strides = dense_strides(tensor.dims);
    return tensor;
}

// The description of a tensor at its producer counts; others repeat it.
std::vector<size_t> add_tensors(graph_t &graph, const json_t &list, bool are_produced) {
    std::vector<size_t> ids;
    for (const json_t &json : list) {
        const logical_tensor_t tensor = tensor_of(json);
        ids.push_back(tensor.id);
        if (are_produced)
            graph.tensors[tensor.id] = tensor;
        else
            graph.tensors.emplace(tensor.id, tensor);
    }
    return ids;
}

op_t op_of(graph_t &graph, const json_t &json) {
    op_t op;
    op.id = json.at("id");
    op.name = json.value("name", "");
    op.kind = json.at("kind");
    const json_t attributes = json.value("attrs", json_t::object());
    // A dump of partitions adds these two, which are no attributes of the operation.
    for (const auto &[name, value] : attributes.items())
        if (name != "partition_id" && name != "backend")
            op.attributes.emplace(name, attribute_of(value));
    op.inputs = add_tensors(graph, json.at("inputs"), false);
    op.outputs = add_tensors(graph, json.at("outputs"), true);
    return op;
}

} // namespace

graph_t parse_graph(const std::string &text) {
    try {
        const json_t json = json_t::parse(text);
        graph_t graph;
        graph.fpmath_mode = json.value("fpmath_mode", graph.fpmath_mode);
        if (json.contains("fpmath_mode_apply_to_int"))
            graph.fpmath_for_integers = json["fpmath_mode_apply_to_int"].is_string()
                                                ? json["fpmath_mode_apply_to_int"] == "true"
                                                : flag_of(json["fpmath_mode_apply_to_int"]);
        for (const json_t &op : json.at("graph")) graph.ops.push_back(op_of(graph, op));
        graph.sort_ops();
        return graph;
    } catch (const json_t::exception &error) {
        throw bad_value_t("graph", error.what());
    }
}

graph_t read_graph(const std::string &path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return parse_graph(text.str());
}

} // namespace benchdnn::graph
