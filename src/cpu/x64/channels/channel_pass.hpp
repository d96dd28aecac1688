// SPDX-License-Identifier: Apache-2.0
// One sweep over chunks of a plan: a generated kernel and the addresses it is called with. It must
// not know what the kernel computes.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "cpu/x64/channels/channel_plan.hpp"
#include "cpu/x64/jit/executable_code.hpp"

namespace kiln::x64::normalization {

/// Where values and sums of channels lie in the scratchpad, in floats: unit after unit, padded with
/// zeros to whole vectors, with a copy for each fold.
struct channel_arrays_t {
    explicit channel_arrays_t(const channel_plan_t &plan);

    dim_t unit_pitch;  // from a unit's values to the next unit's
    dim_t sum_pitch;   // from the first sums of a unit to the second ones
    dim_t value_pitch; // from the first values of all units to the second ones
    dim_t slot_pitch;  // from the sums of a slot to those of the next
    dim_t unit_sums;   // from the first slot of a unit to that of the next
    dim_t all_sums;    // of all units

    /// Whether kernels, whose displacements are of 32 bits, reach a channel's last value from its
    /// first one.
    bool are_addressable() const {
        constexpr dim_t most_values = 5;
        return most_values * std::max(value_pitch, unit_sums) * dim_t(sizeof(float))
               <= std::numeric_limits<int32_t>::max();
    }
};

/// The walk of a plan's kernels.
channel_walk_t walk_of(const channel_plan_t &plan, isa_t isa, bool is_streamed);

/// Whether all rows of an operand, which begins at `data` and has elements of `size` bytes, are
/// aligned for non-temporal stores.
bool has_aligned_rows(const channel_plan_t &plan, size_t operand, const void *data, dim_t size);

/// An operand of the kernel: its place among the plan's operands, and its elements' size, 0 for a
/// bit mask.
struct channel_pass_operand_t {
    size_t in_plan;
    dim_t size;
};

/// Addresses of the plan's operands, in front of offset0.
using channel_bases_t = std::array<const void *, max_row_operands>;

class channel_pass_t {
public:
    template <typename kernel_t, typename spec_t>
    static channel_pass_t make(const channel_plan_t &plan, spec_t spec,
            std::vector<channel_pass_operand_t> operands,
            std::vector<channel_pass_operand_t> post_op_operands = {}) {
        channel_pass_t pass(
                plan, std::move(operands), std::move(post_op_operands), kernel_t(spec).finish());
        if (plan.folds() > 1) {
            // Rows that are left over when folds are full; they begin anywhere.
            spec.walk.line = plan.line();
            if constexpr (requires { spec.is_non_temporal; }) spec.is_non_temporal = false;
            pass.single_rows_.emplace(kernel_t(spec).finish());
        }
        return pass;
    }

    /// Sweeps over a chunk. `values` and `sums` are those of its unit and slot.
    void run(const channel_chunk_t &chunk, const channel_bases_t &bases, const float *values,
            float *sums) const;

private:
    channel_pass_t(const channel_plan_t &plan, std::vector<channel_pass_operand_t> operands,
            std::vector<channel_pass_operand_t> post_op_operands, jit::executable_code_t code)
        : plan_(plan)
        , operands_(std::move(operands))
        , post_op_operands_(std::move(post_op_operands))
        , code_(std::move(code)) {}

    const channel_plan_t &plan_;
    std::vector<channel_pass_operand_t> operands_, post_op_operands_;
    jit::executable_code_t code_;
    std::optional<jit::executable_code_t> single_rows_;
};

} // namespace kiln::x64::normalization
