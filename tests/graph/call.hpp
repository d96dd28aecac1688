// SPDX-License-Identifier: Apache-2.0
// One partition of a network, compiled, with tensors to execute it on.
#pragma once

#include "graph/networks.hpp"

namespace kiln::test {

class call_t {
public:
    /// Compiles the network's partition at `position`.
    explicit call_t(const network_t &network, const dnnl::engine &engine = test_engine(),
            size_t position = 0);
    /// Of a partition that is there already.
    call_t(const network_t &network, const dnnl::graph::partition &partition,
            const dnnl::engine &engine = test_engine());

    /// With new buffers for the outputs; their elements, tensor after tensor.
    std::vector<double> execute() const;
    /// The same, and the outputs are right.
    testing::AssertionResult is_right() const;
    /// On these tensors: what the library answers.
    dnnl_status_t status_of_execution(const std::vector<dnnl::graph::tensor> &inputs,
            const std::vector<dnnl::graph::tensor> &outputs,
            const dnnl::graph::tensor &scratchpad = {}) const;

    dnnl::graph::tensor tensor(size_t id, void *data) const;
    /// Tensors around buffers that this holds, in the order of ports.
    std::vector<dnnl::graph::tensor> inputs() const;
    std::vector<dnnl::graph::tensor> outputs() const;
    /// Puts an input into a new buffer, with these values.
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
