// SPDX-License-Identifier: Apache-2.0
// The scalar truth of layer and RMS normalization: any strides, any data types, in double.
#pragma once

#include "common/operations/layer_normalization_pd.hpp"

namespace kiln::cpu::reference {

/// Takes tensors without elements: computed statistics and gradients of scale and shift become 0.
refusal_t layer_normalization_empty_accept(layer_normalization_pd_t &pd);
status_t layer_normalization_empty_create(
        const layer_normalization_pd_t &pd, std::unique_ptr<primitive_impl_t> &impl);

/// Takes whatever the operation allows.
refusal_t layer_normalization_accept(layer_normalization_pd_t &pd);
status_t layer_normalization_create(
        const layer_normalization_pd_t &pd, std::unique_ptr<primitive_impl_t> &impl);

} // namespace kiln::cpu::reference
