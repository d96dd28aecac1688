// SPDX-License-Identifier: Apache-2.0
// Vectors that instructions read as their last operand: they need no register.
#pragma once

#include "common/function_ref.hpp"
#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

/// `count` vectors, in registers; where the ISA has 16 of these, in the 128 bytes below the stack
/// pointer, which a function that calls none may use (the System V red zone). A kernel has one such
/// object at a time, and leaves the stack pointer as it is meanwhile.
class kept_vecs_t {
public:
    /// At most 4 if the ISA has 16 registers.
    kept_vecs_t(generator_t &g, const char *name, int count);
    bool empty() const { return registers_.empty() && places_.empty(); }

    /// An operand of as many bits as the ISA's vectors.
    const Xbyak::Operand &operator[](int i) const;
    void set(int i, const Xmm &vec) const;
    /// Writes `body`, which sets it.
    void write(int i, const function_ref_t<void(const Xmm &to)> &body) const;

private:
    generator_t &g_;
    vecs_t registers_;
    list_t<Xbyak::Address> places_;
};

} // namespace kiln::x64::jit
