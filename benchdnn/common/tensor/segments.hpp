// SPDX-License-Identifier: Apache-2.0
// A tensor's elements as segments of rows, short enough for a thread to keep them as doubles.
#pragma once

#include <functional>

#include "common/tensor/tensor.hpp"

namespace benchdnn {

struct segment_t {
    dim_t row, first, count;
    dim_t index(dim_t cols) const { return row * cols + first; } // of its first element
};

inline constexpr dim_t longest_segment = 4096;

// Calls body(worker, segment) for all segments of the tensor, in parallel; one after another where
// segments share elements; never for an empty tensor.
void parallel_segments(const layout_t &layout,
        const std::function<void(int worker, const segment_t &segment)> &body);

// Values that are broadcast along some axes of a tensor of these dims: scales, zero points,
// operands of post-ops. In memory, those axes have extent 1.
class broadcast_rows_t {
public:
    // extents: dims, with 1 for the axes along which values are broadcast. The operand has as many
    // elements, in logical order, in any shape and layout.
    broadcast_rows_t(const tensor_t &operand, dims_t extents, dims_t dims);
    void load(const segment_t &segment, double *values) const;

private:
    const tensor_t &operand_;
    dims_t extents_, dims_;
};

} // namespace benchdnn
