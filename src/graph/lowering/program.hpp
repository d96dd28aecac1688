// SPDX-License-Identifier: Apache-2.0
// The program of a compiled partition: primitives in order of execution, and the place in memory of
// each argument.
#pragma once

#include <span>
#include <vector>

#include "common/primitive/primitive.hpp"

namespace kiln::graph {

/// An offset in one of the buffers of an execution.
struct place_t {
    uint32_t base; ///< number of the buffer
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

/// Positions of an input and an output that may share a buffer.
struct shared_place_t {
    size_t input;
    size_t output;
};

/// Immutable once built; several threads may execute it at once.
struct program_t {
    program_t();
    program_t(const program_t &) = delete;
    program_t &operator=(const program_t &) = delete;
    ~program_t();

    /// Numbers of the buffers: inputs, outputs, then scratchpad, constants and literals.
    size_t input_count = 0;
    size_t output_count = 0;
    uint32_t scratchpad_base() const { return static_cast<uint32_t>(input_count + output_count); }
    uint32_t constants_base() const { return scratchpad_base() + 1; }
    uint32_t literals_base() const { return scratchpad_base() + 2; }
    size_t base_count() const { return input_count + output_count + 3; }

    const size_t id;                    ///< unique within the process
    std::vector<step_t> constant_steps; ///< they read constant inputs and literals only
    std::vector<step_t> steps;
    std::vector<shared_place_t> shared_places;
    std::vector<size_t> constant_inputs; ///< inputs that constant steps read
    size_t temporary_bytes = 0;          ///< of values between steps
    size_t primitive_bytes = 0;          ///< of the largest scratchpad of a step
    size_t constant_bytes = 0;           ///< of the results of constant steps
    buffer_t literals;                   ///< values from attributes of operations
    bool has_reference = false;          ///< a step's implementation is a reference

    /// Bytes of the scratchpad. It includes the constants, which the cache may not hold.
    size_t scratchpad_bytes() const { return temporary_bytes + constant_bytes + primitive_bytes; }

    /// `bases` has base_count() buffers.
    status_t execute_constants(std::span<void *const> bases) const;
    status_t execute(std::span<void *const> bases) const;

private:
    status_t execute(const std::vector<step_t> &steps, std::span<void *const> bases) const;
};

} // namespace kiln::graph
