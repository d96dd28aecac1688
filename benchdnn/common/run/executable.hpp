// SPDX-License-Identifier: Apache-2.0
// What a problem executes: a primitive, or the compiled partitions of a graph.
#pragma once

#include <string>
#include <vector>

#include "common/tensor/arguments.hpp"
#include "common/tensor/comparison.hpp"

namespace benchdnn {

class executable_t {
public:
    virtual ~executable_t() = default;

    // Whether its tensors fit in memory; with for_checks, also the copies made of them.
    virtual bool fits_memory(bool for_checks) const = 0;
    // Adds all arguments and fills the inputs. Returns why that is not possible, or "".
    virtual std::string prepare(arguments_t &arguments) const = 0;
    // Computes inputs that depend on others, such as the outputs of a forward pass, after the
    // others have been filled.
    virtual void derive_inputs(arguments_t &) const {}
    // Sets the sealed arguments of the next executions. Called again when their buffers have moved.
    virtual void bind(const arguments_t &arguments) = 0;
    // Starts an execution; does not wait for its end.
    virtual void execute(const stream_t &stream) const = 0;
    // Computes the reference from the original inputs and compares every output with it.
    virtual std::vector<comparison_t> compare(const arguments_t &arguments) const = 0;

    // The names of its parts if it has several; each can be executed separately.
    virtual std::vector<std::string> part_names() const { return {}; }
    virtual void execute_part(size_t, const stream_t &stream) const { execute(stream); }
};

} // namespace benchdnn
