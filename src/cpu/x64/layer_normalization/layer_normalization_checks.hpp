// SPDX-License-Identifier: Apache-2.0
// What every generated kernel of layer normalization asks of a problem, whatever its layouts.
#pragma once

#include "common/operations/layer_normalization_pd.hpp"

namespace kiln::x64::layer_normalization {

/// Refuses processors, data types and statistics that no kernel takes.
refusal_t check_kernel_operands(const layer_normalization_pd_t &pd);

/// For kernels that know nothing beyond the C interface.
refusal_t refuse_fused_forward(const layer_normalization_pd_t &pd);
refusal_t refuse_fused_backward(const layer_normalization_pd_t &pd);

} // namespace kiln::x64::layer_normalization
