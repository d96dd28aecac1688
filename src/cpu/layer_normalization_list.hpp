// SPDX-License-Identifier: Apache-2.0
// Layer normalization on the CPU: its implementations, best first.
#pragma once

#include <span>

#include "common/operations/layer_normalization_pd.hpp"

namespace kiln::cpu {

std::span<const implementation_t<layer_normalization_pd_t>> layer_normalization_list();

} // namespace kiln::cpu
