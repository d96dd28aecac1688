// SPDX-License-Identifier: Apache-2.0
// e^x of numbers that are not positive, for kernels that spend their time on it.
#pragma once

#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

/// Writes e^x in place, within 2 ulp for x <= 0. NaN stays NaN; -infinity gives 0. The result for
/// x > 88 is undefined. AVX-512: results may be subnormal. AVX2: results below e^-87 are 0.
///
/// AVX-512: x = n * ln(2) / 32 + r with an integer n, and e^x = 2^(n / 32) * e^r. The table of
/// 2^(i / 32) for i < 32 is in two registers. AVX2: n * ln(2) + r, and a longer polynomial.
///
/// Takes nine vectors with AVX-512 while the object exists, for constants; apply() takes three
/// more, and a mask. Lanes whose result is 0 are masked when it is scaled: Intel's processors take
/// some 150 cycles where an instruction underflows.
class non_positive_exp_t {
public:
    explicit non_positive_exp_t(generator_t &g);
    void apply(const Xmm &x) const;

private:
    void apply_avx512(const Xmm &x) const;
    void apply_avx2(const Xmm &x) const;

    generator_t &g_;
    vecs_t constants_; // AVX-512, by exp_constant_t
};

} // namespace kiln::x64::jit
