// SPDX-License-Identifier: Apache-2.0
// dnnl::graph::compiled_partition, a partition compiled for given shapes and layouts.

#ifndef ONEAPI_DNNL_CPP_GRAPH_COMPILED_PARTITION_HPP
#define ONEAPI_DNNL_CPP_GRAPH_COMPILED_PARTITION_HPP

#include <utility>

#include "oneapi/dnnl/cpp/graph/tensor.hpp"

namespace dnnl {

template <>
struct handle_traits<dnnl_graph_compiled_partition_t>
    : public detail::destroyed_by<dnnl_graph_compiled_partition_t,
              dnnl_graph_compiled_partition_destroy> {};

namespace graph {

/// The result of partition::compile().
class compiled_partition : public handle<dnnl_graph_compiled_partition_t> {
public:
    /// An empty compiled partition.
    compiled_partition() = default;

    /// Takes ownership of a C compiled partition.
    compiled_partition(dnnl_graph_compiled_partition_t compiled)
        : handle(compiled) {}

    /// The input or output with id tid, with the shape and the layout of the compilation. Throws
    /// dnnl_invalid_arguments if there is none.
    logical_tensor query_logical_tensor(size_t tid) const {
        dnnl_graph_logical_tensor_t result;
        error::wrap_c_api(dnnl_graph_compiled_partition_query_logical_tensor(get(), tid, &result),
                "cannot get a logical tensor of a compiled partition");
        return logical_tensor(result);
    }

    /// Pairs of the ids of an input (first) and an output (second) that may share a buffer.
    std::vector<std::pair<size_t, size_t>> get_inplace_ports() const {
        size_t count = 0;
        const dnnl_graph_inplace_pair_t *pairs = nullptr;
        error::wrap_c_api(dnnl_graph_compiled_partition_get_inplace_ports(get(), &count, &pairs),
                "cannot get the in-place pairs of a compiled partition");
        std::vector<std::pair<size_t, size_t>> result;
        result.reserve(count);
        for (size_t i = 0; i < count; ++i)
            result.emplace_back(pairs[i].input_id, pairs[i].output_id);
        return result;
    }

    /// The scratchpad of execute(): a vector of u8 whose length is its size in bytes.
    logical_tensor get_scratchpad_logical_tensor() const {
        dnnl_graph_logical_tensor_t result;
        error::wrap_c_api(
                dnnl_graph_compiled_partition_get_scratchpad_logical_tensor(get(), &result),
                "cannot get the scratchpad's logical tensor of a compiled partition");
        return logical_tensor(result);
    }

    /// Executes with tensors in the order of the compilation. If the scratchpad is empty, the
    /// library allocates one. On a CPU the execution is complete when the function returns. Several
    /// threads may call it at once, each with its own scratchpad.
    void execute(stream &astream, const std::vector<tensor> &inputs,
            const std::vector<tensor> &outputs, const tensor &scratchpad = tensor()) const {
        std::vector<const_dnnl_graph_tensor_t> handles;
        handles.reserve(inputs.size() + outputs.size());
        for (const tensor &input : inputs) handles.push_back(input.get());
        for (const tensor &output : outputs) handles.push_back(output.get());
        error::wrap_c_api(dnnl_graph_compiled_partition_execute_v2(get(), astream.get(),
                                  inputs.size(), handles.data(), outputs.size(),
                                  handles.data() + inputs.size(), scratchpad.get(true)),
                "cannot execute a compiled partition; ONEDNN_VERBOSE=all says why");
    }
};

} // namespace graph
} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_GRAPH_COMPILED_PARTITION_HPP
