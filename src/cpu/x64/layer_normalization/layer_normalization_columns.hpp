// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization by generated kernels where another axis than the normalized one lies
// innermost.
#pragma once

#include "common/operations/layer_normalization_pd.hpp"

namespace kiln::x64::layer_normalization {

refusal_t layer_normalization_columns_accept(layer_normalization_pd_t &pd);
status_t layer_normalization_columns_create(
        const layer_normalization_pd_t &pd, std::unique_ptr<primitive_impl_t> &impl);

} // namespace kiln::x64::layer_normalization
