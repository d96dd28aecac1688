// SPDX-License-Identifier: Apache-2.0
// Normalizations of tensors that lie unlike each other, or in blocks, by way of copies.
#pragma once

#include <string_view>

#include "cpu/relaid.hpp"

namespace kiln::cpu {

/// A row of a normalization's list, whose kernels' first row is `first_row`. The axes of statistics
/// are the first ones of src.
template <typename desc_t>
refusal_t relaid_normalization_accept(typename desc_t::pd_t &pd, plan_ptr_t &plan,
        std::span<const described_arg_t<desc_t>> forward,
        std::span<const described_arg_t<desc_t>> backward, std::string_view first_row,
        relaid_to_t to = relaid_to_t::first_or_row_major) {
    if (pd.combines_statistics() || pd.combines_weight_gradients())
        return refused("ranks combine their results");
    return relaid_accept<desc_t>(pd, plan, pd.is_forward() ? forward : backward, to, first_row);
}

} // namespace kiln::cpu
