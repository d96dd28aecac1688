// SPDX-License-Identifier: Apache-2.0
// Reorder on the CPU: its implementations, best first.
#pragma once

#include <span>

#include "common/operations/reorder_pd.hpp"

namespace kiln::cpu {

std::span<const implementation_t<reorder_pd_t>> reorder_list();

} // namespace kiln::cpu
