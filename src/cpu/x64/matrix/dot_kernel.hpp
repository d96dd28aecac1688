// SPDX-License-Identifier: Apache-2.0
// The kernel for few rows of A and a B whose columns lie in memory as rows do: scalar products.
#pragma once

#include <cstddef>
#include <string>

#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/lanes_io.hpp"

namespace kiln::x64::matrix {

struct dot_spec_t {
    isa_t isa;
    int rows = 1; // of A: 1 to most_dot_rows
    data_type_t b_type = dnnl_f32;
    int tail = 0; // elements of a column beyond whole vectors

    /// E.g. matrix_dot_4_f32_avx512_core.
    std::string name() const;
};
constexpr int most_dot_rows = 4;
/// Columns that the kernel reads at a time.
int dot_columns(isa_t isa, int rows);

/// Distances are bytes. The kernel changes the arguments.
struct dot_args_t {
    const float *a;
    dim_t a_pitch; // from row to row
    const void *b;
    dim_t b_pitch; // from column to column, whose elements are adjacent
    dim_t vectors; // whole ones of a column
    float *sums;
    dim_t sums_pitch; // from row to row
    // Columns that are read at a time lie far apart: each of them begins a run of columns one
    // behind another in memory, so that the processor reads a few long streams.
    dim_t groups = 0;      // of dot_columns(): the length of a run
    dim_t b_stream = 0;    // bytes from run to run
    dim_t sums_stream = 0; // likewise
    dim_t rest = 0;        // columns behind the last run
    const void *b_rest = nullptr;
    float *sums_rest = nullptr;

    /// Divides `columns` from b on.
    void set_columns(dim_t columns, int together) {
        groups = columns / together;
        b_stream = groups * b_pitch;
        sums_stream = groups * 4;
        rest = columns % together;
        const dim_t first = groups * together;
        b_rest = static_cast<const std::byte *>(b) + first * b_pitch;
        sums_rest = sums + first;
    }
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
