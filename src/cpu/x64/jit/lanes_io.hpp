// SPDX-License-Identifier: Apache-2.0
// Moves vectors of floats between registers and memory of any data type. It must not know what the
// values mean.
#pragma once

#include <optional>

#include "common/types.hpp"
#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit {

enum class store_t { ordinary, non_temporal };

/// Loads and stores of vectors of floats with conversion from and to a tensor's data type: f32,
/// bf16, f16, s8 or u8. Never touches memory past the last lane asked for. A vector argument stands
/// for the whole register, whichever view of it is given. s32 can be loaded too.
///
/// Conversions round to nearest even as long as MXCSR says so, as it does by default. NaN stays
/// NaN, quiet, in narrow floats and becomes 0 in integers, which saturate. Subnormal values are
/// kept, but for bf16 on avx512_core_bf16, whose instruction stores zeros for them: to look for
/// them first took an eighth of a normalization's time.
///
/// What each word needs free while it writes its instructions: loads nothing; stores of a type
/// other than f32 a vector (bf16 with AVX2: two), and with AVX-512 a mask; partial stores of
/// f32 with AVX2 a vector.
class lanes_io_t {
public:
    explicit lanes_io_t(generator_t &g)
        : g_(g) {}

    /// Whether loads know the type.
    static bool can_load(data_type_t type);

    /// Sets up what partial vectors of `count` lanes (0 < count < lanes()) need, for all data
    /// types; call once where the kernel begins. What is taken (AVX-512: a mask; AVX2: nothing)
    /// stays taken until release() or the destructor.
    void prepare_tail(int count);
    void release();

    /// vec = count floats at `at` converted from `type`; lanes beyond count are +0. `count` is
    /// lanes() or the prepared tail.
    void load(const Xbyak::Xmm &vec, data_type_t type, const Xbyak::RegExp &at, int count);

    /// Stores count lanes of vec converted to `type`; vec is kept. Non-temporal only for full
    /// vectors that take 16 bytes or more and whose address is aligned to the stored size.
    void store(const Xbyak::Xmm &vec, data_type_t type, const Xbyak::RegExp &at, int count,
            store_t how = store_t::ordinary);

    /// The same without conversion: lanes = the bits of elements of 1, 2 or 4 bytes.
    void load_bits(const Xbyak::Xmm &vec, int size, const Xbyak::RegExp &at, int count);

    /// The lowest four lanes = four elements at `at`; the others are +0.
    void load_four(const Xbyak::Xmm &vec, data_type_t type, const Xbyak::RegExp &at);

    /// Every lane = the one element at `at`.
    void load_broadcast(const Xbyak::Xmm &vec, data_type_t type, const Xbyak::RegExp &at);

    /// Loads a vector's worth of elements as they are, to lie side by side in a register.
    void load_packed(const Xbyak::Xmm &packed, int element_size, const Xbyak::RegExp &at);

    /// Stores `count` elements that lie side by side in a register.
    void store_packed(const Xbyak::Xmm &packed, int element_size, const Xbyak::RegExp &at,
            int count, store_t how);

    /// Stores `count` bytes of vec, from byte `first` on, as wide as alignment within vec allows.
    /// Needs a vector register while it writes its instructions.
    void store_bytes(const Xbyak::Xmm &vec, int first, int count, const Xbyak::RegExp &at);

    /// Stores lane 0 alone.
    void store_scalar(const Xbyak::Xmm &vec, data_type_t type, const Xbyak::RegExp &at);

private:
    bool is_full(int count) const;
    void load_tail_avx2(const Xbyak::Xmm &to, data_type_t type, const Xbyak::RegExp &at, int count);
    generator_t &g_;
    int tail_ = 0;
    std::optional<mask_t> tail_mask_;
};

} // namespace kiln::x64::jit
