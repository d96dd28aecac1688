// SPDX-License-Identifier: Apache-2.0
// Plans that consist of other primitives, as text (kiln/plan.h).
#pragma once

#include <string>

#include "common/primitive/primitive_desc.hpp"

namespace kiln::cpu {

/// "WHAT by reorder jit:nests", and below it the step's own plan.
std::string step_text(const std::string &what, const primitive_desc_t &step);

} // namespace kiln::cpu
