// SPDX-License-Identifier: Apache-2.0
// Short rows packed into long rows.

#include "cpu/x64/rows/packed_rows.hpp"

#include <algorithm>

namespace kiln::x64 {
namespace {

constexpr dim_t longest_short_row = 15; // a row of 16 is whole vectors
/// Elements of a long row at most, of which a copy as floats stays in the L2 cache.
constexpr dim_t most_elements = 16384;
/// Long rows at least: a copy costs about as much as one of them.
constexpr dim_t least_rows = 8;

/// The greatest divisor of `number` up to the limit.
dim_t divisor_of(dim_t number, dim_t limit) {
    dim_t divisor = std::min(number, limit);
    while (number % divisor != 0) --divisor;
    return divisor;
}

/// Whether rows of the operand follow each other without a gap along the loop.
bool follows(const row_mode_t &loop, const row_mode_t &line, size_t operand) {
    return loop.strides[operand] == line.strides[operand] * line.extent;
}

/// Whether the operand is the same in all iterations of the other loops.
bool is_repeated(const std::vector<row_mode_t> &loops, const row_mode_t &but, size_t operand) {
    return std::ranges::all_of(loops,
            [&](const row_mode_t &loop) { return &loop == &but || loop.strides[operand] == 0; });
}

/// How many rows along the loop can be packed into one; 1: none.
dim_t packable_rows(const std::vector<row_mode_t> &loops, const row_mode_t &loop,
        const row_mode_t &line, size_t operands, size_t first_copied) {
    dim_t rows = std::min(loop.extent, most_elements / line.extent);
    for (size_t i = 0; i < operands; ++i) {
        if (follows(loop, line, i)) continue;
        if (i < first_copied || !is_repeated(loops, loop, i)) return 1;
        // One copy serves all long rows of the loop.
        if (loop.strides[i] != 0 && rows < loop.extent) return 1;
    }
    return divisor_of(loop.extent, rows);
}

} // namespace

std::optional<packed_rows_t> pack_rows(
        std::vector<row_mode_t> &loops, row_mode_t &line, size_t operands, size_t first_copied) {
    if (line.extent > longest_short_row) return std::nullopt;
    const dim_t all_rows = product_of_extents(loops);
    for (auto loop = loops.begin(); loop != loops.end(); ++loop) {
        const dim_t rows = packable_rows(loops, *loop, line, operands, first_copied);
        if (rows * line.extent <= 2 * longest_short_row || all_rows < rows * least_rows) continue;
        packed_rows_t packed{rows, line, loop->strides, {}};
        for (size_t i = 0; i < operands; ++i) {
            if (follows(*loop, line, i)) continue;
            packed.copied.push_back(i);
            line.strides[i] = 1;
        }
        line.extent *= rows;
        loop->extent /= rows;
        for (dim_t &stride : loop->strides) stride *= rows;
        for (const size_t i : packed.copied) loop->strides[i] = 0;
        if (loop->extent == 1) loops.erase(loop);
        return packed;
    }
    return std::nullopt;
}

std::vector<size_t> repeat_rows(std::vector<row_mode_t> &loops, row_mode_t &line, dim_t vector,
        size_t operands, size_t first_repeated) {
    if (line.extent != vector) return {};
    std::vector<size_t> repeated;
    // Whether the line goes on along the loop, but for operands that repeat what they have.
    const auto goes_on = [&](const row_mode_t &loop) {
        std::vector<size_t> repeating;
        for (size_t i = 0; i < operands; ++i) {
            if (follows(loop, line, i)) continue;
            if (i < first_repeated || loop.strides[i] != 0) return false;
            repeating.push_back(i);
        }
        if (repeated.empty()) repeated = repeating;
        return !repeating.empty() && repeating == repeated;
    };
    for (auto loop = std::ranges::find_if(loops, goes_on); loop != loops.end();
            loop = std::ranges::find_if(loops, goes_on)) {
        line.extent *= loop->extent;
        loops.erase(loop);
    }
    for (const size_t i : repeated) line.strides[i] = 0;
    return repeated;
}

} // namespace kiln::x64
