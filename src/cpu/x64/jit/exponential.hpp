// SPDX-License-Identifier: Apache-2.0
// e^x of numbers that are not positive, for kernels that spend their time on it.
#pragma once

#include <optional>
#include <vector>

#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

/// Writes e^x in place, within 2 ulp for x <= 0. NaN stays NaN; -infinity gives 0. The result for
/// x > 88 is undefined. AVX-512: results may be subnormal. AVX2: results below e^-87 are 0.
///
/// Takes ten vectors with AVX-512 while the object exists, for constants; apply() takes two more
/// vectors with AVX-512 and three with AVX2.
class non_positive_exp_t {
public:
    explicit non_positive_exp_t(generator_t &g);
    void apply(const Xbyak::Xmm &x) const;

private:
    const Xbyak::Operand &constant(size_t index) const;
    void scale(const Xbyak::Xmm &x, const Xbyak::Xmm &power) const;

    generator_t &g_;
    std::vector<Xbyak::Address> addresses_;
    std::vector<vec_t> registers_; // AVX-512
};

} // namespace kiln::x64::jit
