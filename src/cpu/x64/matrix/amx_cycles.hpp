// SPDX-License-Identifier: Apache-2.0
// How long a product takes by AMX, for the choice between AMX and vectors.
#pragma once

#include "common/types.hpp"
#include "cpu/x64/matrix/step.hpp"

namespace kiln::x64::matrix {

/// Cycles of C[m][n] = A[m][k] * B[k][n] by amx_kernel_t, with sums of so many groups along K and
/// with packing that does not depend on the sizes.
double amx_cycles(step_t step, dim_t m, dim_t n, dim_t k, dim_t groups);

} // namespace kiln::x64::matrix
