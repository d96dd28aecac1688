// SPDX-License-Identifier: Apache-2.0
// What specs of kernels share that process whole rows or columns and find their operands by an
// enum.
#pragma once

#include <algorithm>
#include <vector>

#include "common/memory/data_type.hpp"
#include "cpu/x64/isa.hpp"
#include "cpu/x64/jit/post_op_chain.hpp"
#include "cpu/x64/operands.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64 {

/// Operands are those of the kernel's enum, then those of the post-ops. Their pitch is the distance
/// from a row to the next or, for columns, from an element of a column to the next.
struct kernel_spec_t {
    isa_t isa;
    std::vector<row_operand_t> operands;
    std::vector<jit::post_op_link_t> post_ops = {};
    dim_t length;             // elements of a row or a column
    dim_t inner_length = 0;   // columns: steps of the inner one of two loops; 0: there is one loop
    bool is_paged = false;    // columns: steps are whole pages apart
    dim_t column_block = 0;   // columns: how many are adjacent, if a line consists of blocks
    dim_t tile_blocks = 1;    // columns: how many blocks a tile has at most
    dim_t run_length;         // rows of the longest call, or columns that are adjacent
    dim_t rows_unit = 1;      // rows: the number of a call's rows is a multiple of this
    bool is_streamed = false; // the operands are in memory, not in a cache
    bool splits_stores = false; // rows: vectors that cross cache lines are stored in halves

    data_type_t type(size_t operand) const { return operands[operand].type; }
    dim_t pitch(size_t operand) const { return operands[operand].pitch; }
    bool is_mask(size_t operand) const { return operands[operand].is_mask; }
    bool has(size_t operand) const {
        return type(operand) != dnnl_data_type_undef || is_mask(operand);
    }
    /// Bytes of an element; 0 for an absent operand.
    dim_t size(size_t operand) const { return static_cast<dim_t>(data_type_size(type(operand))); }

    /// Whether vectors of an operand are wide enough for non-temporal stores.
    bool has_non_temporal_stores(size_t operand) const {
        return x64::has_non_temporal_stores(isa, type(operand));
    }

    dim_t largest_pitch() const {
        dim_t largest = 0;
        for (const row_operand_t &operand : operands) largest = std::max(largest, operand.pitch);
        return largest;
    }
};

} // namespace kiln::x64
