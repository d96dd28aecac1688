// SPDX-License-Identifier: Apache-2.0
// Extraction of an aligned part of a vector register.
#pragma once

#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

/// to = `size` bytes of vec from byte `first` on, then zeros. `size` is 4, 8, 16, 32 or that of the
/// vector, `first` a multiple of it. The registers differ. Needs none.
void extract_part(generator_t &g, const Xbyak::Xmm &to, const Xbyak::Xmm &vec, int first, int size);

} // namespace kiln::x64::jit
