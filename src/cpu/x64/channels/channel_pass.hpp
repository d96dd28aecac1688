// SPDX-License-Identifier: Apache-2.0
// A kernel on channels with the loops around it: it processes chunks of a plan.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <optional>
#include <vector>

#include "cpu/x64/channels/channel_kernel.hpp"
#include "cpu/x64/channels/channel_plan.hpp"
#include "cpu/x64/jit/code/executable_code.hpp"

namespace kiln::x64 {

/// The arrays of values and sums of channels in the scratchpad, in floats. An array holds unit
/// after unit; a unit has an element per element of a packed row, padded with zeros to whole
/// vectors. Behind them, if channels have several elements in a row, are the values of channels.
struct channel_arrays_t {
    explicit channel_arrays_t(const channel_plan_t &plan);

    dim_t unit_pitch;     // from a unit's values to the next unit's
    dim_t channel_values; // from the values of a unit's elements to those of its channels
    dim_t sum_pitch;      // from the first sums of a unit to its second sums
    dim_t sums;           // of a channel: two, and two block sums if rows have them
    dim_t value_pitch;    // from the array of first values to that of second values
    dim_t partial_pitch;  // from partial sums of a unit to its next partial sums
    dim_t unit_sums;      // from a unit's sums to the next unit's
    dim_t all_sums;       // of all units

    /// Whether a displacement of 32 bits reaches a channel's last value from its first one.
    bool are_addressable() const {
        constexpr dim_t most_values = 5;
        return most_values * std::max(value_pitch, unit_sums) * dim_t(sizeof(float))
               <= std::numeric_limits<int32_t>::max();
    }
};

/// The walk of kernels that process a plan. `is_from_memory`: the tensors are hardly in the caches
/// when the kernels read them.
channel_walk_t walk_of(
        const channel_plan_t &plan, isa_t isa, bool is_streamed, bool is_from_memory);

/// What the spec of a kernel says of the operands `used`, by their index in the table.
channel_operands_t channel_operands_of(const operands_t &table, std::initializer_list<size_t> used);

/// Whether all rows of an operand that begins at `data` are aligned for non-temporal stores.
bool has_aligned_rows(
        const channel_plan_t &plan, isa_t isa, size_t index, data_type_t type, const void *data);

/// It refers to the plan and the table of operands, which its owner keeps.
class channel_pass_t {
public:
    /// The kernel of `spec`, a copy of which gets the line of rows that are not packed. Operands of
    /// post-ops begin at index `first_post_op` of the table.
    template <typename kernel_t, typename spec_t>
    static channel_pass_t make(const channel_plan_t &plan, const operands_t &operands, spec_t spec,
            size_t first_post_op = max_row_operands) {
        channel_pass_t pass(plan, operands, spec.operands, first_post_op, kernel_t(spec).finish());
        if (plan.leaves_rows()) {
            // Rows that are left over from a run of packed rows; they are not aligned.
            spec.walk.line = plan.line();
            if constexpr (requires { spec.is_non_temporal; }) spec.is_non_temporal = false;
            pass.single_rows_.emplace(kernel_t(spec).finish());
        }
        return pass;
    }

    /// Processes a chunk of operands whose buffers begin at `bases`. `values`: those of its unit;
    /// `sums`: those of its unit and partial.
    void run(const channel_chunk_t &chunk, const addresses_t &bases, const float *values,
            float *sums) const;

private:
    channel_pass_t(const channel_plan_t &plan, const operands_t &operands,
            const channel_operands_t &used, size_t first_post_op, jit::executable_code_t code);

    const channel_plan_t *plan_;
    const operands_t *operands_;
    struct used_t {
        size_t operand, place; // indices in the table and in the arguments
    };
    std::vector<used_t> used_;
    jit::executable_code_t code_;
    std::optional<jit::executable_code_t> single_rows_;
};

} // namespace kiln::x64
