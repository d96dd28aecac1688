// SPDX-License-Identifier: Apache-2.0
// Conversion of whole vectors of floats to elements of other data types (bf16, f16, f8, s32, s8,
// u8) and back.
#pragma once

#include "common/types.hpp"
#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

/// What the conversion instruction to bf16 does to subnormal values: it flushes them to zero. To
/// keep them, other instructions look for them and convert them, which takes time.
enum class subnormals_t { flushed, kept };

/// To keep those of a tensor of src: only f32 has values that become subnormal in bf16.
inline subnormals_t subnormals_of(data_type_t src_type) {
    return src_type == dnnl_f32 ? subnormals_t::kept : subnormals_t::flushed;
}

/// packed = the lanes of vec as elements of `type`, adjacent from the lowest byte on; the rest of
/// packed is undefined. Precision and the registers needed besides `packed` are those of
/// lanes_io_t. Both are full vectors, in different registers.
void pack(generator_t &g, const Xmm &packed, data_type_t type, const Xmm &vec,
        subnormals_t subnormals = subnormals_t::flushed);

/// The same to s8 if every lane is less than 2^31 and none is NaN, which takes fewer instructions.
void pack_bounded(generator_t &g, const Xmm &packed, const Xmm &vec);

/// The upper half of each lane of `to` = the lane of vec as bf16, subnormal values kept; the lower
/// half is undefined. Both are full vectors, in different registers. Needs AVX-512 and a mask.
void round_upper_halves(generator_t &g, const Xmm &to, const Xmm &vec);

/// vec = elements of `type`, s32 included, as floats, from memory or from the low part of a
/// register, which may be vec itself. `vec` is a full vector and may have a zeroing mask. Exact,
/// except s32. f8_e4m3 needs a mask with AVX-512, a vector with AVX2. Of e8m0, lanes without an
/// element are 2^-127.
void expand(generator_t &g, const Xmm &vec, data_type_t type, const Xbyak::Operand &from);

/// vec = its s32 elements as floats that another rounding, to 16 bits, takes to where it would take
/// the integers: rounded to odd, from 2^24 on. Needs two vectors and what a condition needs.
void to_odd_floats(generator_t &g, const Xmm &vec);

/// vec = elements of f16 or bf16 as pack() leaves them, as floats. May be the same register.
void expand_packed(generator_t &g, const Xmm &vec, data_type_t type, const Xmm &packed);

/// vec = vec rounded to `type` (f32, f16, bf16), as floats. Needs a vector and what pack() needs.
void round_to(generator_t &g, const Xmm &vec, data_type_t type);

/// Each lane = an element of 1 or 2 bytes, zero-extended, from memory or from the low part of a
/// register, which may be vec itself. `vec` is a full vector and may have a zeroing mask.
void widen_bits(generator_t &g, const Xmm &vec, int size, const Xbyak::Operand &from);

/// The inverse of widen_bits(): packed = the low `size` bytes of each lane, whose others are zero.
void pack_bits(generator_t &g, const Xmm &packed, int size, const Xmm &vec);

/// Bytes of u8 become those of `to` = s8, the greatest value for greater ones, or the reverse, 0
/// for negative ones.
void clamp_bytes(generator_t &g, const Xmm &vec, data_type_t to);

/// to = `size` bytes of vec from byte `first` on, then zeros. `size` is 4, 8, 16, 32 or that of the
/// vector, `first` a multiple of it. The registers differ. Needs none.
void extract_part(generator_t &g, const Xmm &to, const Xmm &vec, int first, int size);

} // namespace kiln::x64::jit
