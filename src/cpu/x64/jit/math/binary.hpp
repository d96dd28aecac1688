// SPDX-License-Identifier: Apache-2.0
// Binary algorithms of the interface (is_binary_alg) on vectors.
#pragma once

#include "common/types.hpp"
#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

constexpr int max_binary_temporaries = 1; // AVX2; AVX-512 has masks
constexpr int max_binary_masks = 1;       // AVX-512

/// Which operands have no lane that is NaN.
struct numbers_t {
    bool x = false, y = false;
};

/// x = alg(x, y) as cpu/binary_scalar.hpp defines it. dnnl_binary_select, and no other
/// algorithm, has a condition: x = condition != 0 ? x : y. A vector argument means the whole
/// register; y and condition are unchanged. Needs max_binary_temporaries vectors and
/// max_binary_masks masks.
void binary(generator_t &g, alg_kind_t alg, const Xmm &x, const Xmm &y,
        const Xmm *condition = nullptr, numbers_t numbers = {});

} // namespace kiln::x64::jit
