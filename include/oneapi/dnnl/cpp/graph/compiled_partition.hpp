// SPDX-License-Identifier: Apache-2.0
// dnnl::graph::compiled_partition, a partition ready to run on tensors of given shapes.

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

/// What partition::compile() returns.
class compiled_partition : public handle<dnnl_graph_compiled_partition_t> {
public:
    /// An empty compiled partition.
    compiled_partition() = default;

    /// Takes over a C compiled partition.
    compiled_partition(dnnl_graph_compiled_partition_t compiled)
        : handle(compiled) {}

    /// The input or output of this id with the shape and the layout that compilation found. Throws
    /// with dnnl_invalid_arguments if there is none.
    logical_tensor query_logical_tensor(size_t tid) const {
        dnnl_graph_logical_tensor_t result;
        error::wrap_c_api(dnnl_graph_compiled_partition_query_logical_tensor(get(), tid, &result),
                "cannot get a logical tensor of a compiled partition");
        return logical_tensor(result);
    }

    /// Which output (second, by its id) may have the buffer of which input (first).
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

    /// The tensor to hand to execute() as scratchpad: u8, with one axis, its extent in bytes.
    logical_tensor get_scratchpad_logical_tensor() const {
        dnnl_graph_logical_tensor_t result;
        error::wrap_c_api(
                dnnl_graph_compiled_partition_get_scratchpad_logical_tensor(get(), &result),
                "cannot get the scratchpad's logical tensor of a compiled partition");
        return logical_tensor(result);
    }

    /// Runs on tensors in the order of the logical tensors at compilation. An empty scratchpad
    /// stands for memory of the library's. On a CPU it is done when this returns. May be called by
    /// several threads at once, with a scratchpad each.
    void execute(stream &astream, const std::vector<tensor> &inputs,
            const std::vector<tensor> &outputs, const tensor &scratchpad = tensor()) const {
        std::vector<const_dnnl_graph_tensor_t> handles;
        handles.reserve(inputs.size() + outputs.size());
        for (const tensor &input : inputs) handles.push_back(input.get());
        for (const tensor &output : outputs) handles.push_back(output.get());
        error::wrap_c_api(dnnl_graph_compiled_partition_execute_v2(get(), astream.get(),
                                  inputs.size(), handles.data(), outputs.size(),
                                  handles.data() + inputs.size(), scratchpad.get(true)),
                "cannot execute a compiled partition");
    }
};

} // namespace graph
} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_GRAPH_COMPILED_PARTITION_HPP
