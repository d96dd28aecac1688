// SPDX-License-Identifier: Apache-2.0
// The loops of a reorder: its tensors with their axes in loop order, so that the innermost axis
// makes long runs. It depends on layouts only.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "common/memory/memory_desc.hpp"

namespace kiln::cpu::reference {

inline bool is_blocked_along(const memory_desc_t &md, int axis) {
    const blocking_t &blocking = md.format_desc.blocking;
    const auto *end = blocking.inner_idxs + blocking.inner_nblks;
    return std::find(blocking.inner_idxs, end, axis) != end;
}

/// Whether all elements along the axis are adjacent in memory.
inline bool is_contiguous(const memory_desc_t &md, int axis) {
    return !is_blocked_along(md, axis) && md.format_desc.blocking.strides[axis] == 1;
}

class reorder_axes_t {
public:
    /// Tensors 0 and 1. They have the same dims and at least one element.
    reorder_axes_t(const memory_desc_t &src, const memory_desc_t &dst)
        : tensors_{src, dst} {}

    /// Whether the tensor is broadcast along no blocked axis, or there is an index beyond the axes.
    bool can_add(const memory_desc_t &operand) const {
        for (int d = 0; d < ndims(); ++d)
            if (operand.dims[d] != extent(d) && is_blocked_along(operand, d))
                return ndims() < max_ndims;
        return true;
    }

    /// A tensor that is broadcast along its axes of one element. Where its extent is a divisor,
    /// groups of neighbours share an element.
    void add(const memory_desc_t &operand) {
        memory_desc_t md = operand;
        blocking_t &blocking = md.format_desc.blocking;
        for (int d = 0; d < ndims(); ++d) {
            if (md.dims[d] != 1 || extent(d) == 1) continue;
            md.dims[d] = md.padded_dims[d] = extent(d);
            blocking.strides[d] = 0;
            // A block of one element only moves elements of other axes apart: it becomes a block of
            // an axis that does not exist.
            std::replace(blocking.inner_idxs, blocking.inner_idxs + blocking.inner_nblks, dim_t(d),
                    dim_t(ndims()));
        }
        tensors_.push_back(md);
    }

    /// Drops axes of one element, puts the axes in dst's order, outermost first, and merges
    /// neighbouring axes that can be merged in all tensors. The last axis is a long one afterwards,
    /// if there is any.
    void simplify() {
        permute(dst_order());
        // Blocked axes are kept even with one element, because their blocks determine the strides.
        for (int d = ndims() - 1; d >= 0 && ndims() > 1; --d)
            if (extent(d) == 1 && is_unblocked(d)) drop_axis(d);
        for (int d = ndims() - 1; d > 0; --d)
            if (merges(d - 1, d)) merge(d - 1, d);
        move_long_axis_inside();
    }

    const std::vector<memory_desc_t> &tensors() const { return tensors_; }

private:
    using order_t = std::vector<int>;

    int ndims() const { return tensors_.front().ndims; }
    dim_t extent(int axis) const { return tensors_.front().dims[axis]; }

    bool is_unblocked(int axis) const {
        return std::none_of(tensors_.begin(), tensors_.end(),
                [&](const memory_desc_t &md) { return is_blocked_along(md, axis); });
    }

    order_t identity() const {
        order_t order(static_cast<size_t>(ndims()));
        std::iota(order.begin(), order.end(), 0);
        return order;
    }

    /// Axes by the distance of neighbours in dst, farthest first; axes of one element have distance
    /// 0.
    order_t dst_order() const {
        std::vector<dim_t> steps;
        for (int d = 0; d < ndims(); ++d) {
            const axis_offsets_t axis(tensors_[1], d);
            steps.push_back(extent(d) == 1 ? std::numeric_limits<dim_t>::max() : axis(1) - axis(0));
        }
        order_t order = identity();
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
            return steps[static_cast<size_t>(a)] > steps[static_cast<size_t>(b)];
        });
        return order;
    }

    /// Axis order[i] becomes axis i.
    void permute(const order_t &order) {
        for (memory_desc_t &md : tensors_) {
            const memory_desc_t from = md;
            blocking_t &blocking = md.format_desc.blocking;
            for (int i = 0; i < ndims(); ++i) {
                const int d = order[static_cast<size_t>(i)];
                md.dims[i] = from.dims[d];
                md.padded_dims[i] = from.padded_dims[d];
                md.padded_offsets[i] = from.padded_offsets[d];
                blocking.strides[i] = from.format_desc.blocking.strides[d];
            }
            for (int i = 0; i < blocking.inner_nblks; ++i)
                blocking.inner_idxs[i] =
                        std::find(order.begin(), order.end(), blocking.inner_idxs[i])
                        - order.begin();
        }
    }

    void move_inside(int axis) {
        order_t order = identity();
        std::rotate(order.begin() + axis, order.begin() + axis + 1, order.end());
        permute(order);
    }

    /// Only for axes that no tensor is blocked along.
    void drop_axis(int axis) {
        move_inside(axis);
        for (memory_desc_t &md : tensors_) --md.ndims;
    }

    bool merges(int outer, int inner) const {
        if (!is_unblocked(outer) || !is_unblocked(inner)) return false;
        return std::all_of(tensors_.begin(), tensors_.end(), [&](const memory_desc_t &md) {
            const auto &strides = md.format_desc.blocking.strides;
            return md.dims[outer] == extent(outer) && md.dims[inner] == extent(inner)
                   && strides[outer] == md.dims[inner] * strides[inner];
        });
    }

    void merge(int outer, int inner) {
        for (memory_desc_t &md : tensors_) {
            md.dims[inner] *= md.dims[outer];
            md.padded_dims[inner] = md.dims[inner];
        }
        drop_axis(outer);
    }

    void move_long_axis_inside() {
        constexpr dim_t long_enough = 16;
        if (extent(ndims() - 1) >= long_enough) return;
        const dim_t *dims = tensors_.front().dims;
        move_inside(static_cast<int>(std::max_element(dims, dims + ndims()) - dims));
    }

    std::vector<memory_desc_t> tensors_;
};

} // namespace kiln::cpu::reference
