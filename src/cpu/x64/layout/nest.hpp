// SPDX-License-Identifier: Apache-2.0
// Two layouts of one shape as nests of loops, which say where each element of src lies in dst.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/memory/memory_desc.hpp"

namespace kiln::x64 {

/// A loop and the distances between its neighbours, in elements.
struct loop_t {
    dim_t extent;
    dim_t src_stride;
    dim_t dst_stride;

    bool operator==(const loop_t &) const = default;
};

/// Whether neighbours are adjacent in both tensors.
inline bool is_run(const loop_t &loop) { return loop.src_stride == 1 && loop.dst_stride == 1; }

/// A box of elements. Loops are in the order of their strides in dst, the greatest first. No two
/// loops can be joined. None has an extent of 1, except for a single element that padding follows.
struct nest_t {
    dim_t src_offset;
    dim_t dst_offset;
    std::vector<loop_t> loops;
    /// Elements of padding behind each run of the innermost loop in dst.
    dim_t padding = 0;
    /// If runs include padding: they consist of blocks of `block` elements, of which the first
    /// `kept` belong to the tensor. Otherwise 0.
    dim_t block = 0, kept = 0;
};

struct nests_t {
    std::vector<nest_t> nests;
    /// Whether the nests cover all padding of dst.
    bool have_all_padding;

    /// A line for each nest: its loops.
    std::string text() const;
};

/// Padding of up to 256 elements belongs to runs. It is copied with them if it has the same place
/// in src and in dst and vectors of `lanes` elements are whole blocks. An axis that blocks do not
/// divide is cut into several nests. A tensor may begin inside a block, padded_offsets elements
/// behind its beginning; padded_dims count from its first element then. Nothing if blocks of src
/// and dst do not divide each other, or if there are more than 16 nests.
std::optional<nests_t> make_nests(const memory_desc_t &src, const memory_desc_t &dst, int lanes);

} // namespace kiln::x64
