// SPDX-License-Identifier: Apache-2.0
// Derivatives of elementwise functions as the tests know them.
#pragma once

#include "support/interval.hpp"

namespace kiln::test {

/// Whether the gradient is computed from dst.
bool uses_dst(dnnl_alg_kind_t alg);
/// Whether the function is defined for positive arguments alone.
bool needs_positive(dnnl_alg_kind_t alg);

/// The derivative of the function at `data` or, if it uses dst, where the function is `data`, with
/// what f32 arithmetic may be off. It is the quotient of small differences of the function itself.
interval_t slope(dnnl_alg_kind_t alg, float alpha, float beta, long double data);

} // namespace kiln::test
