// SPDX-License-Identifier: Apache-2.0
// Reduction on the CPU: its implementations, best first.
#pragma once

#include <span>

#include "common/operations/reduction_pd.hpp"

namespace kiln::cpu {

std::span<const implementation_t<reduction_pd_t>> reduction_list();

} // namespace kiln::cpu
