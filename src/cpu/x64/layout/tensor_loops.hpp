// SPDX-License-Identifier: Apache-2.0
// Any number of tensors of one shape as loops: an axis is a loop, or several where blocks divide
// it. It knows layouts only.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "cpu/x64/layout/row_plan.hpp"

namespace kiln::x64 {

/// The loops that go through all elements, in no certain order; none has an extent of 1. Tensors
/// have the first one's extents or, along axes they are broadcast over, 1. Nothing where a tensor
/// has padding, or blocks do not go into each other.
std::optional<std::vector<row_mode_t>> make_loops(std::span<const memory_desc_t *const> tensors);

} // namespace kiln::x64
