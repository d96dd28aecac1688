// SPDX-License-Identifier: Apache-2.0
// The sums of scalar products, lane by lane, become numbers.

#include <cstddef>
#include <vector>

#include "cpu/x64/jit/reduce.hpp"
#include "cpu/x64/matrix/dot_kernel.hpp"

namespace kiln::x64::matrix {

/// The sums of each column in a vector.
void dot_kernel_t::write_transposed_sums(const vecs_t &sums, int columns) {
    const gpr_t to = gpr("sums", argument(offsetof(dot_args_t, sums)));
    const gpr_t stream = gpr("distance of sums", argument(offsetof(dot_args_t, sums_stream)));
    for (int column = 0; column < columns; ++column) {
        std::vector<Xmm> of_column;
        for (int row = 0; row < spec_.rows; ++row)
            of_column.push_back(*sums[row * columns + column]);
        jit::gather_sums(*this, of_column, is_integer(spec_.step));
        // The bits of integers are moved as those of floats.
        Xbyak::Label is_first;
        cmp(argument(offsetof(dot_args_t, adds)), 0);
        je(is_first);
        const vec_t before = vec("sums of the blocks before");
        sums_io_.load(before, dnnl_f32, *to, spec_.rows);
        is_integer(spec_.step) ? vpaddd(of_column.front(), of_column.front(), *before)
                               : vaddps(of_column.front(), of_column.front(), *before);
        L(is_first);
        sums_io_.store(of_column.front(), dnnl_f32, *to, spec_.rows);
        if (column + 1 < columns) add(*to, *stream);
    }
}

void dot_kernel_t::write_sums(const vecs_t &sums, int columns) {
    const gpr_t to = gpr("sums", argument(offsetof(dot_args_t, sums)));
    const gpr_t at = gpr("sum");
    const gpr_t stream = gpr("distance of sums", argument(offsetof(dot_args_t, sums_stream)));
    for (int row = 0; row < spec_.rows; ++row) {
        mov(*at, *to);
        for (int column = 0; column < columns; ++column) {
            const vec_t &sum = sums[row * columns + column];
            is_integer(spec_.step) ? jit::reduce_integer_sum(*this, sum)
                                   : jit::reduce_sum(*this, sum);
            vmovss(dword[*at], xmm(sum));
            if (column + 1 < columns) add(*at, *stream);
        }
        if (row + 1 < spec_.rows) add(*to, argument(offsetof(dot_args_t, sums_pitch)));
    }
}

} // namespace kiln::x64::matrix
