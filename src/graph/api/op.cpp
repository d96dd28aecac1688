// SPDX-License-Identifier: Apache-2.0
// C entry points of operations. They only record what the program sets; an operation is checked
// when it is added to a graph.
#include "graph/api/require.hpp"
#include "graph/op/names.hpp"
#include "graph/schema/schema.hpp"

using namespace kiln;
using namespace kiln::graph;

namespace {

/// Sets an attribute; without memory for it, the operation stays as it is.
status_t set(op_t *op, op_attr_t name, attr_value_t value) {
    op->attributes.insert_or_assign(name, std::move(value));
    return dnnl_success;
}

/// Sets a number or, if the attribute's type is not `single`, a list of numbers. Programs pass any
/// count with a single number. A value of a wrong type is stored, and refused with the operation.
template <typename T>
status_t set_numbers(op_t *op, op_attr_t name, const T *values, size_t count, attr_type_t single) {
    KILN_REQUIRE_POINTERS(op);
    return guarded([&]() -> status_t {
        const bool is_list = type_of(name) != single;
        if (count != 0 || !is_list) KILN_REQUIRE_POINTERS(values);
        std::vector<T> list;
        KILN_REQUIRE(count <= list.max_size(), dnnl_invalid_arguments, "graph",
                "value_len is %zu; no array has so many elements", count);
        if (!is_list) return set(op, name, *values);
        list.assign(values, values + count);
        return set(op, name, std::move(list));
    });
}

status_t append(std::vector<logical_tensor_t> &list, const logical_tensor_t &tensor) {
    KILN_TRY(check(tensor));
    return guarded([&] {
        list.push_back(tensor);
        return dnnl_success;
    });
}

} // namespace

status_t dnnl_graph_op_create(op_t **op, size_t id, op_kind_t kind, const char *verbose_name) {
    KILN_REQUIRE_POINTERS(op, verbose_name);
    return guarded([&]() -> status_t {
        const char *const kind_name = name_of(kind);
        KILN_REQUIRE(kind_name != nullptr, dnnl_invalid_arguments, "graph",
                "unknown kind of operation %d", static_cast<int>(kind));
        const std::string name = verbose_name;
        *op = new op_t{
                id, kind, name.empty() ? kind_name + ("_" + std::to_string(id)) : name, {}, {}, {}};
        return dnnl_success;
    });
}

status_t dnnl_graph_op_destroy(op_t *op) {
    delete op;
    return dnnl_success;
}

status_t dnnl_graph_op_add_input(op_t *op, const logical_tensor_t *input) {
    KILN_REQUIRE_POINTERS(op, input);
    return append(op->inputs, *input);
}

status_t dnnl_graph_op_add_output(op_t *op, const logical_tensor_t *output) {
    KILN_REQUIRE_POINTERS(op, output);
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
    KILN_REQUIRE_POINTERS(op, value);
    KILN_REQUIRE(value_len == 1, dnnl_invalid_arguments, "graph",
            "value_len of a boolean attribute is %zu, not 1", value_len);
    return guarded([&] { return set(op, name, *value != 0); });
}

status_t dnnl_graph_op_set_attr_str(op_t *op, op_attr_t name, const char *value, size_t value_len) {
    KILN_REQUIRE_POINTERS(op, value);
    // Some programs pass the number of characters, others the number of strings, which is 1.
    KILN_REQUIRE(value_len > 0, dnnl_invalid_arguments, "graph",
            "value_len of a string attribute is 0, not 1 or more");
    return guarded([&] { return set(op, name, std::string(value)); });
}

status_t dnnl_graph_op_get_id(const op_t *op, size_t *id) {
    KILN_REQUIRE_POINTERS(op, id);
    *id = op->id;
    return dnnl_success;
}

status_t dnnl_graph_op_get_kind(const op_t *op, op_kind_t *kind) {
    KILN_REQUIRE_POINTERS(op, kind);
    *kind = op->kind;
    return dnnl_success;
}
