// SPDX-License-Identifier: Apache-2.0
// The epilogue of matrix products: bias, scales and post-ops, which make results of sums.
#pragma once

#include <algorithm>
#include <vector>

#include "common/types.hpp"
#include "cpu/x64/jit/post_op_chain.hpp"

namespace kiln::x64::matrix {

/// Whether the epilogue adds a few tensors and does nothing else. Sums that are integers add those
/// of s32, exactly, and become s32, saturated once.
inline bool only_adds(
        const std::vector<jit::post_op_link_t> &epilogue, bool are_integers, data_type_t dst_type) {
    constexpr size_t few = 4; // their addresses are in registers
    const auto adds = [&](const jit::post_op_link_t &link) {
        const bool is_addition = link.alg == dnnl_binary_add && link.operands.size() == 1
                                 && (!link.is_sum || (link.alpha == 1 && link.beta == 0));
        return is_addition && (!are_integers || link.operands.front().type == dnnl_s32);
    };
    return !epilogue.empty() && epilogue.size() <= few && (!are_integers || dst_type == dnnl_s32)
           && std::ranges::all_of(epilogue, adds);
}

} // namespace kiln::x64::matrix
