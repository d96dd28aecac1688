// SPDX-License-Identifier: Apache-2.0
// A part of a vector register moved to its beginning.
#pragma once

#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

/// to = `size` bytes of vec from byte `first` on, zeros above them. `size` is 4, 8, 16, 32 or
/// the vector's, `first` a multiple of it. Not the same register.
void extract_part(generator_t &g, const Xbyak::Xmm &to, const Xbyak::Xmm &vec, int first, int size);

} // namespace kiln::x64::jit
