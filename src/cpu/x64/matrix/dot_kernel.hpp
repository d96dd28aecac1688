// SPDX-License-Identifier: Apache-2.0
// The kernel for few rows of A and a B whose columns lie in memory as rows do: scalar products.
#pragma once

#include <string>

#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/lanes_io.hpp"

namespace kiln::x64::matrix {

struct dot_spec_t {
    isa_t isa;
    int rows = 1; // of A: 1 to most_dot_rows
    data_type_t b_type = dnnl_f32;
    int tail = 0; // elements of a column beyond whole vectors

    /// E.g. matrix_dot_f32_avx512_core.
    std::string name() const;
};
constexpr int most_dot_rows = 4;

/// Distances are bytes. The kernel changes the arguments.
struct dot_args_t {
    const float *a;
    dim_t a_pitch; // from row to row
    const void *b;
    dim_t b_pitch; // from column to column, whose elements are adjacent
    dim_t vectors; // whole ones of a column
    float *sums;
    dim_t sums_pitch; // from row to row
    dim_t columns;
};

/// sums[row][column] = the sum over k of A[row][k] * B[k][column], by lanes first. Columns are read
/// several at a time, which does not change their sums.
class dot_kernel_t : public jit::generator_t {
public:
    explicit dot_kernel_t(const dot_spec_t &spec);

private:
    struct walk_t;

    void generate() override;
    void write_columns(int columns);

    const dot_spec_t spec_;
    jit::lanes_io_t io_;
};

} // namespace kiln::x64::matrix
