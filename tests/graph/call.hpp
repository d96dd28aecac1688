// SPDX-License-Identifier: Apache-2.0
// One partition of a network, compiled, with tensors for executions.
#pragma once

#include "graph/networks.hpp"

namespace kiln::test {

class call_t {
public:
    /// Compiles the network's partition at `position`.
    explicit call_t(const network_t &network, const dnnl::engine &engine = test_engine(),
            size_t position = 0);
    /// Compiles the given partition.
    call_t(const network_t &network, const dnnl::graph::partition &partition,
            const dnnl::engine &engine = test_engine());

    /// Executes with new buffers for the outputs, and returns their elements, tensor after tensor.
    std::vector<double> execute() const;
    /// Executes and compares the outputs with the truth.
    testing::AssertionResult is_right() const;
    /// Executes with these tensors and returns the status.
    dnnl_status_t status_of_execution(const std::vector<dnnl::graph::tensor> &inputs,
            const std::vector<dnnl::graph::tensor> &outputs,
            const dnnl::graph::tensor &scratchpad = {}) const;

    dnnl::graph::tensor tensor(size_t id, void *data) const;
    /// Tensors with buffers of this object, in the order of ports.
    std::vector<dnnl::graph::tensor> inputs() const;
    std::vector<dnnl::graph::tensor> outputs() const;
    /// Replaces the buffer of an input by one with the values of another network's tensor.
    void replace(size_t id, const network_t &of, size_t id_there);

    dnnl::graph::partition partition;
    dnnl::graph::compiled_partition compiled;

private:
    std::vector<dnnl::graph::tensor> tensors(const std::vector<size_t> &ids) const;

    const network_t &network_;
    dnnl::engine engine_;
    std::vector<size_t> inputs_, outputs_;
    std::map<size_t, guarded_buffer_t> buffers_;
};

} // namespace kiln::test
