// SPDX-License-Identifier: Apache-2.0
// The compiled partitions of a graph, with tensors for inputs, outputs and intermediate results.
#pragma once

#include <map>
#include <vector>

#include "common/run/executable.hpp"
#include "graph/library.hpp"

namespace benchdnn::graph {

class graph_executable_t final : public executable_t {
public:
    // Compiled partitions in order of execution. In place: outputs take the memory of inputs of the
    // graph if the library allows it and nothing else reads those inputs.
    graph_executable_t(const engine_t &engine, const graph_t &graph,
            std::vector<partition_t> partitions, bool is_in_place);

    bool fits_memory(bool for_checks) const override;
    std::string prepare(arguments_t &arguments) const override;
    void bind(const arguments_t &arguments) override;
    void execute(const stream_t &stream) const override;
    std::vector<comparison_t> compare(const arguments_t &arguments) const override;
    std::vector<std::string> part_names() const override;
    void execute_part(size_t part, const stream_t &stream) const override;

private:
    // The argument index of a tensor.
    int argument_of(size_t id) const;

    std::map<size_t, size_t> shared_inputs() const; // by output

    struct bound_t {
        std::vector<const_dnnl_graph_tensor_t> inputs, outputs;
    };

    const engine_t &engine_;
    const graph_t &graph_;
    const std::vector<partition_t> partitions_;
    const bool is_in_place_;
    std::vector<size_t> ids_; // of the tensors that have memory
    std::vector<tensor_owner_t> tensors_;
    // For each partition. The interface takes non-const lists, which it does not change.
    mutable std::vector<bound_t> bound_;
};

} // namespace benchdnn::graph
