// SPDX-License-Identifier: Apache-2.0
// Batch normalization on the CPU: its implementations, best first.
#pragma once

#include <span>

#include "common/operations/batch_normalization_pd.hpp"

namespace kiln::cpu {

std::span<const implementation_t<batch_normalization_pd_t>> batch_normalization_list();

} // namespace kiln::cpu
