// SPDX-License-Identifier: Apache-2.0
#include "graph/dump/json.hpp"

#include <charconv>
#include <cmath>
#include <ostream>

#include <nlohmann/json.hpp>

#include "graph/op/names.hpp"
#include "graph/schema/schema.hpp"
#include "oneapi/dnnl/dnnl_debug.h"

namespace kiln::graph {

namespace {

using json_t = nlohmann::ordered_json; // keys in the order of writing

/// The shortest decimal number that reads back as the same float; a string for infinities and NaN,
/// which JSON numbers cannot express.
json_t number(float value) {
    if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    char text[32];
    const auto [end, status] = std::to_chars(text, text + sizeof text, value);
    double shortest = 0;
    std::from_chars(text, end, shortest);
    return shortest;
}
json_t number(int64_t value) { return value; }
json_t number(bool value) { return value ? 1 : 0; }
json_t number(const std::string &value) { return value; }
template <typename T> json_t number(const std::vector<T> &values) {
    json_t list = json_t::array();
    for (T value : values) list.push_back(number(value));
    return list;
}

json_t describe(const attr_value_t &value) {
    return {{"type", name_of(type_of(value))},
            {"value", std::visit([](const auto &v) { return number(v); }, value)}};
}

json_t describe(const logical_tensor_t &lt) {
    const shape_t unknown = {unknown_dim};
    const shape_t strides = has_known_strides(lt)
                                    ? shape_t(lt.layout.strides, lt.layout.strides + lt.ndims)
                                    : unknown;
    return {{"id", lt.id}, {"dtype", dnnl_dt2str(lt.data_type)},
            {"shape", has_known_shape(lt) ? shape_of(lt) : unknown}, {"stride", strides},
            {"layout_type", name_of(lt.layout_type)}, {"property_type", name_of(lt.property)}};
}

json_t describe(const std::vector<logical_tensor_t> &tensors) {
    json_t list = json_t::array();
    for (const logical_tensor_t &tensor : tensors) list.push_back(describe(tensor));
    return list;
}

json_t describe(const op_t &op) {
    json_t attributes = json_t::object();
    for (const auto &[attr, value] : op.attributes) {
        const char *name =
                name_of(attr); // null for an attribute of a Wildcard that only the program knows
        attributes[name ? name : std::to_string(attr)] = describe(value);
    }
    return {{"id", op.id}, {"name", op.name}, {"kind", name_of(op.kind)},
            {"attrs", std::move(attributes)}, {"inputs", describe(op.inputs)},
            {"outputs", describe(op.outputs)}};
}

json_t describe_ops(const graph_view_t &graph) {
    json_t list = json_t::array();
    for (size_t i = 0; i < graph.ops.size(); ++i) {
        json_t op = describe(graph.ops[i]);
        if (!graph.partition_ids.empty()) {
            op["attrs"]["partition_id"] = describe(std::to_string(graph.partition_ids[i]));
            op["attrs"]["backend"] = describe(std::string("kiln"));
        }
        list.push_back(std::move(op));
    }
    return list;
}

} // namespace

void write_json(std::ostream &stream, const graph_view_t &graph) {
    const dnnl_version_t *version = dnnl_version();
    const json_t text = {
            {"version", std::to_string(version->major) + '.' + std::to_string(version->minor) + '.'
                                + std::to_string(version->patch)},
            {"engine_kind", dnnl_engine_kind2str(graph.engine_kind)},
            {"fpmath_mode", dnnl_fpmath_mode2str(graph.fpmath_mode)},
            {"fpmath_mode_apply_to_int", graph.applies_fpmath_to_int ? "true" : "false"},
            {"input_ports", graph.input_ports}, {"output_ports", graph.output_ports},
            {"graph", describe_ops(graph)}};
    // Names come from the program and may be invalid UTF-8.
    stream << text.dump(2, ' ', false, json_t::error_handler_t::replace) << '\n';
}

} // namespace kiln::graph
