// SPDX-License-Identifier: Apache-2.0
// The base class of every kernel: an assembler with named registers, constants, loops and a calling
// convention. It hides the differences between AVX2 and AVX-512 that do not depend on a data type.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <xbyak/xbyak.h>

#include "common/function_ref.hpp"
#include "common/memory/buffer_pool.hpp"
#include "common/memory/data_type.hpp"
#include "cpu/x64/isa.hpp"
#include "cpu/x64/jit/code/executable_code.hpp"
#include "cpu/x64/jit/register_pool.hpp"

namespace kiln::x64::jit {

using Xbyak::RegExp;
using Xbyak::Xmm;

/// Floats in a vector.
constexpr int lanes_of(isa_t isa) { return has(isa, feature_t::avx512_core) ? 16 : 8; }
/// Vector registers.
constexpr int vectors_of(isa_t isa) { return has(isa, feature_t::avx512_core) ? 32 : 16; }
/// Mask registers that can mask: all but k0.
constexpr int masks_of(isa_t isa) { return has(isa, feature_t::avx512_core) ? 7 : 0; }

/// The vector registers of one width. The assembler reads the fields of its operands, which takes
/// long where they have just been written one by one: no register is composed for an instruction.
template <typename reg_t>
inline constexpr auto all_registers = []<int... index>(std::integer_sequence<int, index...>) {
    return std::array{reg_t(index)...};
}
(std::make_integer_sequence<int, 32>());

using gpr_t = held_t<Xbyak::Reg64>;
/// A vector register as wide as the ISA's vectors.
using vec_t = held_t<Xbyak::Xmm>;
using mask_t = held_t<Xbyak::Opmask>;

/// Registers, or lists of them, by number.
template <typename item_t> class list_t : public std::vector<item_t> {
public:
    using std::vector<item_t>::vector;
    item_t &operator[](std::ptrdiff_t i) { return this->data()[i]; }
    const item_t &operator[](std::ptrdiff_t i) const { return this->data()[i]; }
};
using vecs_t = list_t<vec_t>;

/// The buffer that a kernel is emitted to before it is copied to code pages. It is aligned to a
/// cache line, so that what is aligned here stays aligned there.
class emission_buffer_t {
protected:
    /// The largest code of a kernel.
    static constexpr size_t most_bytes = size_t{1} << 18;

    /// Throws std::bad_alloc.
    emission_buffer_t();

    buffer_pool_t::lease_t lease_;
    void *const buffer_;
};

/// A constant as the last operand of a vector instruction: in memory, or in a register.
class constant_t {
public:
    constant_t(const Xbyak::Address &address)
        : place_(address) {}
    constant_t(const Xbyak::Operand *reg)
        : place_(reg) {}
    operator const Xbyak::Operand &() const {
        if (const auto *reg = std::get_if<const Xbyak::Operand *>(&place_)) return **reg;
        return std::get<Xbyak::Address>(place_);
    }

private:
    std::variant<Xbyak::Address, const Xbyak::Operand *> place_;
};

/// The name of a kernel, "<what>_<type>_..._<isa>", e.g. nest_run_f32_bf16_avx512_core.
std::string kernel_name(std::string_view what, std::initializer_list<data_type_t> types, isa_t isa);

/// A generated function takes one pointer, to a struct of arguments, and returns nothing. A kernel
/// derives from this class and emits its body in generate(); finish() makes the function.
///
/// Building blocks, the functions and classes of this folder, emit instructions into a generator.
/// They take the registers they need from its pools while they emit and return them afterwards.
/// Their comments say what the emitted instructions do; "needs" names the registers taken.
class generator_t : private emission_buffer_t, public Xbyak::CodeGenerator {
public:
    // For the members of kernels.
    using gpr_t = jit::gpr_t;
    using vec_t = jit::vec_t;
    using vecs_t = jit::vecs_t;
    using mask_t = jit::mask_t;
    using Reg64 = Xbyak::Reg64;
    using RegExp = Xbyak::RegExp;
    using Xmm = Xbyak::Xmm;

    generator_t(isa_t isa, std::string name);
    virtual ~generator_t() = default;

    /// Emits the function and returns its code. Throws std::bad_alloc, code_pages_refused_t,
    /// std::logic_error if a register pool is empty, Xbyak::Error if an operand cannot be encoded.
    executable_code_t finish();

    isa_t isa() const { return isa_; }
    const std::string &name() const { return name_; }
    bool has(feature_t feature) const { return x64::has(isa_, feature); }
    /// Whether vectors have 512 bits and there are mask registers.
    bool has_avx512() const { return has(feature_t::avx512_core); }
    /// Floats in a vector.
    int lanes() const { return lanes_of(isa_); }
    /// Bytes of an element.
    static int size_of(data_type_t type) { return static_cast<int>(data_type_size(type)); }

    /// A free register of each kind; `name` says in an error what it was wanted for.
    gpr_t gpr(const char *name);
    /// A general register with the value of `from`, a quad word in memory or a register.
    gpr_t gpr(const char *name, const Xbyak::Operand &from);
    vec_t vec(const char *name);
    mask_t mask(const char *name);
    /// A mask of these bits. Needs a general register meanwhile.
    mask_t mask(const char *name, uint64_t bits);
    int free_vecs() const { return vecs_.free_count(); }

    /// The same register, as wide as the ISA's vectors.
    const Xmm &full(const Xmm &vec) const { return vector(vec.getIdx()); }
    /// The lower part of a vector, for conversions and reductions.
    Xmm lower_half(const Xmm &vec) const { return has_avx512() ? Xmm(ymm(vec)) : xmm(vec); }
    static const Xmm &xmm(const Xmm &vec) {
        return all_registers<Xmm>[static_cast<size_t>(vec.getIdx())];
    }
    static const Xbyak::Ymm &ymm(const Xmm &vec) {
        return all_registers<Xbyak::Ymm>[static_cast<size_t>(vec.getIdx())];
    }
    static const Xbyak::Zmm &zmm(const Xmm &vec) {
        return all_registers<Xbyak::Zmm>[static_cast<size_t>(vec.getIdx())];
    }

    /// A float in every lane, as the last operand of a vector instruction. Constants are stored
    /// after the code, each once.
    constant_t constant(float value);
    constant_t constant_bits(uint32_t bits);
    /// The bits of each lane, likewise.
    constant_t constant_table(const std::vector<uint32_t> &bits);
    /// Every lane = value.
    void broadcast(const Xmm &vec, float value);
    void set_zero(const Xmm &vec);
    /// Sets the lanes from `count` on to zero.
    void keep_lanes(const Xmm &vec, int count);

    /// The bits of each lane of a full vector, as a memory operand: given, or by the lane's number.
    Xbyak::Address constant_lanes(const std::vector<uint32_t> &bits);
    Xbyak::Address constant_lanes(const function_ref_t<uint32_t(uint32_t lane)> &bits);
    /// The same with `used` in the first `count` lanes and `unused` in the others.
    Xbyak::Address constant_lanes(int count, uint32_t used, uint32_t unused = 0);

    /// Loads one to three bytes, with zeros above them; nothing behind them is read.
    void load_last_bytes(const Reg64 &to, const RegExp &at, int count);

    /// Emits a non-temporal store of a vector to an address that is aligned to its size. The caller
    /// of the function fences such stores.
    void store_non_temporal(const Xbyak::Address &to, const Xmm &from);

    /// Emits `count` iterations: a loop of `unroll` copies of the body, then a loop of one copy for
    /// the rest. `body(i)` emits copy i; `advance(n)`, called after n copies, emits what moves the
    /// body's addresses n iterations on. Code size depends on `unroll`, not on `count`.
    void repeat(int64_t count, int unroll, const function_ref_t<void(int index)> &body,
            const function_ref_t<void(int iterations)> &advance);
    /// Emits a loop of as many iterations as a register or a quad word says, one at least. It
    /// counts them down to 0.
    void repeat(const Xbyak::Operand &left, const function_ref_t<void()> &body);
    /// The same for a register, with no iteration if it is 0.
    void repeat_if_any(const Reg64 &left, const function_ref_t<void()> &body);
    /// Emits `body`, which is skipped where the quad word is 0.
    void unless_zero(const Xbyak::Address &value, const function_ref_t<void()> &body);

protected:
    virtual void generate() = 0;
    /// The pointer to the struct of arguments; valid from the start of generate().
    const Reg64 &arguments() const { return arguments_; }
    /// The member of that struct at this offset, a quad word.
    Xbyak::Address argument(size_t offset) const { return qword[arguments_ + offset]; }
    /// From here to release_constants(), up to `most` constants stay in registers, those that are
    /// used first: a processor loads one vector a cycle, a broadcast constant included. They are
    /// loaded here, once.
    void hold_constants(int most);
    void release_constants();

private:
    const Xmm &vector(int index) const {
        const auto i = static_cast<size_t>(index);
        return has_avx512() ? all_registers<Xbyak::Zmm>[i] : all_registers<Xbyak::Ymm>[i];
    }
    void save_registers();
    void restore_registers();
    void write_constants();
    /// The constant's register, if there is one for it.
    const Xbyak::Operand *held(const std::vector<uint32_t> &bits);
    void load_held_constants();

    const isa_t isa_;
    const std::string name_;
    register_pool_t gprs_;
    register_pool_t vecs_;
    register_pool_t masks_;
    const Reg64 arguments_;
    std::map<std::vector<uint32_t>, Xbyak::Label> constants_;
    std::map<std::vector<uint32_t>, vec_t> held_constants_; // now
    std::map<std::vector<uint32_t>, int> loaded_constants_; // their registers
    size_t most_held_ = 0;
    bool are_released_ = false; // release_constants() has been called
    Xbyak::Label load_constants_, are_loaded_;
};

} // namespace kiln::x64::jit
