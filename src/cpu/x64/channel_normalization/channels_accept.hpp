// SPDX-License-Identifier: Apache-2.0
// Batch and group normalization by generated kernels: what is taken, and in which shape of work.
#pragma once

#include "common/operations/batch_normalization_pd.hpp"
#include "common/operations/group_normalization_pd.hpp"

namespace kiln::x64::channel_normalization {

/// Takes layouts in which channels lie innermost: whole or, for batch normalization, in blocks.
refusal_t channel_columns_accept(batch_normalization_pd_t &pd);
refusal_t channel_columns_accept(group_normalization_pd_t &pd);
/// Takes layouts in which elements of a channel lie innermost.
refusal_t channel_planes_accept(batch_normalization_pd_t &pd);
refusal_t channel_planes_accept(group_normalization_pd_t &pd);

status_t channels_create(
        const batch_normalization_pd_t &pd, std::unique_ptr<primitive_impl_t> &impl);
status_t channels_create(
        const group_normalization_pd_t &pd, std::unique_ptr<primitive_impl_t> &impl);

} // namespace kiln::x64::channel_normalization
