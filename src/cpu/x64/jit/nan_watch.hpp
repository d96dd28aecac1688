// SPDX-License-Identifier: Apache-2.0
// Whether a NaN has been met, for instructions that forget it: one comparison for two vectors.
#pragma once

#include <optional>

#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

/// Takes a mask (AVX-512) or a vector (AVX2) for as long as it lives.
class nan_watch_t {
public:
    explicit nan_watch_t(generator_t &g);

    /// None has been met yet.
    void begin();
    /// Needs a mask or a vector while it writes; both may be the same register.
    void look_at(const Xbyak::Xmm &one, const Xbyak::Xmm &other);
    /// vec = NaN in every lane, if one has been met in any.
    void make_nan(const Xbyak::Xmm &vec);

private:
    generator_t &g_;
    std::optional<mask_t> mask_;
    std::optional<vec_t> lanes_;
};

} // namespace kiln::x64::jit
