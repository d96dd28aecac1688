// SPDX-License-Identifier: Apache-2.0
// C entry points of logical tensors.
#include <algorithm>
#include <cstdint>

#include "graph/api/require.hpp"
#include "graph/op/logical_tensor.hpp"

using namespace kiln;
using namespace kiln::graph;

namespace {

/// A tensor with unknown dims and strides.
logical_tensor_t without_shape(size_t id, data_type_t data_type, int ndims,
        dnnl_graph_layout_type_t layout_type, dnnl_graph_tensor_property_t property) {
    logical_tensor_t lt{};
    lt.id = id;
    lt.ndims = ndims;
    lt.data_type = data_type;
    lt.property = property;
    lt.layout_type = layout_type;
    if (ndims == 0) return lt; // its dims and strides read as zeros
    std::ranges::fill(lt.dims, unknown_dim);
    std::ranges::fill(lt.layout.strides, unknown_dim);
    return lt;
}

} // namespace

status_t dnnl_graph_logical_tensor_init(logical_tensor_t *logical_tensor, size_t tid,
        data_type_t dtype, int32_t ndims, dnnl_graph_layout_type_t ltype,
        dnnl_graph_tensor_property_t ptype) {
    KILN_REQUIRE_POINTERS(logical_tensor);
    const logical_tensor_t made = without_shape(tid, dtype, ndims, ltype, ptype);
    KILN_TRY(check(made));
    *logical_tensor = made;
    return dnnl_success;
}

status_t dnnl_graph_logical_tensor_init_with_dims(logical_tensor_t *logical_tensor, size_t tid,
        data_type_t dtype, int32_t ndims, const dim_t *dims, dnnl_graph_layout_type_t ltype,
        dnnl_graph_tensor_property_t ptype) {
    KILN_REQUIRE(ndims >= 0, dnnl_invalid_arguments, "graph",
            "a logical tensor with given dims has %d of them, not 0 or more", ndims);
    KILN_REQUIRE(
            ndims == 0 || dims != nullptr, dnnl_invalid_arguments, "graph", "null pointer: dims");
    KILN_TRY(dnnl_graph_logical_tensor_init(logical_tensor, tid, dtype, ndims, ltype, ptype));
    std::copy_n(dims, ndims, logical_tensor->dims);
    if (is_strided(*logical_tensor) && has_known_shape(*logical_tensor))
        fill_row_major_strides(*logical_tensor);
    return dnnl_success;
}

status_t dnnl_graph_logical_tensor_init_with_strides(logical_tensor_t *logical_tensor, size_t tid,
        data_type_t dtype, int32_t ndims, const dim_t *dims, const dim_t *strides,
        dnnl_graph_tensor_property_t ptype) {
    KILN_REQUIRE(ndims <= 0 || strides != nullptr, dnnl_invalid_arguments, "graph",
            "null pointer: strides");
    KILN_TRY(dnnl_graph_logical_tensor_init_with_dims(
            logical_tensor, tid, dtype, ndims, dims, dnnl_graph_layout_type_undef, ptype));
    logical_tensor->layout_type = dnnl_graph_layout_type_strided;
    std::copy_n(strides, ndims, logical_tensor->layout.strides);
    return dnnl_success;
}

status_t dnnl_graph_logical_tensor_get_mem_size(
        const logical_tensor_t *logical_tensor, size_t *size) {
    KILN_REQUIRE_POINTERS(logical_tensor, size);
    KILN_TRY(check(*logical_tensor));
    return guarded([&] {
        *size = bytes_of(*logical_tensor);
        return dnnl_success;
    });
}

status_t dnnl_graph_logical_tensor_is_equal(
        const logical_tensor_t *lt1, const logical_tensor_t *lt2, uint8_t *is_equal) {
    KILN_REQUIRE_POINTERS(lt1, lt2, is_equal);
    for (const auto *lt : {lt1, lt2}) KILN_TRY(check(*lt));
    return guarded([&] {
        *is_equal = kiln::graph::is_equal(*lt1, *lt2);
        return dnnl_success;
    });
}
