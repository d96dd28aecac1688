// SPDX-License-Identifier: Apache-2.0
// The copy of the last elements of rows, between unmapped pages.
#include "cpu/x64/matrix/amx_rest.hpp"

#include "cpu/x64/jit/code/executable_code.hpp"
#include "cpu/x64/matrix/amx_kernel.hpp"
#include "kernels/matrix/guarded_matrix.hpp"

namespace kiln::x64::matrix::test {
namespace {

TEST(matrix_amx_rest, is_followed_by_zeros_in_rows_of_64_bytes) {
    constexpr isa_t isa = isa_t::avx512_core;
    if (!has_isa(isa)) GTEST_SKIP() << "the machine has no AVX-512";
    for (int bytes = 1; bytes < amx_row_bytes; ++bytes)
        for (const dim_t rows : {1, 2, 19})
            for (const dim_t gap : {0, 5})
                for (const placement_t placement : placements) {
                    guarded_matrix_t src(dnnl_u8, step_t::f32, rows, bytes, gap, placement);
                    guarded_matrix_t dst(dnnl_u8, step_t::f32, rows, amx_row_bytes, 0, placement);
                    for (dim_t row = 0; row < rows; ++row) {
                        for (dim_t i = 0; i < bytes; ++i)
                            src.set(row, i, static_cast<float>(1 + (7 * row + i) % 255));
                        for (dim_t i = 0; i < amx_row_bytes; ++i) dst.set(row, i, 255);
                    }
                    amx_rest_args_t args{src.data(), src.pitch(), dst.data(), rows};
                    amx_rest_kernel_t(isa, bytes).finish()(args);
                    for (dim_t row = 0; row < rows; ++row)
                        for (dim_t i = 0; i < amx_row_bytes; ++i)
                            ASSERT_EQ(dst.get(row, i), i < bytes ? src.get(row, i) : 0)
                                    << "byte " << i << " of row " << row << ", " << bytes
                                    << " bytes a row";
                }
}

} // namespace
} // namespace kiln::x64::matrix::test
