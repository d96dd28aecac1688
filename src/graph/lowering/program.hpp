// SPDX-License-Identifier: Apache-2.0
// The program: what a compiled partition executes. Primitives in order, and where in memory the
// arguments of each lie. It must not know operations.
#pragma once

#include <atomic>
#include <span>
#include <vector>

#include "common/primitive/primitive.hpp"

namespace kiln::graph {

/// A place in one of the buffers that an execution brings along (base_t).
struct place_t {
    uint32_t base;
    size_t offset;
};

struct argument_t {
    int slot;
    place_t place;
};

struct step_t {
    std::shared_ptr<const cached_primitive_t> primitive;
    std::vector<argument_t> arguments;
};

/// An input and an output, by their positions, that may share a buffer.
struct shared_place_t {
    size_t input;
    size_t output;
};

/// Immutable once built; any number of threads may execute it.
struct program_t {
    program_t();
    program_t(const program_t &) = delete;
    program_t &operator=(const program_t &) = delete;
    ~program_t();

    /// The buffers: the inputs, the outputs, then these.
    size_t input_count = 0;
    size_t output_count = 0;
    uint32_t scratchpad_base() const { return static_cast<uint32_t>(input_count + output_count); }
    uint32_t constants_base() const { return scratchpad_base() + 1; }
    uint32_t literals_base() const { return scratchpad_base() + 2; }
    size_t base_count() const { return input_count + output_count + 3; }

    const size_t id;                    ///< unique within the process
    std::vector<step_t> constant_steps; ///< what they write follows from constant inputs alone
    std::vector<step_t> steps;
    std::vector<shared_place_t> shared_places;
    std::vector<size_t> constant_inputs; ///< that constant steps read
    size_t temporary_bytes = 0;          ///< between steps
    size_t primitive_bytes = 0;          ///< the largest scratchpad of a step
    size_t constant_bytes = 0;           ///< what constant steps leave
    buffer_t literals;                   ///< values that attributes of operations gave

    /// Bytes of the scratchpad; constants are kept there where no cache keeps them.
    size_t scratchpad_bytes() const { return temporary_bytes + constant_bytes + primitive_bytes; }

    /// `bases` has base_count() buffers.
    status_t execute_constants(std::span<void *const> bases) const;
    status_t execute(std::span<void *const> bases) const;

private:
    status_t execute(const std::vector<step_t> &steps, std::span<void *const> bases) const;
};

} // namespace kiln::graph
