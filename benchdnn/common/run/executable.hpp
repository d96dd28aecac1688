// SPDX-License-Identifier: Apache-2.0
// What the library made of a problem, ready to take arguments and to run: a primitive, or a graph's
// compiled partitions.
#pragma once

#include <string>
#include <vector>

#include "common/tensor/arguments.hpp"
#include "common/tensor/comparison.hpp"

namespace benchdnn {

class executable_t {
public:
    virtual ~executable_t() = default;

    // Of its tensors; for_checks, with the copies that are made of them.
    virtual bool fits_memory(bool for_checks) const = 0;
    // Adds all arguments and fills the inputs. Returns why it cannot, or "".
    virtual std::string prepare(arguments_t &arguments) const = 0;
    // Makes inputs that follow from others, once those have all their values: what an earlier pass
    // would have left.
    virtual void derive_inputs(arguments_t &) const {}
    // The sealed arguments are what the next executions take. Again whenever their buffers moved.
    virtual void bind(const arguments_t &arguments) = 0;
    // One execution; does not wait for its end.
    virtual void execute(const stream_t &stream) const = 0;
    // Computes the reference from the original inputs and judges every output.
    virtual std::vector<comparison_t> compare(const arguments_t &arguments) const = 0;

    // What it consists of, where that is more than one thing; each can be executed alone.
    virtual std::vector<std::string> part_names() const { return {}; }
    virtual void execute_part(size_t, const stream_t &stream) const { execute(stream); }
};

} // namespace benchdnn
