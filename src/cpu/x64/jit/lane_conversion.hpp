// SPDX-License-Identifier: Apache-2.0
// Converts vectors of floats to elements of other data types and back: bf16, f16, s8 and u8. It
// must not know how many lanes are meant.
#pragma once

#include "common/types.hpp"
#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

/// What becomes of values that are subnormal in bf16 where the processor converts to it: its
/// instruction makes zeros of them, and to look for them takes time.
enum class subnormals_t { flushed, kept };

/// packed = the lanes of vec as elements of `type`, side by side from the lowest byte on; what the
/// rest of packed holds is not defined. Rounding, saturation and the registers needed besides
/// `packed` are as lanes_io_t says. Both registers are full vectors, and not the same one.
void pack(generator_t &g, const Xbyak::Xmm &packed, data_type_t type, const Xbyak::Xmm &vec,
        subnormals_t subnormals = subnormals_t::flushed);

/// vec = elements of `type`, which may be s32 here, as floats, from memory or from the low part of
/// a register, which may be vec's own. `vec` is a full vector and may carry a zeroing mask.
void expand(generator_t &g, const Xbyak::Xmm &vec, data_type_t type, const Xbyak::Operand &from);

/// vec = elements of f16 or bf16 that pack() put side by side, which may lie in the same register.
void expand_packed(
        generator_t &g, const Xbyak::Xmm &vec, data_type_t type, const Xbyak::Xmm &packed);

/// vec = the floats that `type` (f32, f16, bf16) holds them as. Needs a vector, and what pack()
/// does.
void round_to(generator_t &g, const Xbyak::Xmm &vec, data_type_t type);

/// Lanes = elements of 1 or 2 bytes, zeros above them, from memory or from the low part of a
/// register, which may be vec's own. `vec` is a full vector and may carry a zeroing mask.
void widen_bits(generator_t &g, const Xbyak::Xmm &vec, int size, const Xbyak::Operand &from);

/// The other way round: packed = the low bytes of each lane, which has nothing above them.
void pack_bits(generator_t &g, const Xbyak::Xmm &packed, int size, const Xbyak::Xmm &vec);

} // namespace kiln::x64::jit
