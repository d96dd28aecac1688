// SPDX-License-Identifier: Apache-2.0
// Calls of the library whose lines of verbose mode are tested.
#pragma once

#include "scenario.hpp"

namespace kiln::test {

std::span<const scenario_t> verbose_scenarios();

} // namespace kiln::test
