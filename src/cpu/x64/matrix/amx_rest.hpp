// SPDX-License-Identifier: Apache-2.0
// The kernel that copies the last elements of rows of A, which are not a whole step of AMX.
#pragma once

#include "common/types.hpp"
#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::matrix {

struct amx_rest_args_t {
    const void *src; // the first of the last elements of a row
    dim_t pitch;     // bytes from row to row
    void *dst;       // amx_row_bytes a row
    dim_t rows;      // at least 1
};

/// dst[row] = `bytes` bytes of the row, then zeros. One store a row: loads of tile registers wait
/// for rows that several stores wrote. Needs AVX-512.
class amx_rest_kernel_t : public jit::generator_t {
public:
    /// `bytes`: 1 to amx_row_bytes - 1.
    amx_rest_kernel_t(isa_t isa, int bytes);

private:
    void generate() override;

    const int bytes_;
};

} // namespace kiln::x64::matrix
