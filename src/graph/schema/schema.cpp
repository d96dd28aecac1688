// SPDX-License-Identifier: Apache-2.0
// Comparing an operation with its schema.
#include "graph/schema/schema.hpp"

#include <algorithm>

#include "common/verbose/verbose.hpp"
#include "oneapi/dnnl/dnnl_debug.h"

namespace kiln::graph {

const char *name_of(op_kind_t kind) {
    const schema_t *schema = find_schema(kind);
    return schema ? schema->name : nullptr;
}

std::optional<op_kind_t> op_kind_of(std::string_view name) {
    for (const schema_t &schema : schemas())
        if (name == schema.name) return schema.kind;
    return std::nullopt;
}

namespace {

#define REQUIRE(condition, ...) KILN_REQUIRE(condition, dnnl_invalid_graph_op, "graph", __VA_ARGS__)

// ---- numbers of inputs and outputs

bool is_allowed(size_t count, const std::vector<size_t> &counts, size_t all, size_t most) {
    if (most != 0) return count >= (counts.empty() ? 0 : counts[0]) && count <= most;
    return counts.empty() ? count == all : std::ranges::count(counts, count) != 0;
}

status_t check_counts(const op_t &op, const schema_t &schema) {
    REQUIRE(is_allowed(op.inputs.size(), schema.input_counts, schema.inputs.size(),
                    schema.most_inputs),
            "%s does not have %zu inputs", schema.name, op.inputs.size());
    REQUIRE(is_allowed(op.outputs.size(), schema.output_counts, schema.outputs.size(),
                    schema.most_outputs),
            "%s does not have %zu outputs", schema.name, op.outputs.size());
    return dnnl_success;
}

// ---- data types

/// What each group of types may still be: the first parameter of a group settles it.
using groups_t = std::array<type_set_t, type_group_count>;

std::string to_string(type_set_t set) {
    std::string text;
    for (int type = 0; type < 32; ++type)
        if (set >> type & 1) text += std::string(" ") + dnnl_dt2str(static_cast<data_type_t>(type));
    return text;
}

status_t check_types(const schema_t &schema, const std::vector<logical_tensor_t> &tensors,
        const std::vector<parameter_t> &parameters, groups_t &groups) {
    for (size_t i = 0; i < tensors.size(); ++i) {
        const parameter_t &parameter = parameters[std::min(i, parameters.size() - 1)];
        type_set_t &allowed = groups[parameter.types];
        if (allowed == 0) continue; // whatever it is
        const data_type_t type = tensors[i].data_type;
        if (is_absent(tensors[i]) && parameter.presence == presence_t::may_be_absent) continue;
        REQUIRE(contains(allowed, type), "%s's %s is %s, which is none of%s", schema.name,
                parameter.name, dnnl_dt2str(type), to_string(allowed).c_str());
        allowed = type_set({type});
    }
    return dnnl_success;
}

status_t check_presence(const op_t &op, const schema_t &schema) {
    REQUIRE(op.outputs.empty() || op.kind == dnnl_graph_op_wildcard
                    || !std::ranges::all_of(op.outputs, is_absent),
            "%s has no output that is wanted", schema.name);
    return dnnl_success;
}

// ---- attributes

bool is_at_least(const attr_value_t &value, double lowest) {
    const auto fits = [lowest](auto number) { return static_cast<double>(number) >= lowest; };
    // With a bound, NaN does not fit; without one everything does.
    if (lowest == -std::numeric_limits<double>::infinity()) return true;
    switch (type_of(value)) {
    case attr_type_t::f32: return fits(std::get<float>(value));
    case attr_type_t::f32_list: return std::ranges::all_of(std::get<1>(value), fits);
    case attr_type_t::s64: return fits(std::get<int64_t>(value));
    case attr_type_t::s64_list: return std::ranges::all_of(std::get<3>(value), fits);
    default: return true;
    }
}

bool is_allowed(const attr_value_t &value, const std::vector<const char *> &allowed) {
    return allowed.empty() || std::ranges::any_of(allowed, [&](const char *name) {
        return std::get<std::string>(value) == name;
    });
}

status_t check_value(
        const schema_t &schema, const attribute_t &attribute, const attr_value_t &value) {
    const char *name = name_of(attribute.name);
    REQUIRE(type_of(value) == type_of(attribute.name), "%s's attribute %s is of type %s, not %s",
            schema.name, name, name_of(type_of(attribute.name)), name_of(type_of(value)));
    REQUIRE(is_at_least(value, attribute.lowest), "%s's attribute %s is less than %g", schema.name,
            name, attribute.lowest);
    REQUIRE(is_allowed(value, attribute.allowed), "%s's attribute %s cannot be %s", schema.name,
            name, std::get<std::string>(value).c_str());
    return dnnl_success;
}

status_t check_attributes(const op_t &op, const schema_t &schema) {
    for (const attribute_t &attribute : schema.attributes)
        REQUIRE(!attribute.is_required || op.attributes.count(attribute.name) != 0,
                "%s lacks its attribute %s", schema.name, name_of(attribute.name));
    for (const auto &[name, value] : op.attributes) {
        const auto known = std::ranges::find(schema.attributes, name, &attribute_t::name);
        // What a wildcard's attributes mean only the program knows.
        if (known == schema.attributes.end() && op.kind == dnnl_graph_op_wildcard) continue;
        REQUIRE(known != schema.attributes.end(), "%s has no attribute %s (0x%x)", schema.name,
                name_of(name) ? name_of(name) : "of this number", static_cast<unsigned>(name));
        KILN_TRY(check_value(schema, *known, value));
    }
    return dnnl_success;
}

} // namespace

status_t check_op(const op_t &op) {
    const schema_t *schema = find_schema(op.kind);
    REQUIRE(schema != nullptr, "%d is no operation", static_cast<int>(op.kind));
    KILN_TRY(check_counts(op, *schema));
    groups_t groups = schema->types;
    KILN_TRY(check_types(*schema, op.inputs, schema->inputs, groups));
    KILN_TRY(check_types(*schema, op.outputs, schema->outputs, groups));
    KILN_TRY(check_presence(op, *schema));
    KILN_TRY(check_attributes(op, *schema));
    for (op_check_t check : schema->checks) KILN_TRY(check(op));
    return dnnl_success;
}

void fill_default_attributes(op_t &op) {
    const schema_t *schema = find_schema(op.kind);
    if (schema == nullptr) return;
    for (const attribute_t &attribute : schema->attributes)
        if (attribute.default_value)
            op.attributes.try_emplace(attribute.name, *attribute.default_value);
}

namespace {

int position_of(const std::vector<parameter_t> &parameters, size_t count, std::string_view name) {
    for (size_t i = 0; i < std::min(count, parameters.size()); ++i)
        if (name == parameters[i].name) return static_cast<int>(i);
    return -1;
}

/// Four inputs of LayerNormBackward are two pairs: the data, and statistics or affine parameters.
bool has_no_statistics(const op_t &op) {
    return op.kind == dnnl_graph_op_layer_norm_backward && op.inputs.size() == 4
           && op.attr<bool>(dnnl_graph_op_attr_use_affine);
}

} // namespace

int find_input(const op_t &op, std::string_view name) {
    const int position = position_of(find_schema(op.kind)->inputs, SIZE_MAX, name);
    constexpr int first_statistic = 2;
    const int shift = has_no_statistics(op) && position >= first_statistic ? 2 : 0;
    if (position < 0 || position - shift >= static_cast<int>(op.inputs.size())) return -1;
    if (shift != 0 && position - shift < first_statistic) return -1;
    const bool is_affine = name == "gamma" || name == "beta";
    if (is_affine && op.has_attr(dnnl_graph_op_attr_use_affine)
            && !op.attr<bool>(dnnl_graph_op_attr_use_affine))
        return -1;
    return position - shift;
}

int find_output(const op_t &op, std::string_view name) {
    const int position = position_of(find_schema(op.kind)->outputs, op.outputs.size(), name);
    return position >= 0 && !is_absent(op.outputs[position]) ? position : -1;
}

} // namespace kiln::graph
