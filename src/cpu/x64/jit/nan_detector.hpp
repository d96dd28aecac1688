// SPDX-License-Identifier: Apache-2.0
// Detection of NaN among operands of instructions that do not propagate it, such as vmaxps. One
// comparison checks two vectors.
#pragma once

#include <optional>

#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

/// Takes a mask (AVX-512) or a vector (AVX2) while the object exists.
class nan_detector_t {
public:
    explicit nan_detector_t(generator_t &g);

    /// Starts anew: no NaN has been found.
    void reset();
    /// Checks two vectors, which may be the same register. Needs a mask (AVX-512) or a vector.
    void check(const Xbyak::Xmm &one, const Xbyak::Xmm &other);
    /// Every lane of vec = NaN, if a NaN has been found in any lane.
    void propagate(const Xbyak::Xmm &vec);

private:
    generator_t &g_;
    std::optional<mask_t> mask_;
    std::optional<vec_t> lanes_;
};

} // namespace kiln::x64::jit
