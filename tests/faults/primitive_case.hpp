// SPDX-License-Identifier: Apache-2.0
// A case of one primitive: its descriptors, its memory, its execution.
#pragma once

#include <array>

#include "faults/cases.hpp"

namespace kiln::test::fault_cases {

/// A memory of an execution. Outputs are among the results of the case.
struct operand_t {
    int arg;
    int ndims;
    dnnl_dims_t dims;
    dnnl_format_tag_t tag = dnnl_format_tag_undef; ///< undef: row-major
    dnnl_data_type_t type = dnnl_f32;
    bool is_output = false;
};

inline constexpr size_t most_operands = 10;

/// The objects of a case.
struct primitive_case_t {
    device_t device;
    std::array<memory_desc_handle_t, most_operands> mds;
    std::array<memory_handle_t, most_operands> memories;
    attr_handle_t attr;
    primitive_desc_handle_t hint, pd;
    primitive_handle_t primitive;
    std::span<const operand_t> operands;

    dnnl_memory_desc_t md(int arg) const {
        for (size_t i = 0; i < operands.size(); ++i)
            if (operands[i].arg == arg) return mds[i];
        return nullptr;
    }
    dnnl_status_t create_descriptors();
    /// Creates the primitive, makes memory and executes twice. Outputs go to the results.
    dnnl_status_t execute(results_t &results);

private:
    /// What the descriptor asks for besides the operands: workspace, scratchpad.
    dnnl_status_t add(int arg, dnnl_query_t query, size_t &count, dnnl_exec_arg_t *args);
};

/// Makes descriptors, then the primitive descriptor by `make(objects)`, then executes.
template <typename make_t>
dnnl_status_t run(results_t &results, std::span<const operand_t> operands, const make_t &make,
        int cache_capacity = 0) {
    primitive_case_t objects;
    objects.device.cache_capacity = cache_capacity;
    objects.operands = operands;
    TRY(objects.create_descriptors());
    TRY(make(objects));
    return objects.execute(results);
}

inline constexpr bool output = true;
inline constexpr auto rows = dnnl_format_tag_undef;
/// Of the binary post-op that is the first of a chain.
inline constexpr int binary_arg = DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1;

} // namespace kiln::test::fault_cases
