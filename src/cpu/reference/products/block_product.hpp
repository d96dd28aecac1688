// SPDX-License-Identifier: Apache-2.0
// Products of matrices in double, block by block, on threads.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "common/integers.hpp"
#include "cpu/parallel.hpp"

namespace kiln::cpu::reference {

/// A part of a matrix: rows and columns from a position on.
struct block_place_t {
    dim_t row, rows, column, columns;
};

/// A block of a matrix of doubles, row-major with a pitch of 128.
class block_t {
public:
    static constexpr dim_t greatest = 128; // extent

    block_t(dim_t rows)
        : values_(static_cast<size_t>(rows * greatest)) {}
    std::span<double> row(dim_t row, dim_t columns) {
        return {values_.data() + row * greatest, static_cast<size_t>(columns)};
    }

private:
    std::vector<double> values_;
};

/// Computes count matrices c = a x b of m x n elements, where a has k columns. A task is a block of
/// c; it loads blocks of a and b, so an element of b is loaded once for each block of rows. The
/// sums are in ascending order of k. In a task, for matrix number i,
///     load_a(i, place, block), load_b(i, place, block)  load what stands at the place,
///     store(i, row, column, sums)                       takes the sums of a part of a row of c.
template <typename load_a_t, typename load_b_t, typename store_t>
void multiply_blocks(dim_t count, dim_t m, dim_t n, dim_t k, const load_a_t &load_a,
        const load_b_t &load_b, const store_t &store) {
    constexpr dim_t block_m = 32, block_n = block_t::greatest, block_k = block_t::greatest;
    const auto multiply = [&](dim_t matrix, dim_t row, dim_t column) {
        const dim_t rows = std::min(block_m, m - row), columns = std::min(block_n, n - column);
        block_t c(rows), a(rows), b(std::min(block_k, k));
        for (dim_t first = 0; first < k; first += block_k) {
            const dim_t depth = std::min(block_k, k - first);
            load_a(matrix, block_place_t{row, rows, first, depth}, a);
            load_b(matrix, block_place_t{first, depth, column, columns}, b);
            for (dim_t r = 0; r < rows; ++r) {
                const auto sums = c.row(r, columns);
                const auto factors = a.row(r, depth);
                for (dim_t i = 0; i < depth; ++i) {
                    const double factor = factors[static_cast<size_t>(i)];
                    const auto terms = b.row(i, columns);
                    for (size_t j = 0; j < sums.size(); ++j) sums[j] += factor * terms[j];
                }
            }
        }
        for (dim_t r = 0; r < rows; ++r) store(matrix, row + r, column, c.row(r, columns));
    };
    const dim_t row_blocks = divide_up(m, block_m), column_blocks = divide_up(n, block_n);
    const dim_t blocks = row_blocks * column_blocks;
    parallel_chunks(count * blocks, 1, [&](dim_t begin, dim_t end) {
        for (dim_t task = begin; task < end; ++task)
            multiply(task / blocks, task / column_blocks % row_blocks * block_m,
                    task % column_blocks * block_n);
    });
}

} // namespace kiln::cpu::reference
