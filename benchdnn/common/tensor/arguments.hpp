// SPDX-License-Identifier: Apache-2.0
// The tensors of one execution by argument index: inputs, outputs, shared memory, and contents
// before the execution.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/tensor/fault_region.hpp"
#include "common/tensor/handles.hpp"
#include "common/tensor/tensor.hpp"

namespace benchdnn {

class arguments_t {
public:
    enum class role_t { input, output };

    tensor_t &add(int id, role_t role, const_dnnl_memory_desc_t descriptor);
    // An output that is also read: the values that the caller stores stay until the execution, and
    // original() returns them afterwards.
    tensor_t &add_updated(int id, const_dnnl_memory_desc_t descriptor);
    // An output that is also read if is_updated.
    tensor_t &add_result(int id, const_dnnl_memory_desc_t descriptor, bool is_updated) {
        return is_updated ? add_updated(id, descriptor) : add(id, role_t::output, descriptor);
    }
    // A tensor that is not passed to the primitive, from which the driver derives an input.
    tensor_t &add_kept(int id, const_dnnl_memory_desc_t descriptor);
    // An output in the memory of an input that was added before.
    void add_in_place(int id, int input_id);
    // A single value that the library reads from the call's arguments.
    void add_host_scalar(int id, dnnl_data_type_t type, double value);
    // The same for the bytes of an element.
    void add_host_scalar(int id, dnnl_data_type_t type, const void *element);

    // The name in messages, if it is not argument_name().
    void set_name(int id, std::string name) { entries_.at(id).name = std::move(name); }
    std::string name(int id) const;

    bool has(int id) const { return entries_.count(id) != 0; }
    const_dnnl_memory_desc_t descriptor(int id) const { return entries_.at(id).descriptor.get(); }
    // The argument whose buffer this one takes: itself, or the input of an output in place.
    int owner_of(int id) const;
    // The present contents.
    const tensor_t &at(int id) const;
    tensor_t &at(int id);
    // The contents before the execution, even if an output has overwritten them.
    const tensor_t &original(int id) const;

    // Inputs need no meaningful values: all their bytes become equal when preparation ends.
    void use_constant_data() { has_constant_data_ = true; }
    bool wants_data() const { return !has_constant_data_; }

    // Ends preparation: outputs are filled with garbage, memory objects are created. With
    // for_checks, inputs that an output overwrites are copied, and digests of the others are kept.
    void seal(const engine_t &engine, bool for_checks);
    std::vector<dnnl_exec_arg_t> execution_list() const;
    // Restores the contents before the first execution, with every buffer moved so that this end of
    // it is next to inaccessible memory. Needs seal() with for_checks.
    void restore(placement_t placement);
    // Replaces the bytes of each input by those of the file "PREFIX.ID.bin" if it exists. A file of
    // another size is a usage_error_t. Called before seal().
    void read_inputs(const std::string &prefix);
    // The addresses of each argument, to which faults are attributed; valid until the next
    // restore().
    std::vector<fault_region_t> regions() const;

    // All arguments that are passed, except host scalars; and those that an execution writes,
    // except the scratchpad.
    std::vector<int> ids() const;
    std::vector<int> output_ids() const;
    // A description of a write outside the outputs' elements, or "".
    std::string damage() const;

    size_t input_bytes() const;
    size_t output_bytes() const;

    // The least that an execution must read and write: each element of the inputs once, each
    // element of the outputs and their padding once, without gaps between rows.
    struct traffic_t {
        size_t read = 0, written = 0;
        size_t footprint = 0;  // bytes of distinct addresses
        size_t read_again = 0; // by a second pass, if no cache has kept them
        size_t total() const { return read + read_again + written; }
        bool is_in_place() const { return footprint < read + written; }
        traffic_t with_two_readings() const { return {read, written, footprint, read}; }
    };
    traffic_t least_traffic() const;

private:
    struct entry_t {
        role_t role = role_t::input;
        std::string name;            // "": argument_name()
        bool is_kept = false;        // not passed to the library
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
    bool has_digests_ = false, has_constant_data_ = false;
};

// "dst", "diff_scale", ... for messages.
std::string argument_name(int id);

} // namespace benchdnn
