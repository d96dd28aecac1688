// SPDX-License-Identifier: Apache-2.0
// How an epilogue begins.

#include "cpu/x64/matrix/amx_scaling.hpp"

#include <algorithm>

namespace kiln::x64::matrix {
namespace {

/// Whether the link computes `alg` with one operand and nothing else.
bool is_plain(const jit::post_op_link_t &link, alg_kind_t alg) {
    return link.alg == alg && link.operands.size() == 1 && !link.is_sum && !link.is_prelu
           && !link.is_scaled;
}

} // namespace

amx_scaling_t::amx_scaling_t(
        const std::vector<jit::post_op_link_t> &epilogue, const std::vector<dim_t> &pitches) {
    for (const jit::post_op_link_t &link : epilogue) {
        const auto first = pitches.begin() + static_cast<dim_t>(is_shared.size());
        const bool are_shared = std::all_of(first, first + static_cast<dim_t>(link.operands.size()),
                [](dim_t pitch) { return pitch == 0; });
        const bool adds = is_plain(link, dnnl_binary_add) && are_shared;
        const bool scales = link.is_by_scale || is_plain(link, dnnl_binary_mul);
        if (adds && has_factors() && !has_addends())
            addition = end;
        else if (scales && are_shared)
            factors.push_back(end);
        else if (!scales || has_addends())
            break;
        is_shared.resize(is_shared.size() + link.operands.size(), are_shared);
        ++end;
    }
}

bool amx_scaling_t::is_of_row(size_t link) const {
    return link < end && link != addition && std::ranges::find(factors, link) == factors.end();
}

} // namespace kiln::x64::matrix
