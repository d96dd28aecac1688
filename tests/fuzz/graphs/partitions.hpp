// SPDX-License-Identifier: Apache-2.0
// Compiles and executes partitions on guarded buffers.
#pragma once

#include "graphs/values.hpp"
#include "support/expect.hpp"

namespace kiln::fuzz {

class partitions_t {
public:
    /// `must_compile`: the model says that every partition can be executed.
    partitions_t(input_t &input, const values_t &values, bool must_compile)
        : input_(input)
        , must_compile_(must_compile) {
        for (const value_t &value : values.all()) {
            known_[value.declared.id] = value.full;
            if (!value.is_input) known_.erase(value.declared.id);
        }
    }

    void run(dnnl_graph_partition_t partition);

private:
    using tensors_t = std::vector<logical_tensor_t>;

    bool find_ports(dnnl_graph_partition_t partition, tensors_t &inputs, tensors_t &outputs);
    void execute(const_dnnl_graph_compiled_partition_t compiled, const tensors_t &inputs,
            const tensors_t &outputs);

    input_t &input_;
    bool must_compile_;
    std::map<size_t, logical_tensor_t> known_; ///< tensors with shape and layout
};

} // namespace kiln::fuzz
