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

/// The loops over all elements, in no particular order; none has an extent of 1. A tensor has the
/// extents of the first one, or 1 along axes where it is broadcast; the zero descriptor is
/// broadcast along all of them. Nothing if a tensor is padded along an axis on which it has several
/// elements, or if block sizes along an axis do not divide each other.
std::optional<std::vector<row_mode_t>> make_loops(std::span<const memory_desc_t *const> tensors);

/// The positions along an axis, from 1, at which the distance between neighbours changes in one of
/// the tensors: products of its inner blocks. In ascending order.
std::vector<dim_t> block_steps(std::span<const memory_desc_t *const> tensors, int axis);

/// Whether each of these numbers, in ascending order, divides the next.
bool divide_each_other(const std::vector<dim_t> &numbers);

/// Removes from `loops` the first one that `is_innermost` holds for, and joins to it all loops that
/// continue it in every tensor. Nothing if there is none.
std::optional<row_mode_t> take_line(std::vector<row_mode_t> &loops, size_t tensors,
        const function_ref_t<bool(const row_mode_t &)> &is_innermost);

} // namespace kiln::x64
