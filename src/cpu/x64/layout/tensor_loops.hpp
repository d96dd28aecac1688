// SPDX-License-Identifier: Apache-2.0
// Any number of tensors of one shape as loops: an axis is a loop, or several where blocks divide
// it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "common/function_ref.hpp"
#include "cpu/x64/layout/row_plan.hpp"

namespace kiln::x64 {

/// Elements that loops walk: the offset of the first one in each tensor, offset0 included, and the
/// loops, in no particular order. None has an extent of 1.
struct tensor_box_t {
    row_offsets_t origin;
    std::vector<row_mode_t> loops;
};

/// All elements, without padding, as boxes: one, or several where blocks do not divide an axis. A
/// tensor has the extents of the first one, or 1 along axes where it is broadcast, or a divisor of
/// them along axes where a group of neighbours shares an element; the zero descriptor is broadcast
/// along all of them. Nothing if a tensor is padded in front, if sizes of blocks and groups along
/// an axis do not divide each other, or if there are more than 16 boxes.
std::optional<std::vector<tensor_box_t>> make_boxes(std::span<const memory_desc_t *const> tensors);

/// The loops of the only box. Nothing if there are several.
std::optional<std::vector<row_mode_t>> make_loops(std::span<const memory_desc_t *const> tensors);

/// Consecutive positions along an axis as boxes whose origins are distances from the first element:
/// as many of the greatest step of blocks as there are, then of the next. For tensors that
/// make_boxes() takes.
std::vector<tensor_box_t> segments_along(std::span<const memory_desc_t *const> tensors, int axis);

/// The positions along an axis, from 1, at which the distance between neighbours changes in one of
/// the tensors: products of its inner blocks. In ascending order.
std::vector<dim_t> block_steps(std::span<const memory_desc_t *const> tensors, int axis);

/// Whether each of these numbers, in ascending order, divides the next.
bool divide_each_other(const std::vector<dim_t> &numbers);

/// Removes from `loops` the first one that `is_innermost` holds for, and joins to it all loops that
/// continue it in every tensor. Nothing if there is none.
std::optional<row_mode_t> take_line(std::vector<row_mode_t> &loops, size_t tensors,
        const function_ref_t<bool(const row_mode_t &)> &is_innermost);

/// The same for the loop whose neighbours are nearest to each other in tensor `leader`, but differ
/// there if there is one. An extent of 1 if there are no loops.
row_mode_t take_nearest(std::vector<row_mode_t> &loops, size_t tensors, size_t leader = 0);

} // namespace kiln::x64
