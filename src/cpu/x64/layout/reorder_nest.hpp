// SPDX-License-Identifier: Apache-2.0
// A reorder as nests of loops: which element of src becomes which one of dst, by strides alone. It
// knows layouts only, no data types and no kernels.
#pragma once

#include <optional>
#include <vector>

#include "common/memory/memory_desc.hpp"

namespace kiln::x64::reorder {

/// Neighbours along the loop are so many elements apart.
struct loop_t {
    dim_t extent;
    dim_t src_stride;
    dim_t dst_stride;

    bool operator==(const loop_t &) const = default;
};

/// Whether neighbours lie side by side in both tensors.
inline bool is_run(const loop_t &loop) { return loop.src_stride == 1 && loop.dst_stride == 1; }

/// A box of elements. Loops stand by their stride in dst, the farthest first; none has an extent of
/// 1, but for a single element that padding follows, and no two could be one.
struct nest_t {
    dim_t src_offset;
    dim_t dst_offset;
    std::vector<loop_t> loops;
    /// So many elements of padding follow each run of the innermost loop in dst, or 0.
    dim_t padding = 0;
    /// Or the runs hold the padding: blocks of so many elements, of which so many are the tensor's.
    /// 0 where all are.
    dim_t block = 0, kept = 0;
};

struct nests_t {
    std::vector<nest_t> nests;
    /// All padding of dst follows runs.
    bool have_all_padding;
};

/// Padding that lies alike in src and in dst, in blocks that vectors of `lanes` are multiples of,
/// is part of runs. An axis whose blocks in src and in dst do not divide it, or each other, is cut
/// where they do, so that it takes several nests. Nothing where it takes more than a few.
std::optional<nests_t> make_nests(const memory_desc_t &src, const memory_desc_t &dst, int lanes);

} // namespace kiln::x64::reorder
