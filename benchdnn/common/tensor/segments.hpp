// SPDX-License-Identifier: Apache-2.0
// A tensor's elements as parts of rows: pieces short enough for a thread to keep as doubles,
// however long the row.
#pragma once

#include <functional>

#include "common/tensor/tensor.hpp"

namespace benchdnn {

struct segment_t {
    dim_t row, first, count;
    dim_t index(dim_t cols) const { return row * cols + first; } // of its first element
};

inline constexpr dim_t longest_segment = 4096;

// Calls body(worker, segment) for all of the tensor, in parallel. Not at all for an empty one.
void parallel_segments(const layout_t &layout,
        const std::function<void(int worker, const segment_t &segment)> &body);

// Values that are the same along some axes of a tensor of these dims: scales, zero points, operands
// of post-ops. Each lies in memory as if those axes had extent 1.
class broadcast_rows_t {
public:
    // extents: dims, with 1 for the axes along which values do not change. The operand has as many
    // elements as that, in their order, in whatever shape and layout.
    broadcast_rows_t(const tensor_t &operand, dims_t extents, dims_t dims);
    void load(const segment_t &segment, double *values) const;

private:
    const tensor_t &operand_;
    dims_t extents_, dims_;
};

} // namespace benchdnn
