// SPDX-License-Identifier: Apache-2.0
// The two kinds of rows of elements that belong to channels.
#pragma once

#include "common/types.hpp"

namespace kiln::x64 {

/// How the elements of a row belong to channels.
enum class channel_rows_t {
    columns, ///< Each element to a channel of its own; every row has the same channels.
    planes,  ///< All elements to one channel.
};

/// The kind as kernel names spell it: "columns" or "planes".
constexpr const char *name_of(channel_rows_t rows) {
    return rows == channel_rows_t::planes ? "planes" : "columns";
}

/// Rows of columns of up to this many elements are short: kernels process them in blocks of at
/// least 16 rows, so a chunk may have more of them than of long rows.
constexpr dim_t longest_short_row = 64;

/// Whether the sums of a row block of columns have a place in memory: rows of `line` elements may
/// be walked one by one.
constexpr bool has_block_sums(dim_t line) { return line > longest_short_row; }

} // namespace kiln::x64
