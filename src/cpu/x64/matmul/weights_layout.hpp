// SPDX-License-Identifier: Apache-2.0
// Layouts of weights that products by tiles choose for format `any`.
#pragma once

#include <optional>

#include "common/memory/memory_desc.hpp"
#include "cpu/x64/isa.hpp"

namespace kiln::x64::matmul {

/// Weights [..., K, N] in panels of `width` columns, as tiles read them: panels one behind another,
/// and in a panel groups of `depth` rows, in which the elements of a column are adjacent. N and K
/// are padded with zeros to whole panels and groups.
memory_desc_t packed_weights(const memory_desc_t &weights, int width, int depth);
/// The same if K fills tile registers of AMX, `amx_rows` groups each; else K is padded to them.
memory_desc_t packed_weights_for_amx(const memory_desc_t &weights, int width, int depth);

/// What a packed layout is: vectors of a panel, and rows of a group.
struct packing_t {
    int vectors, depth;
};
std::optional<packing_t> packing_of(const memory_desc_t &weights, isa_t isa);

/// Weights [..., K, N] in which the elements along K are adjacent.
memory_desc_t dense_columns(const memory_desc_t &weights);

} // namespace kiln::x64::matmul
