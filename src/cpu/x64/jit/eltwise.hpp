// SPDX-License-Identifier: Apache-2.0
// Elementwise algorithms of the interface on a vector inside a kernel. It must not know where the
// vector comes from.
#pragma once

#include "common/types.hpp"
#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

/// Whether `alg` is an elementwise algorithm.
bool can_eltwise(alg_kind_t alg);

/// vec = alg(vec), forward, with alpha and beta as the interface documents them; what becomes of
/// infinities and NaN is as in cpu/reference/eltwise_scalar.hpp, the sign of a zero is open. A
/// vector argument stands for the whole register.
/// Needs up to max_math_temporaries vectors and max_math_masks masks while it writes.
void eltwise(generator_t &g, alg_kind_t alg, float alpha, float beta, const Xbyak::Xmm &vec);

} // namespace kiln::x64::jit
