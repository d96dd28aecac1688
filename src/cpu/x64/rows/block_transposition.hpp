// SPDX-License-Identifier: Apache-2.0
// Copies of an operand that is transposed: its adjacent elements belong to different rows.
#pragma once

#include "common/types.hpp"
#include "cpu/x64/isa.hpp"
#include "cpu/x64/jit/code/executable_code.hpp"

namespace kiln::x64 {

/// Copies blocks of rows and columns so that the elements of a row are adjacent. The rows of a run
/// and the elements of a row are cut into blocks of `extent`; the last ones may be shorter.
class block_transposition_t {
public:
    static constexpr dim_t extent = 64;
    /// Of a copied block, and from one of its rows to the next, for elements of up to 4 bytes.
    static constexpr dim_t most_bytes = extent * extent * 4;

    /// `stride`: elements between the neighbours of a row. The rows of a run are 1 apart.
    block_transposition_t(isa_t isa, data_type_t type, dim_t stride, dim_t run, dim_t line);

    /// Bytes from a row of the copy to the next.
    dim_t pitch() const { return extent * element_bytes_; }
    /// to[row][column] = from[column * stride + row]
    void copy(const void *from, void *to, dim_t rows, dim_t columns) const;

private:
    const dim_t element_bytes_, lanes_;
    const dim_t column_bytes_;     // between the neighbours of a row
    dim_t columns_of_tile_;        // that the kernel transposes at a time
    jit::executable_code_t tiles_; // whole ones
    jit::executable_code_t rest_;  // the columns that remain of the last block
};

} // namespace kiln::x64
