// SPDX-License-Identifier: Apache-2.0
// Shuffle as a reorder of tensors in which the axis is two: the columns and rows of a matrix, which
// src and dst have in opposite order.
#pragma once

#include "common/operations/shuffle_pd.hpp"

namespace kiln::cpu {

/// Takes a problem if the nests of reorder take its views: an axis that is not blocked,
/// or whose block and the rows and columns divide each other.
refusal_t reordered_shuffle_accept(shuffle_pd_t &pd, plan_ptr_t &plan);

} // namespace kiln::cpu
