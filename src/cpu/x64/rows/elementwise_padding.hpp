// SPDX-License-Identifier: Apache-2.0
// Padding of elementwise operations: where all operands are padded alike, it is computed as if it
// were elements, and is zero again if the chain keeps zeros.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "common/memory/memory_desc.hpp"
#include "cpu/x64/rows/elementwise_kernel.hpp"

namespace kiln::x64 {

/// Descriptors in which the padding of dst is elements too; nothing where dst has none, or an
/// operand is padded otherwise than dst.
std::optional<std::vector<memory_desc_t>> with_padding(
        std::span<const memory_desc_t *const> operands);

/// Whether padding of dst is computed, and the results are zeros: those of the chain for zeros are
/// +0, and it reads nothing else for padding.
bool keeps_padding(std::span<const memory_desc_t *const> operands, const elementwise_spec_t &spec);

} // namespace kiln::x64
