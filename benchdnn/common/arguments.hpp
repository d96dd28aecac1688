// SPDX-License-Identifier: Apache-2.0
// The tensors of one execution by argument index: what is an input, what an output, what shares
// memory, and what they looked like before.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/handles.hpp"
#include "common/tensor.hpp"

namespace benchdnn {

class arguments_t {
public:
    enum class role_t { input, output };

    tensor_t &add(int id, role_t role, const_dnnl_memory_desc_t descriptor);
    // An output that is read first: what the caller puts in stays until the run, and original()
    // gives it afterwards.
    tensor_t &add_updated(int id, const_dnnl_memory_desc_t descriptor);
    // An output in the memory of an input that was added before.
    void add_in_place(int id, int input_id);
    // A single value that the library reads from the call's arguments.
    void add_host_scalar(int id, dnnl_data_type_t type, double value);

    bool has(int id) const { return entries_.count(id) != 0; }
    // As it is now.
    const tensor_t &at(int id) const;
    tensor_t &at(int id);
    // As it was before the execution, also where an output has replaced it since.
    const tensor_t &original(int id) const;

    // Ends preparation: outputs become garbage, memory objects are made. With for_checks, inputs
    // that an output overwrites are copied and the others remembered by their digest.
    void seal(const engine_t &engine, bool for_checks);
    std::vector<dnnl_exec_arg_t> execution_list() const;

    // What was written where nothing should have been, or "".
    std::string damage() const;

    size_t input_bytes() const;
    size_t output_bytes() const;

private:
    struct entry_t {
        role_t role = role_t::input;
        int shares_with = 0;         // the input's id for an output in place
        bool is_overwritten = false; // while its old contents matter
        memory_desc_t descriptor;
        tensor_t tensor;
        tensor_t before;
        uint64_t digest = 0;
        memory_t memory;
    };

    std::map<int, entry_t> entries_;
    std::map<int, memory_t> host_scalars_;
    bool has_digests_ = false;
};

// "dst", "diff_scale", ... for messages.
std::string argument_name(int id);

} // namespace benchdnn
