// SPDX-License-Identifier: Apache-2.0
// Weights of inner products in the layouts that matrix multiplication chooses.
#pragma once

#include <optional>

#include "common/memory/memory_desc.hpp"

namespace kiln::cpu {

/// Weights [O, ...] that lie in memory as the weights [K, O] of a matrix multiplication, which may
/// be packed, where K counts the positions along the other axes in the order in which those of
/// `model` lie in memory. Nothing if rows of the matrix are grouped across an axis.
std::optional<memory_desc_t> unflattened(
        const memory_desc_t &matrix, const memory_desc_t &weights, const memory_desc_t &model);

/// The blocked matrix whose unflattened() weights these are; nothing if there is none.
std::optional<memory_desc_t> packed_matrix(const memory_desc_t &weights);

/// `md` without gaps, its axes but the first in the order in which those of `model` lie in memory.
memory_desc_t ordered_like(const memory_desc_t &md, const memory_desc_t &model);

} // namespace kiln::cpu
