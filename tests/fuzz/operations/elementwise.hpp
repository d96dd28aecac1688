// SPDX-License-Identifier: Apache-2.0
// Elementwise functions, binary operations, PReLU, softmax, sum, concatenation and shuffle.
#pragma once

#include "support/input.hpp"

namespace kiln::fuzz {

/// Describes one of them, legal or nearly so, and executes it.
void run_elementwise(input_t &input);

} // namespace kiln::fuzz
