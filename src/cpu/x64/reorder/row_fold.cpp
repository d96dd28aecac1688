// SPDX-License-Identifier: Apache-2.0
// Short rows as one long row.

#include "cpu/x64/reorder/row_fold.hpp"

#include <algorithm>

namespace kiln::x64::reorder {
namespace {

constexpr dim_t longest_short_row = 15; // a row of 16 is whole vectors
/// Of a row that is put together; copies of so many floats stay in the first caches.
constexpr dim_t most_elements = 16384;
/// Copies cost about what a row costs.
constexpr dim_t least_rows = 8;

/// The greatest divisor that is not above the limit.
dim_t divisor_of(dim_t number, dim_t limit) {
    dim_t divisor = std::min(number, limit);
    while (number % divisor != 0) --divisor;
    return divisor;
}

bool follows(const row_mode_t &loop, const row_mode_t &line, size_t tensor) {
    return loop.strides[tensor] == line.strides[tensor] * line.extent;
}

/// Whether a tensor is the same in all turns of the other loops.
bool is_repeated(const std::vector<row_mode_t> &loops, const row_mode_t &but, size_t tensor) {
    return std::all_of(loops.begin(), loops.end(),
            [&](const row_mode_t &loop) { return &loop == &but || loop.strides[tensor] == 0; });
}

/// How many turns of the loop can go together; 1 for none.
dim_t rows_together(const std::vector<row_mode_t> &loops, const row_mode_t &loop,
        const row_mode_t &line, size_t tensors, size_t first_copied) {
    dim_t rows = std::min(loop.extent, most_elements / line.extent);
    for (size_t i = 0; i < tensors; ++i) {
        if (follows(loop, line, i)) continue;
        if (i < first_copied || !is_repeated(loops, loop, i)) return 1;
        // A copy serves each turn of what is left of the loop.
        if (loop.strides[i] != 0 && rows < loop.extent) return 1;
    }
    return divisor_of(loop.extent, rows);
}

} // namespace

std::optional<row_fold_t> fold_rows(
        std::vector<row_mode_t> &loops, row_mode_t &line, size_t tensors, size_t first_copied) {
    if (line.extent > longest_short_row) return std::nullopt;
    dim_t all_rows = 1;
    for (const row_mode_t &loop : loops) all_rows *= loop.extent;
    for (auto loop = loops.begin(); loop != loops.end(); ++loop) {
        const dim_t rows = rows_together(loops, *loop, line, tensors, first_copied);
        if (rows * line.extent <= 2 * longest_short_row || all_rows < rows * least_rows) continue;
        row_fold_t fold{rows, line, loop->strides, {}};
        for (size_t i = 0; i < tensors; ++i) {
            if (follows(*loop, line, i)) continue;
            fold.copied.push_back(i);
            line.strides[i] = 1;
        }
        line.extent *= rows;
        loop->extent /= rows;
        for (dim_t &stride : loop->strides) stride *= rows;
        for (const size_t i : fold.copied) loop->strides[i] = 0;
        if (loop->extent == 1) loops.erase(loop);
        return fold;
    }
    return std::nullopt;
}

} // namespace kiln::x64::reorder
