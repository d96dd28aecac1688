// SPDX-License-Identifier: Apache-2.0
// C entry points of tensors.
#include <cstring>

#include "common/memory/data_type.hpp"
#include "graph/api/require.hpp"
#include "graph/memory/tensor.hpp"

using namespace kiln;
using namespace kiln::graph;

status_t dnnl_graph_tensor_create(dnnl_graph_tensor_t *tensor,
        const dnnl_graph_logical_tensor_t *logical_tensor, dnnl_engine_t engine, void *handle) {
    KILN_REQUIRE_POINTERS(tensor, logical_tensor, engine);
    KILN_TRY(check(*logical_tensor));
    KILN_REQUIRE(!is_host_scalar(*logical_tensor), dnnl_invalid_arguments, "graph",
            "tensor %zu is a host scalar, to be created by dnnl_graph_tensor_create_scalar",
            logical_tensor->id);
    return guarded([&]() -> status_t {
        const size_t bytes = bytes_of(*logical_tensor);
        auto made = std::unique_ptr<dnnl_graph_tensor>(
                new dnnl_graph_tensor{*logical_tensor, engine_ref_t(engine), handle, bytes});
        if (handle == DNNL_MEMORY_ALLOCATE) {
            KILN_REQUIRE(bytes != SIZE_MAX, dnnl_invalid_arguments, "graph",
                    "the size of tensor %zu cannot be allocated: its dims or strides are unknown",
                    logical_tensor->id);
            made->owned = allocate(*engine, bytes);
            made->handle = made->owned.get();
        }
        *tensor = made.release();
        return dnnl_success;
    });
}

status_t dnnl_graph_tensor_create_scalar(dnnl_graph_tensor_t *tensor,
        const dnnl_graph_logical_tensor_t *logical_tensor, void *handle) {
    KILN_REQUIRE_POINTERS(tensor, logical_tensor);
    KILN_TRY(check(*logical_tensor));
    KILN_REQUIRE(is_host_scalar(*logical_tensor), dnnl_invalid_arguments, "graph",
            "tensor %zu is not a host scalar", logical_tensor->id);
    KILN_REQUIRE(handle != nullptr && handle != DNNL_MEMORY_ALLOCATE, dnnl_invalid_arguments,
            "graph", "the handle of host scalar %zu must be the address of its value",
            logical_tensor->id);
    return guarded([&] {
        const size_t bytes = data_type_size(logical_tensor->data_type);
        auto *const made = new dnnl_graph_tensor{*logical_tensor, engine_ref_t(), nullptr, bytes};
        std::memcpy(made->scalar, handle, bytes);
        made->handle = made->scalar;
        *tensor = made;
        return dnnl_success;
    });
}

status_t dnnl_graph_tensor_destroy(dnnl_graph_tensor_t tensor) {
    delete tensor;
    return dnnl_success;
}

status_t dnnl_graph_tensor_get_data_handle(const_dnnl_graph_tensor_t tensor, void **handle) {
    KILN_REQUIRE_POINTERS(tensor, handle);
    *handle = is_host_scalar(tensor->lt) ? nullptr : tensor->handle;
    return dnnl_success;
}

status_t dnnl_graph_tensor_set_data_handle(dnnl_graph_tensor_t tensor, void *handle) {
    KILN_REQUIRE_POINTERS(tensor);
    KILN_REQUIRE(!is_host_scalar(tensor->lt), dnnl_invalid_arguments, "graph",
            "tensor %zu is a host scalar and has no handle to set", tensor->lt.id);
    tensor->owned.reset();
    tensor->handle = handle;
    return dnnl_success;
}

status_t dnnl_graph_tensor_get_engine(const_dnnl_graph_tensor_t tensor, dnnl_engine_t *engine) {
    KILN_REQUIRE_POINTERS(tensor, engine);
    *engine = tensor->engine.get();
    return dnnl_success;
}

status_t dnnl_graph_tensor_get_logical_tensor(
        const_dnnl_graph_tensor_t tensor, dnnl_graph_logical_tensor_t *logical_tensor) {
    KILN_REQUIRE_POINTERS(tensor, logical_tensor);
    *logical_tensor = tensor->lt;
    return dnnl_success;
}
