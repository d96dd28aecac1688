// SPDX-License-Identifier: Apache-2.0
// Elementwise algorithms of the interface on a vector.
#pragma once

#include "common/types.hpp"
#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

/// Whether `alg` is an elementwise algorithm.
bool can_eltwise(alg_kind_t alg);

/// vec = alg(vec), forward, with alpha and beta as the interface documents them. Results for
/// infinities and NaN are as in cpu/reference/eltwise_scalar.hpp; the sign of a zero is
/// unspecified. A vector argument means the whole register. Precision is that of math.hpp. Needs
/// max_math_temporaries vectors and max_math_masks masks.
void eltwise(generator_t &g, alg_kind_t alg, float alpha, float beta, const Xbyak::Xmm &vec);

} // namespace kiln::x64::jit
