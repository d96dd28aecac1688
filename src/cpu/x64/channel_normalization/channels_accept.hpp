// SPDX-License-Identifier: Apache-2.0
// Batch and group normalization by generated kernels: which problems they accept.
#pragma once

#include "common/operations/batch_normalization_pd.hpp"
#include "common/operations/group_normalization_pd.hpp"

namespace kiln::x64::channel_normalization {

/// For layouts whose innermost axis is the channel: whole or, for batch normalization, in blocks.
refusal_t channel_columns_accept(batch_normalization_pd_t &pd, plan_ptr_t &plan);
refusal_t channel_columns_accept(group_normalization_pd_t &pd, plan_ptr_t &plan);
/// For layouts whose innermost axis is another one.
refusal_t channel_planes_accept(batch_normalization_pd_t &pd, plan_ptr_t &plan);
refusal_t channel_planes_accept(group_normalization_pd_t &pd, plan_ptr_t &plan);

} // namespace kiln::x64::channel_normalization
