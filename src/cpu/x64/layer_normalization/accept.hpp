// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization by generated kernels: which problems they take.
#pragma once

#include "common/operations/normalization/group_normalization_pd.hpp"
#include "common/operations/normalization/layer_normalization_pd.hpp"
#include "cpu/x64/isa.hpp"

namespace kiln::x64::layer_normalization {

/// Problems whose normalized axis is innermost in every tensor.
refusal_t accept_rows(layer_normalization_pd_t &pd, isa_t isa, plan_ptr_t &plan);

/// Problems in which another axis is.
refusal_t accept_columns(layer_normalization_pd_t &pd, isa_t isa, plan_ptr_t &plan);

/// Group normalization forward of groups whose elements are adjacent and few, which are rows.
refusal_t accept_group_rows(group_normalization_pd_t &pd, isa_t isa, plan_ptr_t &plan);

} // namespace kiln::x64::layer_normalization
