// SPDX-License-Identifier: Apache-2.0
// The base class of every kernel.

#include "cpu/x64/jit/generator.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>

#include "oneapi/dnnl/dnnl_debug.h"

namespace kiln::x64::jit {
namespace {

using Xbyak::Operand;

/// Registers that a function must preserve (System V). All are saved, used or not: six pushes take
/// little of the time of a call.
constexpr std::array callee_saved{
        Operand::RBX, Operand::RBP, Operand::R12, Operand::R13, Operand::R14, Operand::R15};

constinit buffer_pool_t emission_buffers;

[[gnu::destructor]] void close_emission_buffers() { emission_buffers.close(); }

constexpr uint32_t usable_gprs = 0xffffu & ~(1u << Operand::RSP) & ~(1u << Operand::RDI);
constexpr int cache_line = 64;

/// Bits `first`, `first` + 1, ..., `count` of them.
constexpr uint32_t indices(int first, int count) {
    return static_cast<uint32_t>(((uint64_t(1) << count) - 1) << first);
}

} // namespace

emission_buffer_t::emission_buffer_t()
    : buffer_(lease_.take(emission_buffers, most_bytes)) {}

std::string kernel_name(
        std::string_view what, std::initializer_list<data_type_t> types, isa_t isa) {
    std::string name(what);
    for (const data_type_t type : types) name += std::string("_") + dnnl_dt2str(type);
    return name + "_" + isa_name(isa);
}

generator_t::generator_t(isa_t isa, std::string name)
    : CodeGenerator(most_bytes, buffer_)
    , isa_(isa)
    , name_(std::move(name))
    , gprs_("general register", usable_gprs)
    , vecs_("vector register", indices(0, vectors_of(isa)))
    , masks_("mask register", indices(1, masks_of(isa)))
    , arguments_(Operand::RDI) {
    assert(isa != isa_t::none);
    if (!has_avx512()) setDefaultEncoding(Xbyak::VexEncoding);
}

executable_code_t generator_t::finish() {
    endbr64(); // the target of indirect calls, where the processor checks them (CET)
    save_registers();
    generate();
    assert(gprs_.is_whole() && vecs_.is_whole() && masks_.is_whole());
    restore_registers();
    load_held_constants();
    write_constants();
    assert(!hasUndefinedLabel());
    return executable_code_t(name_, {getCode(), getSize()});
}

void generator_t::load_last_bytes(const Xbyak::Reg64 &to, const RegExp &at, int count) {
    switch (count) {
    case 1: movzx(to.cvt32(), byte[at]); break;
    case 2: movzx(to.cvt32(), word[at]); break;
    default:
        assert(count == 3);
        movzx(to.cvt32(), byte[at + 2]);
        shl(to.cvt32(), 16);
        mov(to.cvt16(), word[at]);
    }
}

void generator_t::save_registers() {
    for (const int index : callee_saved) push(Xbyak::Reg64(index));
}

void generator_t::restore_registers() {
    for (auto at = callee_saved.rbegin(); at != callee_saved.rend(); ++at) pop(Xbyak::Reg64(*at));
    vzeroupper();
    ret();
}

void generator_t::write_constants() {
    align(cache_line);
    // Vectors precede single values, so that no constant crosses a cache line.
    for (const bool is_vector : {true, false})
        for (auto &[lanes, label] : constants_) {
            if ((lanes.size() > 1) != is_vector) continue;
            L(label);
            for (const uint32_t bits : lanes) dd(bits);
        }
}

gpr_t generator_t::gpr(const char *name) {
    const int index = gprs_.take(name);
    return {gprs_, index, Xbyak::Reg64(index)};
}

gpr_t generator_t::gpr(const char *name, const Xbyak::Operand &from) {
    gpr_t value = gpr(name);
    mov(*value, from);
    return value;
}

vec_t generator_t::vec(const char *name) {
    const int index = vecs_.take(name);
    return {vecs_, index, vector(index)};
}

mask_t generator_t::mask(const char *name) {
    const int index = masks_.take(name);
    return {masks_, index, Xbyak::Opmask(index)};
}

mask_t generator_t::mask(const char *name, uint64_t bits) {
    mask_t result = mask(name);
    const gpr_t value = gpr("bits of a mask");
    mov(*value, bits);
    kmovq(*result, *value);
    return result;
}

constant_t generator_t::constant(float value) {
    return constant_bits(std::bit_cast<uint32_t>(value));
}

constant_t generator_t::constant_bits(uint32_t bits) {
    if (const Xbyak::Operand *reg = held({bits})) return reg;
    // AVX-512 broadcasts a single value; AVX2 reads a whole vector.
    if (has_avx512()) return ptr_b[rip + constants_[{bits}]];
    return constant_lanes(lanes(), bits);
}

Xbyak::Address generator_t::constant_lanes(const std::vector<uint32_t> &bits) {
    return ptr[rip + constants_[bits]];
}

Xbyak::Address generator_t::constant_lanes(const function_ref_t<uint32_t(uint32_t)> &bits) {
    std::vector<uint32_t> of_lanes(static_cast<size_t>(lanes()));
    for (uint32_t lane = 0; uint32_t & of_lane : of_lanes) of_lane = bits(lane++);
    return constant_lanes(of_lanes);
}

Xbyak::Address generator_t::constant_lanes(int count, uint32_t used, uint32_t unused) {
    return constant_lanes(
            [&](uint32_t lane) { return static_cast<int>(lane) < count ? used : unused; });
}

constant_t generator_t::constant_table(const std::vector<uint32_t> &bits) {
    if (const Xbyak::Operand *reg = held(bits)) return reg;
    return constant_lanes(bits);
}

void generator_t::hold_constants(int most) {
    if (most <= 0) return;
    most_held_ = static_cast<size_t>(most);
    jmp(load_constants_, T_NEAR); // which constants there are is known at the end
    L(are_loaded_);
}

void generator_t::release_constants() {
    for (const auto &[bits, vec] : held_constants_) loaded_constants_.emplace(bits, vec.index());
    held_constants_.clear();
    are_released_ = true;
}

const Xbyak::Operand *generator_t::held(const std::vector<uint32_t> &bits) {
    auto found = held_constants_.find(bits);
    if (found == held_constants_.end()) {
        if (are_released_ || held_constants_.size() >= most_held_) return nullptr;
        const int index = vecs_.take_last("constant");
        found = held_constants_.emplace(bits, vec_t(vecs_, index, vector(index))).first;
    }
    return &vector(found->second.index());
}

void generator_t::load_held_constants() {
    if (most_held_ == 0) return;
    most_held_ = 0;
    L(load_constants_);
    for (const auto &[bits, index] : loaded_constants_) {
        const auto from = rip + constants_[bits];
        bits.size() > 1 ? vmovups(vector(index), ptr[from])
                        : vbroadcastss(vector(index), dword[from]);
    }
    jmp(are_loaded_, T_NEAR);
}

void generator_t::broadcast(const Xmm &vec, float value) {
    if (std::bit_cast<uint32_t>(value) == 0)
        set_zero(vec);
    else if (const Xbyak::Operand *reg = held({std::bit_cast<uint32_t>(value)}))
        vmovaps(vec, *reg);
    else
        vbroadcastss(vec, dword[rip + constants_[{std::bit_cast<uint32_t>(value)}]]);
}

void generator_t::set_zero(const Xmm &vec) { vxorps(vec, vec, vec); }

void generator_t::keep_lanes(const Xmm &vec, int count) {
    if (count == lanes()) return;
    vandps(vec, vec, constant_lanes(count, ~0u));
}

void generator_t::store_non_temporal(const Xbyak::Address &to, const Xmm &from) {
    vmovntps(to, from);
}

void generator_t::repeat(int64_t count, int unroll, const function_ref_t<void(int)> &body,
        const function_ref_t<void(int)> &advance) {
    const auto loop_of = [&](int64_t times, int width) {
        if (times == 0) return;
        const auto once = [&] {
            for (int i = 0; i < width; ++i) body(i);
            advance(width);
        };
        if (times == 1) return once();
        const gpr_t left = gpr("iterations left");
        mov(*left, static_cast<uint64_t>(times));
        repeat(*left, once);
    };
    loop_of(count / unroll, unroll);
    loop_of(count % unroll, 1);
}

void generator_t::repeat(const Xbyak::Operand &left, const function_ref_t<void()> &body) {
    Xbyak::Label again;
    L(again);
    body();
    dec(left);
    jnz(again, T_NEAR);
}

void generator_t::unless_zero(const Xbyak::Address &value, const function_ref_t<void()> &body) {
    Xbyak::Label end;
    cmp(value, 0);
    je(end, T_NEAR);
    body();
    L(end);
}

void generator_t::repeat_if_any(const Xbyak::Reg64 &left, const function_ref_t<void()> &body) {
    Xbyak::Label end;
    test(left, left);
    jz(end, T_NEAR);
    repeat(left, body);
    L(end);
}

} // namespace kiln::x64::jit
