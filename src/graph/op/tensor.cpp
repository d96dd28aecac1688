// SPDX-License-Identifier: Apache-2.0
// The tensor's C entries.

#include "graph/op/tensor.hpp"

#include <cstring>

#include "common/memory/data_type.hpp"
#include "common/verbose/verbose.hpp"

using namespace kiln;
using namespace kiln::graph;

status_t dnnl_graph_tensor_create(dnnl_graph_tensor_t *tensor,
        const dnnl_graph_logical_tensor_t *logical_tensor, dnnl_engine_t engine, void *handle) {
    if (tensor == nullptr || logical_tensor == nullptr || engine == nullptr)
        return dnnl_invalid_arguments;
    KILN_REQUIRE(!is_host_scalar(*logical_tensor), dnnl_invalid_arguments, "graph",
            "tensor %zu is a host scalar", logical_tensor->id);
    return guarded([&]() -> status_t {
        const size_t bytes = bytes_of(*logical_tensor);
        auto made = std::unique_ptr<dnnl_graph_tensor>(
                new dnnl_graph_tensor{*logical_tensor, engine_ref_t(engine), handle, bytes});
        if (handle == DNNL_MEMORY_ALLOCATE) {
            KILN_REQUIRE(bytes != SIZE_MAX, dnnl_invalid_arguments, "graph",
                    "tensor %zu has no known size to allocate", logical_tensor->id);
            made->owned = allocate(*engine, bytes);
            made->handle = made->owned.get();
        }
        *tensor = made.release();
        return dnnl_success;
    });
}

status_t dnnl_graph_tensor_create_scalar(dnnl_graph_tensor_t *tensor,
        const dnnl_graph_logical_tensor_t *logical_tensor, void *handle) {
    if (tensor == nullptr || logical_tensor == nullptr) return dnnl_invalid_arguments;
    KILN_REQUIRE(is_host_scalar(*logical_tensor), dnnl_invalid_arguments, "graph",
            "tensor %zu is no host scalar", logical_tensor->id);
    KILN_REQUIRE(handle != nullptr && handle != DNNL_MEMORY_ALLOCATE, dnnl_invalid_arguments,
            "graph", "host scalar %zu without a value", logical_tensor->id);
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
    if (tensor == nullptr || handle == nullptr) return dnnl_invalid_arguments;
    *handle = is_host_scalar(tensor->lt) ? nullptr : tensor->handle;
    return dnnl_success;
}

status_t dnnl_graph_tensor_set_data_handle(dnnl_graph_tensor_t tensor, void *handle) {
    if (tensor == nullptr || is_host_scalar(tensor->lt)) return dnnl_invalid_arguments;
    tensor->owned.reset();
    tensor->handle = handle;
    return dnnl_success;
}

status_t dnnl_graph_tensor_get_engine(const_dnnl_graph_tensor_t tensor, dnnl_engine_t *engine) {
    if (tensor == nullptr || engine == nullptr) return dnnl_invalid_arguments;
    *engine = tensor->engine.get();
    return dnnl_success;
}

status_t dnnl_graph_tensor_get_logical_tensor(
        const_dnnl_graph_tensor_t tensor, dnnl_graph_logical_tensor_t *logical_tensor) {
    if (tensor == nullptr || logical_tensor == nullptr) return dnnl_invalid_arguments;
    *logical_tensor = tensor->lt;
    return dnnl_success;
}
