// SPDX-License-Identifier: Apache-2.0
// Logical tensors: what is known of a tensor between operations, and the way to memory descriptors.
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
/// Whether the tensor only keeps the place of an output nobody wants.
inline bool is_absent(const logical_tensor_t &lt) { return lt.data_type == dnnl_data_type_undef; }

inline bool has_known_ndims(const logical_tensor_t &lt) { return lt.ndims >= 0; }
bool has_known_shape(const logical_tensor_t &lt);
bool has_known_strides(const logical_tensor_t &lt);

/// The dims; none where their number is unknown (or 0).
inline std::span<const dim_t> dims_of(const logical_tensor_t &lt) {
    return {lt.dims, static_cast<size_t>(lt.ndims > 0 ? lt.ndims : 0)};
}
inline shape_t shape_of(const logical_tensor_t &lt) {
    return {dims_of(lt).begin(), dims_of(lt).end()};
}
/// Same number of dims, and the same dims. Unknown ones are the same as unknown ones only.
bool same_shape(const logical_tensor_t &lhs, const logical_tensor_t &rhs);

/// The product, or the greatest number there is where that is less.
dim_t product_of(std::span<const dim_t> dims);
/// 1 for a tensor without dims, 0 where their number is unknown, -1 where one of them is.
dim_t number_of_elements(const logical_tensor_t &lt);
/// Bytes of a buffer for the tensor; SIZE_MAX where shape or layout does not say.
size_t bytes_of(const logical_tensor_t &lt);

/// Dense strides in the order of the dims, which are known; a dim of 0 counts as 1.
void fill_row_major_strides(logical_tensor_t &lt);
/// Gives the tensor known dims, and row-major strides if it is strided and they are unknown.
void set_shape(logical_tensor_t &lt, const shape_t &shape);

/// The same tensor for primitives. One without dims has one of 1; a layout that is not settled is
/// `any`. The zero descriptor, with a reason in verbose mode, where dims or strides make no sense.
memory_desc_t md_of(const logical_tensor_t &lt);
/// Says how the tensor lies: strided where strides can say it, else opaque.
void set_layout(logical_tensor_t &lt, const memory_desc_t &md);

/// Whether both are one tensor that lies in one way; a strided and an opaque layout may be the
/// same.
bool is_equal(const logical_tensor_t &lhs, const logical_tensor_t &rhs);

} // namespace kiln::graph
