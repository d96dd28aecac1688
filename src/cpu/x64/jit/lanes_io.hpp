// SPDX-License-Identifier: Apache-2.0
// Loads and stores of vectors of floats from and to memory of any data type.
#pragma once

#include <optional>

#include "common/function_ref.hpp"
#include "common/types.hpp"
#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/lane_conversion.hpp"

namespace kiln::x64::jit {

enum class store_t {
    ordinary,
    non_temporal, // to aligned addresses
    halves // ordinary, half a vector of 64 bytes each: of two that cross cache lines, one does
};

/// Loads and stores vectors of floats with conversion from and to the data type of a tensor: f32,
/// bf16, f16, f8, s32, s8, u8. Memory beyond the last requested lane is never accessed.
/// A vector argument means the whole register, whichever part of it is passed.
///
/// Precision: conversions round to nearest even (MXCSR's default). NaN stays a quiet NaN in bf16,
/// f16 and f8 (f8_e4m3 has no infinity, but NaN) and becomes 0 in integers, which saturate.
/// Subnormal values are kept, except for bf16 with feature_t::avx512_bf16, whose conversion
/// instruction flushes them to zero.
///
/// Needs: loads none (f8_e4m3 a mask with AVX-512, a vector with AVX2); stores of types other than
/// f32 a vector (f8, and bf16 with AVX2: two) and with AVX-512 a mask; partial stores of f32 with
/// AVX2 a vector.
class lanes_io_t {
public:
    explicit lanes_io_t(generator_t &g)
        : g_(g) {}

    /// Whether elements of the type can be loaded and stored.
    static bool can_convert(data_type_t type);
    /// Whether they can be loaded as scales, which may be e8m0, too.
    static bool can_load_scale(data_type_t type);

    /// Prepares load() of s4 and u4, two elements in a byte, the lower half first. Takes a mask
    /// with AVX-512 until release(). store() needs no preparation.
    void prepare_half_bytes();

    /// Prepares partial loads and stores of `count` lanes (0 < count < lanes()) of any type. Called
    /// once, at the start of a kernel. Takes a mask with AVX-512 until release() or the destructor.
    void prepare_tail(int count);
    void release();

    /// vec as the destination of an instruction that, with AVX-512, sets the lanes from `count` on
    /// to 0.
    Xmm masked(const Xmm &vec, int count) const;

    /// vec = `count` elements at `at` as floats; the lanes beyond are +0. `count` is lanes() or the
    /// prepared tail. s4 and u4 begin with a byte.
    void load(const Xmm &vec, data_type_t type, const RegExp &at, int count);

    /// Stores the first `count` lanes of vec as elements of `type`; vec is unchanged. With
    /// non-temporal stores, a full vector has 16 bytes or more in memory and its address is aligned
    /// to that size; partial vectors are stored with ordinary stores, as are s4 and u4. Of an odd
    /// number of these, the last byte has a second element of 0.
    void store(const Xmm &vec, data_type_t type, const RegExp &at, int count,
            store_t how = store_t::ordinary, subnormals_t subnormals = subnormals_t::flushed);

    /// The same as s8 if every lane is less than 2^31 and none is NaN.
    void store_bounded(const Xmm &vec, const RegExp &at, int count, store_t how);

    /// The same for elements `stride` bytes apart, of which the first one is at `at`. Need two
    /// general registers and a vector.
    void load_strided(const Xmm &vec, data_type_t type, const RegExp &at, dim_t stride, int count);
    void store_strided(const Xmm &vec, data_type_t type, const RegExp &at, dim_t stride, int count,
            subnormals_t subnormals = subnormals_t::flushed);

    /// Each lane = the bits of an element of 1, 2 or 4 bytes, zero-extended.
    void load_bits(const Xmm &vec, int size, const RegExp &at, int count);

    /// Each lane = an integer of type s8 or u8.
    void load_integers(const Xmm &vec, data_type_t type, const RegExp &at, int count);
    /// The lower half of vec = such integers as ones of 16 bits.
    void load_words(const Xmm &vec, data_type_t type, const RegExp &at, int count);

    /// Each lane = the bits of an element of 4 bits, zero-extended.
    void load_half_bits(const Xmm &vec, const RegExp &at, int count);

    /// The lowest four lanes = four elements at `at`; the others are +0.
    void load_four(const Xmm &vec, data_type_t type, const RegExp &at);

    /// Every lane = the one element at `at`.
    void load_broadcast(const Xmm &vec, data_type_t type, const RegExp &at);

    /// packed = lanes() elements without conversion, adjacent from the lowest byte on.
    void load_packed(const Xmm &packed, int element_size, const RegExp &at);

    /// Stores `count` elements that are adjacent in a register.
    void store_packed(
            const Xmm &packed, int element_size, const RegExp &at, int count, store_t how);

    /// Stores `count` bytes of vec, from byte `first` on, in pieces as wide as the alignment within
    /// vec allows. Needs a vector.
    void store_bytes(const Xmm &vec, int first, int count, const RegExp &at);

    /// Stores lane 0 only.
    void store_scalar(const Xmm &vec, data_type_t type, const RegExp &at);

private:
    bool is_full(int count) const;
    void load_widened(const Xmm &to, int size, const RegExp &at, int count,
            const function_ref_t<void(const Xmm &, const Xbyak::Operand &)> &widen);
    void load_tail_avx2(const Xmm &to, data_type_t type, const RegExp &at, int count);
    void load_half_bytes_to_top(const Xmm &to, const RegExp &at, int count);
    void store_half_bytes(const Xmm &from, data_type_t type, const RegExp &at, int count);
    generator_t &g_;
    int tail_ = 0;
    std::optional<mask_t> tail_mask_, upper_mask_;
};

} // namespace kiln::x64::jit
