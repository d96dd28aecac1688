// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication and inner products.
#pragma once

#include "support/input.hpp"

namespace kiln::fuzz {

/// Describes one of them, legal or nearly so, and executes it.
void run_product(input_t &input);
/// A function of BLAS.
void run_gemm(input_t &input);

} // namespace kiln::fuzz
