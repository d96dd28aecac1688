// SPDX-License-Identifier: Apache-2.0
// What operations, attributes and their values are called in files and verbose lines: oneDNN's
// names.
#pragma once

#include <optional>
#include <string_view>

#include "graph/op/op.hpp"

namespace kiln::graph {

/// "LayerNorm"; null for a number that is no operation.
const char *name_of(op_kind_t kind);
std::optional<op_kind_t> op_kind_of(std::string_view name);

/// "begin_norm_axis"; null for a number that is no attribute.
const char *name_of(op_attr_t attr);
std::optional<op_attr_t> op_attr_of(std::string_view name);

/// The types of attr_value_t in its order.
enum class attr_type_t { f32, f32_list, s64, s64_list, boolean, string };
/// "f32", "f32[]", "s64", "s64[]", "bool", "string".
const char *name_of(attr_type_t type);
/// The type that values of this attribute have in every operation.
attr_type_t type_of(op_attr_t attr);
inline attr_type_t type_of(const attr_value_t &value) {
    return static_cast<attr_type_t>(value.index());
}

/// "undef", "any", "strided", "opaque".
const char *name_of(dnnl_graph_layout_type_t type);
/// "undef", "variable", "constant", "host_scalar".
const char *name_of(dnnl_graph_tensor_property_t property);

} // namespace kiln::graph
