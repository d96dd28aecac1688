// SPDX-License-Identifier: Apache-2.0
// The names of attributes, and of the enumerators of logical tensors, in files and verbose lines:
// oneDNN's names. The names of operations are in their schemas.
#pragma once

#include <optional>
#include <string_view>

#include "graph/op/op.hpp"

namespace kiln::graph {

/// "begin_norm_axis"; null for a value that is not in the enumeration.
const char *name_of(op_attr_t attr);
std::optional<op_attr_t> op_attr_of(std::string_view name);

/// The alternatives of attr_value_t, in their order.
enum class attr_type_t { f32, f32_list, s64, s64_list, boolean, string };
/// "f32", "f32[]", "s64", "s64[]", "bool", "string".
const char *name_of(attr_type_t type);
/// The type of this attribute's values, the same in every operation.
attr_type_t type_of(op_attr_t attr);
inline attr_type_t type_of(const attr_value_t &value) {
    return static_cast<attr_type_t>(value.index());
}

/// "undef", "any", "strided", "opaque".
const char *name_of(dnnl_graph_layout_type_t type);
/// "undef", "variable", "constant", "host_scalar".
const char *name_of(dnnl_graph_tensor_property_t property);

} // namespace kiln::graph
