// SPDX-License-Identifier: Apache-2.0
// A tensor's elements as segments of rows.
#include "common/tensor/segments.hpp"

#include <algorithm>
#include <utility>

#include "common/tensor/parallel.hpp"

namespace benchdnn {

void parallel_segments(const layout_t &layout,
        const std::function<void(int worker, const segment_t &segment)> &body) {
    if (layout.elements() == 0) return;
    const dim_t cols = layout.cols();
    const dim_t per_row = (cols + longest_segment - 1) / longest_segment;
    const dim_t segments = layout.rows() * per_row;
    const auto visit = [&](int worker, dim_t begin, dim_t end) {
        for (dim_t i = begin; i < end; ++i) {
            const dim_t first = i % per_row * longest_segment;
            body(worker, {i / per_row, first, std::min(longest_segment, cols - first)});
        }
    };
    layout.repeats() ? visit(0, 0, segments) : parallel_shares(segments, layout.elements(), visit);
}

broadcast_rows_t::broadcast_rows_t(const tensor_t &operand, dims_t extents, dims_t dims)
    : operand_(operand)
    , extents_(std::move(extents))
    , dims_(std::move(dims)) {}

void broadcast_rows_t::load(const segment_t &segment, double *values) const {
    dim_t row = segment.row, start = 0, stride = extents_.back();
    for (size_t axis = dims_.size() - 1; axis-- > 0;) {
        start += row % dims_[axis] % extents_[axis] * stride;
        row /= dims_[axis];
        stride *= extents_[axis];
    }
    if (extents_.back() == 1) {
        std::fill_n(values, segment.count, operand_.load(start));
        return;
    }
    if (operand_.cols() == extents_.back()) {
        operand_.load_span(start / extents_.back(), segment.first, segment.count, values);
        return;
    }
    // The operand has one axis that holds all masked axes.
    start += segment.first;
    for (dim_t i = 0; i < segment.count; ++i) values[i] = operand_.load(start + i);
}

} // namespace benchdnn
