// SPDX-License-Identifier: Apache-2.0
// Logical tensors: what is known of a tensor between operations, and its memory descriptor.
#pragma once

#include <span>
#include <vector>

#include "common/memory/memory_desc.hpp"
#include "oneapi/dnnl/dnnl_graph.h"

namespace kiln::graph {

using logical_tensor_t = dnnl_graph_logical_tensor_t;
using shape_t = std::vector<dim_t>;

constexpr int unknown_ndims = DNNL_GRAPH_UNKNOWN_NDIMS;
constexpr dim_t unknown_dim = DNNL_GRAPH_UNKNOWN_DIM;

inline bool is_strided(const logical_tensor_t &lt) {
    return lt.layout_type == dnnl_graph_layout_type_strided;
}
inline bool is_opaque(const logical_tensor_t &lt) {
    return lt.layout_type == dnnl_graph_layout_type_opaque;
}
inline bool is_constant(const logical_tensor_t &lt) {
    return lt.property == dnnl_graph_tensor_property_constant;
}
inline bool is_host_scalar(const logical_tensor_t &lt) {
    return lt.property == dnnl_graph_tensor_property_host_scalar;
}
/// Whether the tensor stands for an output that the program does not want.
inline bool is_absent(const logical_tensor_t &lt) { return lt.data_type == dnnl_data_type_undef; }

/// dnnl_invalid_arguments, with a reason in verbose mode, unless ndims is unknown or 0 to 12 and
/// the enumerations have one of their values. A program can write any bytes into the C interface's
/// struct: every entry point that reads one checks it first.
status_t check(const logical_tensor_t &lt);

inline bool has_known_ndims(const logical_tensor_t &lt) { return lt.ndims >= 0; }
bool has_known_shape(const logical_tensor_t &lt);
bool has_known_strides(const logical_tensor_t &lt);

/// The dims; empty if their number is unknown or 0.
inline std::span<const dim_t> dims_of(const logical_tensor_t &lt) {
    return {lt.dims, static_cast<size_t>(lt.ndims > 0 ? lt.ndims : 0)};
}
inline shape_t shape_of(const logical_tensor_t &lt) {
    return {dims_of(lt).begin(), dims_of(lt).end()};
}
/// Whether the number of dims and the dims are equal. An unknown dim equals only an unknown dim.
bool same_shape(const logical_tensor_t &lhs, const logical_tensor_t &rhs);

/// The product of the dims, or INT64_MAX if it overflows.
dim_t product_of(std::span<const dim_t> dims);
/// 1 for a tensor without dims, 0 if their number is unknown, -1 if one of them is.
dim_t number_of_elements(const logical_tensor_t &lt);
/// Bytes of a buffer for the tensor; SIZE_MAX if its shape or layout is unknown.
size_t bytes_of(const logical_tensor_t &lt);

/// Sets row-major strides. The dims are known; a dim of 0 counts as 1.
void fill_row_major_strides(logical_tensor_t &lt);
/// Sets the dims, and row-major strides if the tensor is strided and its strides are unknown.
void set_shape(logical_tensor_t &lt, const shape_t &shape);

/// The tensor's memory descriptor. A tensor without dims gets one dim of 1; a layout that is not
/// known yet becomes `any`. The zero descriptor, with a reason in verbose mode, if dims or strides
/// are invalid.
memory_desc_t md_of(const logical_tensor_t &lt);
/// Sets the layout: strided if strides describe it, else opaque.
void set_layout(logical_tensor_t &lt, const memory_desc_t &md);

/// Whether id, data type, property, shape and layout are equal. A strided and an opaque layout are
/// equal if their memory descriptors are.
bool is_equal(const logical_tensor_t &lhs, const logical_tensor_t &rhs);

/// `axis` counted from the front, where negative numbers count from the back; -1 if a tensor of
/// `ndims` dims has no such axis.
inline int axis_from_front(int64_t axis, int ndims) {
    if (axis < -ndims || axis >= ndims) return -1;
    return static_cast<int>(axis < 0 ? axis + ndims : axis);
}

} // namespace kiln::graph
