// SPDX-License-Identifier: Apache-2.0
// What the problems showed: the worst errors by operation and data type. Plain data, which
// processes share.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "oneapi/dnnl/dnnl_types.h"

namespace kiln::test::differential {

/// Of one output of an operation, in one data type.
struct row_t {
    char operation[16];
    char output[16];
    dnnl_data_type_t type;
    int64_t runs;
    /// Errors as shares of what is permitted: of generated kernels, and of the reference.
    double worst_kernel, worst_reference;
    uint64_t worst_number; // the problem of the worst error
};

struct results_t {
    std::array<row_t, 400> rows;
    int64_t row_count;
    int64_t problems, runs, failures;

    row_t &row(const std::string &operation, const std::string &output, dnnl_data_type_t type);
    void add(const results_t &others);
};

/// A table, one line a row, and a line with the worst errors of each type.
void print(const results_t &results);

} // namespace kiln::test::differential
