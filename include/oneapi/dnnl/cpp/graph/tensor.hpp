// SPDX-License-Identifier: Apache-2.0
// dnnl::graph::tensor, a logical tensor with its data.

#ifndef ONEAPI_DNNL_CPP_GRAPH_TENSOR_HPP
#define ONEAPI_DNNL_CPP_GRAPH_TENSOR_HPP

#include "oneapi/dnnl/cpp/graph/logical_tensor.hpp"

namespace dnnl {

template <>
struct handle_traits<dnnl_graph_tensor_t>
    : public detail::destroyed_by<dnnl_graph_tensor_t, dnnl_graph_tensor_destroy> {};

namespace graph {

/// A logical tensor, an engine and a buffer: the caller's, the library's, or none. Copies of the
/// object share the buffer.
class tensor : public handle<dnnl_graph_tensor_t> {
public:
    using handle::handle;

    /// An empty tensor.
    tensor() = default;

    /// With a buffer of at least lt.get_mem_size() bytes at data, which must outlive the tensor.
    /// DNNL_MEMORY_ALLOCATE: the library allocates the buffer; DNNL_MEMORY_NONE: there is none
    /// until set_data_handle(). Throws dnnl_invalid_arguments for a host scalar.
    tensor(const logical_tensor &lt, const engine &aengine, void *data) {
        dnnl_graph_tensor_t result = nullptr;
        error::wrap_c_api(
                dnnl_graph_tensor_create(&result, detail::c_struct_of(lt), aengine.get(), data),
                "cannot make a tensor; ONEDNN_VERBOSE=all says why");
        reset(result);
    }

    /// With a buffer that the library allocates; its size must be known.
    tensor(const logical_tensor &lt, const engine &aengine)
        : tensor(lt, aengine, DNNL_MEMORY_ALLOCATE) {}

    /// The tensor of a host scalar with a copy of the value at scalar. Throws
    /// dnnl_invalid_arguments for other logical tensors.
    static tensor make_scalar_tensor(const logical_tensor &lt, void *scalar) {
        dnnl_graph_tensor_t result = nullptr;
        error::wrap_c_api(dnnl_graph_tensor_create_scalar(&result, detail::c_struct_of(lt), scalar),
                "cannot make a tensor of a host scalar; ONEDNN_VERBOSE=all says why");
        return tensor(result);
    }

    /// The address of the buffer; null if there is none, and for a host scalar.
    void *get_data_handle() const {
        void *result = nullptr;
        error::wrap_c_api(dnnl_graph_tensor_get_data_handle(get(), &result),
                "cannot get the buffer of a tensor");
        return result;
    }

    /// Replaces the buffer by the caller's at data. Throws dnnl_invalid_arguments for a host
    /// scalar.
    void set_data_handle(void *data) {
        error::wrap_c_api(dnnl_graph_tensor_set_data_handle(get(), data),
                "cannot set the buffer of a tensor; ONEDNN_VERBOSE=all says why");
    }

    /// The engine, without ownership: it must outlive the result. Empty for a host scalar.
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
