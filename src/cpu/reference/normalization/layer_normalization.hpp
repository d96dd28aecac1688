// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of layer and RMS normalization: any strides, any data types,
// in double.
#pragma once

#include "common/operations/normalization/layer_normalization_pd.hpp"

namespace kiln::cpu::reference {

/// Accepts whatever the operation allows, of tensors with elements.
refusal_t layer_normalization_accept(layer_normalization_pd_t &pd, plan_ptr_t &plan);

} // namespace kiln::cpu::reference
