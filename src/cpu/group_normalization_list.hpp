// SPDX-License-Identifier: Apache-2.0
// Group normalization on the CPU: its implementations, best first.
#pragma once

#include <span>

#include "common/operations/group_normalization_pd.hpp"

namespace kiln::cpu {

std::span<const implementation_t<group_normalization_pd_t>> group_normalization_list();

} // namespace kiln::cpu
