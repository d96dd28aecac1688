// SPDX-License-Identifier: Apache-2.0
// Batch and group normalization by generated kernels: which problems they accept.
#pragma once

#include "common/operations/normalization/batch_normalization_pd.hpp"
#include "common/operations/normalization/group_normalization_pd.hpp"
#include "cpu/x64/channels/channel_rows.hpp"
#include "cpu/x64/isa.hpp"

namespace kiln::x64::channel_normalization {

/// Columns: for layouts whose innermost axis is the channel, whole or, for batch normalization, in
/// blocks. Planes: for layouts whose innermost axis is another one.
template <channel_rows_t rows, typename pd_t>
refusal_t accept_channels(pd_t &pd, isa_t isa, plan_ptr_t &plan);

/// Batch normalization of channels that are innermost and have few elements.
refusal_t accept_batch_columns(batch_normalization_pd_t &pd, isa_t isa, plan_ptr_t &plan);

} // namespace kiln::x64::channel_normalization
