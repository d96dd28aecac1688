// SPDX-License-Identifier: Apache-2.0
// The tensors of one execution by their argument, so that a test of any operation can pass them
// all, and check at once that inputs are as before and no byte beside the elements was written.
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "support/arguments.hpp"
#include "support/tensor.hpp"

namespace kiln::test {

class bindings_t {
public:
    explicit bindings_t(placement_t placement)
        : placement_(placement) {}

    tensor_t &add_input(int arg, const std::string &name, const_dnnl_memory_desc_t desc,
            const std::vector<double> &values);
    tensor_t &add_output(int arg, const std::string &name, const_dnnl_memory_desc_t desc);

    /// Passes the input `source` as the output `arg` too.
    void add_in_place(int arg, int source);

    /// Passes a scale of a quantized tensor: one value, as a memory or as a host scalar.
    void add_scale(int arg, dnnl_data_type_t type, double value, bool is_on_host);

    /// Passes the scratchpad that a primitive asks of its user, if it asks for one.
    void add_scratchpad(const_dnnl_primitive_desc_t primitive_desc);

    bool has(int arg) const;
    /// The arguments of outputs but the scratchpad, with those that overwrite an input.
    std::vector<int> outputs() const;
    tensor_t &operator[](int arg) { return find(arg).tensor; }
    const tensor_t &operator[](int arg) const { return find(arg).tensor; }

    /// Replaces the elements of an input.
    void refill(int arg, const std::vector<double> &values);

    arguments_t arguments() const;

    /// To be asked after an execution.
    testing::AssertionResult are_intact() const;

private:
    struct binding_t {
        int arg;
        std::string name;
        tensor_t tensor;
        bool is_input;
        std::vector<std::byte> given; // the bits of an input
    };

    bool is_overwritten(int arg) const;
    const binding_t &find(int arg) const;
    binding_t &find(int arg) { return const_cast<binding_t &>(std::as_const(*this).find(arg)); }

    placement_t placement_;
    std::deque<binding_t> bindings_;
    std::vector<std::pair<int, int>> in_place_;
    std::vector<std::pair<int, memory_handle_t>> host_scalars_;
};

/// A memory object of one value that the host keeps.
memory_handle_t make_host_scalar(dnnl_data_type_t type, double value);

} // namespace kiln::test
