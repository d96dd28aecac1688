// SPDX-License-Identifier: Apache-2.0
#include "graph/schema/schema.hpp"

#include <algorithm>
#include <cmath>

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

/// `all`: the length of the schema's list; `most`: of a variadic operation, else 0. `hint` ends the
/// reason of a refusal.
status_t check_count(const schema_t &schema, const char *what, size_t count,
        std::span<const size_t> allowed, size_t all, size_t most, const char *hint = "") {
    const size_t only = most == 0 ? all : 0;
    if (allowed.empty()) allowed = {&only, 1};
    if (most != 0) {
        const std::string range = std::to_string(allowed[0])
                                  + (most == SIZE_MAX ? " or more" : " to " + std::to_string(most));
        REQUIRE(count >= allowed[0] && count <= most, "%s has %zu %s, not %s", schema.name, count,
                what, range.c_str());
        return dnnl_success;
    }
    std::string list;
    for (const size_t number : allowed)
        list += (list.empty() ? "" : " or ") + std::to_string(number);
    REQUIRE(std::ranges::count(allowed, count) != 0, "%s has %zu %s, not %s%s", schema.name, count,
            what, list.c_str(), hint);
    return dnnl_success;
}

status_t check_counts(const op_t &op, const schema_t &schema) {
    KILN_TRY(check_count(schema, "inputs", op.inputs.size(), schema.input_counts,
            schema.inputs.size(), schema.most_inputs));
    const bool may_be_absent = std::ranges::any_of(schema.outputs,
            [](const parameter_t &output) { return output.presence == presence_t::may_be_absent; });
    return check_count(schema, "outputs", op.outputs.size(), schema.output_counts,
            schema.outputs.size(), schema.most_outputs,
            may_be_absent ? "; " KILN_UNWANTED_OUTPUT : "");
}

// ---- data types

/// The types that remain possible for each group: the first tensor of a group reduces its set to
/// one type.
using groups_t = std::array<type_set_t, type_group_count>;

std::string to_string(type_set_t set) {
    std::string text;
    for (int type = 0; type < 32; ++type)
        if (set >> type & 1)
            text += std::string(text.empty() ? "" : " or ")
                    + dnnl_dt2str(static_cast<data_type_t>(type));
    return text;
}

status_t check_types(const schema_t &schema, const std::vector<logical_tensor_t> &tensors,
        std::span<const parameter_t> parameters, groups_t &groups) {
    for (size_t i = 0; i < tensors.size(); ++i) {
        const parameter_t &parameter = parameters[std::min(i, parameters.size() - 1)];
        type_set_t &allowed = groups[parameter.types];
        if (allowed == 0) continue; // any type
        const data_type_t type = tensors[i].data_type;
        if (is_absent(tensors[i]) && parameter.presence == presence_t::may_be_absent) continue;
        REQUIRE(contains(allowed, type), "%s of %s is %s, not %s", parameter.name, schema.name,
                dnnl_dt2str(type), to_string(allowed).c_str());
        allowed = type_set({type});
    }
    return dnnl_success;
}

status_t check_presence(const op_t &op, const schema_t &schema) {
    REQUIRE(op.outputs.empty() || op.kind == dnnl_graph_op_wildcard
                    || !std::ranges::all_of(op.outputs, is_absent),
            "all outputs of %s have data type undef, which says that an output is not wanted; at "
            "least one must be wanted",
            schema.name);
    return dnnl_success;
}

// ---- attributes

bool is_at_least(const attr_value_t &value, double lowest) {
    // Without a bound NaN is accepted, too.
    const auto fits = [lowest](auto number) { return static_cast<double>(number) >= lowest; };
    if (lowest == -std::numeric_limits<double>::infinity()) return true;
    switch (type_of(value)) {
    case attr_type_t::f32: return fits(std::get<float>(value));
    case attr_type_t::f32_list: return std::ranges::all_of(std::get<1>(value), fits);
    case attr_type_t::s64: return fits(std::get<int64_t>(value));
    case attr_type_t::s64_list: return std::ranges::all_of(std::get<3>(value), fits);
    default: return true;
    }
}

bool is_positive_and_finite(const attr_value_t &value) {
    const float number = std::get<float>(value);
    return number > 0 && std::isfinite(number);
}

status_t check_value(
        const schema_t &schema, const attribute_t &attribute, const attr_value_t &value) {
    const char *name = name_of(attribute.name);
    REQUIRE(type_of(value) == type_of(attribute.name), "attribute %s of %s has type %s, not %s",
            name, schema.name, name_of(type_of(value)), name_of(type_of(attribute.name)));
    REQUIRE(is_at_least(value, attribute.lowest), "attribute %s of %s is less than %g", name,
            schema.name, attribute.lowest);
    REQUIRE(!attribute.is_positive || is_positive_and_finite(value),
            "attribute %s of %s is %g; it must be positive and finite", name, schema.name,
            static_cast<double>(std::get<float>(value)));
    if (attribute.allowed.empty()) return dnnl_success;
    const auto &text = std::get<std::string>(value);
    std::string list;
    for (const char *allowed : attribute.allowed)
        list += (list.empty() ? "" : " or ") + std::string(allowed);
    REQUIRE(std::ranges::count(attribute.allowed, text) != 0, "attribute %s of %s is %s, not %s",
            name, schema.name, text.c_str(), list.c_str());
    return dnnl_success;
}

status_t check_attributes(const op_t &op, const schema_t &schema) {
    for (const attribute_t &attribute : schema.attributes)
        REQUIRE(!attribute.is_required || op.attributes.count(attribute.name) != 0,
                "%s requires attribute %s", schema.name, name_of(attribute.name));
    for (const auto &[name, value] : op.attributes) {
        const auto known = std::ranges::find(schema.attributes, name, &attribute_t::name);
        // A Wildcard may have any attribute.
        if (known == schema.attributes.end() && op.kind == dnnl_graph_op_wildcard) continue;
        REQUIRE(known != schema.attributes.end(), "%s does not have attribute %s (0x%x)",
                schema.name, name_of(name) ? name_of(name) : "unknown",
                static_cast<unsigned>(name));
        KILN_TRY(check_value(schema, *known, value));
    }
    return dnnl_success;
}

} // namespace

status_t check_op(const op_t &op) {
    const schema_t *schema = find_schema(op.kind);
    REQUIRE(schema != nullptr, "unknown kind of operation %d", static_cast<int>(op.kind));
    KILN_TRY(check_counts(op, *schema));
    groups_t groups = schema->types;
    KILN_TRY(check_types(*schema, op.inputs, schema->inputs, groups));
    KILN_TRY(check_types(*schema, op.outputs, schema->outputs, groups));
    KILN_TRY(check_presence(op, *schema));
    KILN_TRY(check_attributes(op, *schema));
    op_t filled = op;
    fill_default_attributes(filled);
    for (op_check_t check : schema->checks) KILN_TRY(check(filled));
    return dnnl_success;
}

status_t copy_checked(const op_t &op, op_ptr_t &copy) {
    KILN_TRY(check_op(op));
    auto made = std::make_shared<op_t>(op);
    fill_default_attributes(*made);
    copy = std::move(made);
    return dnnl_success;
}

std::optional<attr_value_t> default_of(const attribute_t &attribute) {
    const auto to_value = []<typename T>(const T &value) -> std::optional<attr_value_t> {
        if constexpr (std::is_same_v<T, std::monostate>)
            return std::nullopt;
        else if constexpr (std::is_same_v<T, const char *>)
            return std::string(value);
        else
            return value;
    };
    return std::visit(to_value, attribute.default_value);
}

void fill_default_attributes(op_t &op) {
    const schema_t *schema = find_schema(op.kind);
    if (schema == nullptr) return;
    for (const attribute_t &attribute : schema->attributes)
        if (auto value = default_of(attribute))
            op.attributes.try_emplace(attribute.name, std::move(*value));
}

namespace {

int position_of(std::span<const parameter_t> parameters, size_t count, std::string_view name) {
    for (size_t i = 0; i < std::min(count, parameters.size()); ++i)
        if (name == parameters[i].name) return static_cast<int>(i);
    return -1;
}

} // namespace

bool has_use_affine(const op_t &op, bool value) {
    return op.has_attr(dnnl_graph_op_attr_use_affine)
           && op.attr<bool>(dnnl_graph_op_attr_use_affine) == value;
}

int find_input(const op_t &op, std::string_view name) {
    const schema_t &schema = *find_schema(op.kind);
    int position = position_of(schema.inputs, SIZE_MAX, name);
    if (position < 0) return -1;
    if (schema.skipped_inputs != nullptr) {
        const skipped_inputs_t skipped = schema.skipped_inputs(op);
        if (position >= skipped.first + skipped.count)
            position -= skipped.count;
        else if (position >= skipped.first)
            return -1;
    }
    const bool is_weight = name == "gamma" || name == "beta";
    const bool is_missing = position >= static_cast<int>(op.inputs.size());
    return is_missing || (is_weight && has_use_affine(op, false)) ? -1 : position;
}

int find_output(const op_t &op, std::string_view name) {
    const int position = position_of(find_schema(op.kind)->outputs, op.outputs.size(), name);
    return position >= 0 && !is_absent(op.outputs[position]) ? position : -1;
}

const logical_tensor_t *input_of(const op_t &op, std::string_view name) {
    const int position = find_input(op, name);
    return position < 0 ? nullptr : &op.inputs[static_cast<size_t>(position)];
}

const logical_tensor_t *output_of(const op_t &op, std::string_view name) {
    const int position = find_output(op, name);
    return position < 0 ? nullptr : &op.outputs[static_cast<size_t>(position)];
}

bool has_channels_second(const op_t &op) {
    return op.attr<std::string>(dnnl_graph_op_attr_data_format) == "NCX";
}

} // namespace kiln::graph
