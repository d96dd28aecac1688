// SPDX-License-Identifier: Apache-2.0
// dnnl::graph::tensor, a logical tensor with its bytes.

#ifndef ONEAPI_DNNL_CPP_GRAPH_TENSOR_HPP
#define ONEAPI_DNNL_CPP_GRAPH_TENSOR_HPP

#include "oneapi/dnnl/cpp/graph/logical_tensor.hpp"

namespace dnnl {

template <>
struct handle_traits<dnnl_graph_tensor_t>
    : public detail::destroyed_by<dnnl_graph_tensor_t, dnnl_graph_tensor_destroy> {};

namespace graph {

/// The bytes of a logical tensor on an engine: the caller's, or the library's, or none yet. Copies
/// of the object share them.
class tensor : public handle<dnnl_graph_tensor_t> {
public:
    using handle::handle;

    /// An empty tensor.
    tensor() = default;

    /// Around a buffer of at least lt.get_mem_size() bytes, which must outlive the tensor.
    /// DNNL_MEMORY_ALLOCATE makes the library allocate it, DNNL_MEMORY_NONE leaves it for
    /// set_data_handle(). Throws with dnnl_invalid_arguments for a host scalar.
    tensor(const logical_tensor &lt, const engine &aengine, void *handle) {
        dnnl_graph_tensor_t result = nullptr;
        error::wrap_c_api(
                dnnl_graph_tensor_create(&result, detail::c_struct_of(lt), aengine.get(), handle),
                "cannot make a tensor");
        reset(result);
    }

    /// With a buffer of the library's, whose size must be known.
    tensor(const logical_tensor &lt, const engine &aengine)
        : tensor(lt, aengine, DNNL_MEMORY_ALLOCATE) {}

    /// Of a host scalar, whose value is copied from scalar. Throws with dnnl_invalid_arguments for any
    /// other logical tensor.
    static tensor make_scalar_tensor(const logical_tensor &lt, void *scalar) {
        dnnl_graph_tensor_t result = nullptr;
        error::wrap_c_api(dnnl_graph_tensor_create_scalar(&result, detail::c_struct_of(lt), scalar),
                "cannot make a tensor of a host scalar");
        return tensor(result);
    }

    /// Null if there is no buffer yet, and for a host scalar.
    void *get_data_handle() const {
        void *result = nullptr;
        error::wrap_c_api(dnnl_graph_tensor_get_data_handle(get(), &result),
                "cannot get the buffer of a tensor");
        return result;
    }

    /// Changes the buffer to one of the caller's. Throws with dnnl_invalid_arguments for a host
    /// scalar.
    void set_data_handle(void *handle) {
        error::wrap_c_api(dnnl_graph_tensor_set_data_handle(get(), handle),
                "cannot set the buffer of a tensor");
    }

    /// The engine, borrowed: its owner must outlive the result. Empty for a host scalar.
    engine get_engine() const {
        dnnl_engine_t result = nullptr;
        error::wrap_c_api(
                dnnl_graph_tensor_get_engine(get(), &result), "cannot get the engine of a tensor");
        return engine(result, true);
    }

    logical_tensor get_logical_tensor() const {
        dnnl_graph_logical_tensor_t result;
        error::wrap_c_api(dnnl_graph_tensor_get_logical_tensor(get(), &result),
                "cannot get the logical tensor of a tensor");
        return logical_tensor(result);
    }
};

} // namespace graph
} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_GRAPH_TENSOR_HPP
