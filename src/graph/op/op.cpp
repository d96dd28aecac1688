// SPDX-License-Identifier: Apache-2.0
// The C functions of operations: they take down what the program says; adding the operation to a
// graph checks it.
#include "graph/op/op.hpp"

#include <memory>

#include "common/verbose/verbose.hpp"
#include "graph/schema/schema.hpp"

using namespace kiln;
using namespace kiln::graph;

const attr_value_t *dnnl_graph_op::find_attr(dnnl_graph_op_attr_t attr_name) const {
    if (const auto found = attributes.find(attr_name); found != attributes.end())
        return &found->second;
    const schema_t *schema = find_schema(kind);
    if (schema == nullptr) return nullptr;
    for (const attribute_t &attribute : schema->attributes)
        if (attribute.name == attr_name && attribute.default_value)
            return &*attribute.default_value;
    return nullptr;
}

namespace {

#define REQUIRE_POINTERS(...)                                                                      \
    KILN_REQUIRE(all_given(__VA_ARGS__), dnnl_invalid_arguments, "graph", "a null pointer")

template <typename... pointers_t> bool all_given(const pointers_t *...pointers) {
    return ((pointers != nullptr) && ...);
}

/// Sets a number or, where the attribute is none, a list of them. A list under the name of another
/// type is taken as it is, and refused with the operation. Programs pass any count with a number.
template <typename T>
status_t set_numbers(op_t *op, op_attr_t name, const T *values, size_t count, attr_type_t single) {
    REQUIRE_POINTERS(op, values);
    return guarded([&] {
        if (type_of(name) == single)
            op->attributes[name] = *values;
        else
            op->attributes[name] = std::vector<T>(values, values + count);
        return dnnl_success;
    });
}

status_t append(std::vector<logical_tensor_t> &list, const logical_tensor_t &tensor) {
    return guarded([&] {
        list.push_back(tensor);
        return dnnl_success;
    });
}

} // namespace

status_t dnnl_graph_op_create(op_t **op, size_t id, op_kind_t kind, const char *verbose_name) {
    REQUIRE_POINTERS(op, verbose_name);
    const char *kind_name = name_of(kind);
    KILN_REQUIRE(kind_name != nullptr, dnnl_invalid_arguments, "graph", "%d is no operation",
            static_cast<int>(kind));
    return guarded([&] {
        auto created = std::make_unique<op_t>();
        created->id = id;
        created->kind = kind;
        created->name = verbose_name;
        if (created->name.empty()) created->name = kind_name + ("_" + std::to_string(id));
        *op = created.release();
        return dnnl_success;
    });
}

status_t dnnl_graph_op_destroy(op_t *op) {
    delete op;
    return dnnl_success;
}

status_t dnnl_graph_op_add_input(op_t *op, const logical_tensor_t *input) {
    REQUIRE_POINTERS(op, input);
    return append(op->inputs, *input);
}

status_t dnnl_graph_op_add_output(op_t *op, const logical_tensor_t *output) {
    REQUIRE_POINTERS(op, output);
    return append(op->outputs, *output);
}

status_t dnnl_graph_op_set_attr_f32(
        op_t *op, op_attr_t name, const float *value, size_t value_len) {
    return set_numbers(op, name, value, value_len, attr_type_t::f32);
}

status_t dnnl_graph_op_set_attr_s64(
        op_t *op, op_attr_t name, const int64_t *value, size_t value_len) {
    return set_numbers(op, name, value, value_len, attr_type_t::s64);
}

status_t dnnl_graph_op_set_attr_bool(
        op_t *op, op_attr_t name, const uint8_t *value, size_t value_len) {
    REQUIRE_POINTERS(op, value);
    KILN_REQUIRE(value_len == 1, dnnl_invalid_arguments, "graph",
            "an attribute of %zu bools: there is one", value_len);
    return guarded([&] {
        op->attributes[name] = *value != 0;
        return dnnl_success;
    });
}

status_t dnnl_graph_op_set_attr_str(op_t *op, op_attr_t name, const char *value, size_t value_len) {
    REQUIRE_POINTERS(op, value);
    KILN_REQUIRE(value_len > 0, dnnl_invalid_arguments, "graph", "an attribute of no string");
    return guarded([&] {
        // Some programs count characters, others strings: 1.
        op->attributes[name] = std::string(value);
        return dnnl_success;
    });
}

status_t dnnl_graph_op_get_id(const op_t *op, size_t *id) {
    REQUIRE_POINTERS(op, id);
    *id = op->id;
    return dnnl_success;
}

status_t dnnl_graph_op_get_kind(const op_t *op, op_kind_t *kind) {
    REQUIRE_POINTERS(op, kind);
    *kind = op->kind;
    return dnnl_success;
}
