// SPDX-License-Identifier: Apache-2.0
// The epilogue of matrix products: bias, scales and post-ops, which make results of sums.
#pragma once

#include <vector>

#include "common/types.hpp"
#include "cpu/x64/jit/post_op_chain.hpp"

namespace kiln::x64::matrix {

/// Whether the epilogue adds a few tensors and does nothing else. Sums that are integers add those
/// of s32, exactly, and become s32, saturated once.
bool only_adds(
        const std::vector<jit::post_op_link_t> &epilogue, bool are_integers, data_type_t dst_type);

} // namespace kiln::x64::matrix
