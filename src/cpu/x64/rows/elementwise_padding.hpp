// SPDX-License-Identifier: Apache-2.0
// Padding of elementwise operations: where all operands are padded alike, it is computed as if it
// were elements, and is zero again if the chain keeps zeros. Elsewhere kernels store zeros behind
// rows that end where the padding of dst begins.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "common/memory/memory_desc.hpp"
#include "cpu/x64/layout/tensor_loops.hpp"
#include "cpu/x64/rows/elementwise_kernel.hpp"

namespace kiln::x64 {

/// Descriptors in which the padding of dst is elements too; nothing where dst has none, or an
/// operand is padded otherwise than dst.
std::optional<std::vector<memory_desc_t>> with_padding(
        std::span<const memory_desc_t *const> operands);

/// Whether dst, the first operand, is padded, and all other operands have the same padding along
/// the same axes, and no other one.
bool are_padded_alike(std::span<const memory_desc_t *const> operands);

/// Whether padding of dst is computed, and the results are zeros: those of the chain for zeros are
/// +0, and it reads nothing else for padding.
bool keeps_padding(std::span<const memory_desc_t *const> operands, const elementwise_spec_t &spec);

/// How many elements of padding follow each row of the box in dst: 0 if rows do not end with the
/// last block of dst's only blocked axis. The box has elements of dst, no padding.
dim_t padding_behind(std::span<const memory_desc_t *const> operands, const tensor_box_t &box,
        const row_mode_t &line);

} // namespace kiln::x64
