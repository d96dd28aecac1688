// SPDX-License-Identifier: Apache-2.0
// Moves vectors of floats between registers and memory of any data type. A store is a conversion
// to packed elements in the low part of a register, then a move; with AVX2, which masks neither
// bytes nor words, partial moves are made of pieces of 16, 8, 4, 2 and 1 bytes.

#include "cpu/x64/jit/lanes_io.hpp"

#include <algorithm>
#include <cassert>

#include "common/data_type.hpp"
#include "common/float_conversion.hpp"

namespace kiln::x64::jit {
namespace {

using Xbyak::RegExp;
using Xbyak::Xmm;
using Xbyak::Ymm;

constexpr int nearest_even = 0;     // rounding of vcvtps2ph
constexpr int is_nan = 3;           // predicate "unordered" of vcmpps
constexpr int is_number = 7;        // predicate "ordered" of vcmpps
constexpr int even_quarters = 0x08; // vpermq: quarters 0 and 2 to the low half

int size_of(data_type_t type) { return static_cast<int>(data_type_size(type)); }

/// The lowest part of a register that holds so many bytes.
Xmm part(const Xmm &vec, int bytes) {
    if (bytes > 32) return Xbyak::Zmm(vec.getIdx());
    if (bytes > 16) return Ymm(vec.getIdx());
    return Xmm(vec.getIdx());
}

/// Calls `move(size, offset)` for pieces of 16, 8, 4, 2 and 1 that make up `bytes`. Each piece's
/// offset is a multiple of its size.
template <typename move_t> void for_each_piece(int bytes, const move_t &move) {
    int offset = 0;
    for (int size = 16; size > 0; size /= 2)
        for (; bytes - offset >= size; offset += size) move(size, offset);
}

/// Fewer than 16 bytes of memory, the rest of the register zero.
void load_pieces(generator_t &g, const Xmm &vec, const RegExp &at, int bytes) {
    Xbyak::CodeGenerator &a = g.assembler();
    const Xmm to = g.xmm(vec);
    if (bytes < 4) a.vpxor(to, to, to);
    for_each_piece(bytes, [&](int size, int offset) {
        const Xbyak::Address from = a.ptr[at + offset];
        switch (size) {
        case 8: a.vmovq(to, from); break; // is the first piece: clears the rest
        case 4: offset == 0 ? a.vmovd(to, from) : a.vpinsrd(to, to, from, offset / 4); break;
        case 2: a.vpinsrw(to, to, from, offset / 2); break;
        case 1: a.vpinsrb(to, to, from, offset); break;
        default: assert(false);
        }
    });
}

/// The low bytes of a register, at most 32.
void store_pieces(generator_t &g, const Xmm &vec, const RegExp &at, int bytes) {
    Xbyak::CodeGenerator &a = g.assembler();
    Xmm from = g.xmm(vec);
    std::optional<vec_t> upper;
    for_each_piece(bytes, [&](int size, int offset) {
        if (offset == 16) {
            upper.emplace(g.vec("upper half"));
            from = g.xmm(*upper);
            a.vextractf128(from, g.ymm(vec), 1);
        }
        const Xbyak::Address to = a.ptr[at + offset];
        const auto index = static_cast<uint8_t>(offset % 16 / size);
        switch (size) {
        case 16: a.vmovups(to, from); break;
        case 8: a.vmovq(to, from); break; // is the first piece of its half
        case 4: index == 0 ? a.vmovd(to, from) : a.vpextrd(to, from, index); break;
        case 2: a.vpextrw(to, from, index); break;
        case 1: a.vpextrb(to, from, index); break;
        }
    });
}

/// Words 1, 3, 5 ... of a vector, as indices of vpermw.
std::vector<uint32_t> odd_words() {
    std::vector<uint32_t> pairs;
    for (uint32_t word = 1; word < 32; word += 4) pairs.push_back(word | (word + 2) << 16);
    pairs.resize(16);
    return pairs;
}

/// bf16 is the upper half of a float, so adding just under half of what is dropped, or half if the
/// kept part is odd, makes truncation round to nearest even. NaN would carry into infinity or
/// zero without its quiet bit, which no addition of half disturbs.
void to_bf16_avx512(generator_t &g, const Xmm &to, const Xmm &vec) {
    Xbyak::CodeGenerator &a = g.assembler();
    const vec_t rounded = g.vec("rounded");
    const mask_t picked = g.mask("picked");
    a.vptestmd(picked, vec, g.constant_bits(0x10000));
    a.vpaddd(*rounded, vec, g.constant_bits(0x7fff));
    a.vpaddd(*rounded | picked, vec, g.constant_bits(0x8000));
    a.vcmpps(picked, vec, vec, is_nan);
    a.vpord(*rounded | picked, vec, g.constant_bits(float_format::f32_quiet_bit));
    a.vmovups(to, g.constant_lanes(odd_words()));
    a.vpermw(to, to, rounded);
}

/// The same with half a step masked away for NaN instead of skipped.
void to_bf16_avx2(generator_t &g, const Xmm &to, const Xmm &vec) {
    Xbyak::CodeGenerator &a = g.assembler();
    const vec_t number = g.vec("number");
    a.vcmpps(number, vec, vec, is_number);
    a.vpsrld(to, vec, 16);
    a.vpand(to, to, g.constant_bits(1));
    a.vpaddd(to, to, g.constant_bits(0x7fff));
    a.vpand(to, to, number);
    a.vpaddd(to, to, vec);
    a.vpandn(number, number, g.constant_bits(float_format::f32_quiet_bit));
    a.vpor(to, to, number);
    a.vpsrld(to, to, 16);
    a.vpackusdw(to, to, to);
    a.vpermq(g.ymm(to), g.ymm(to), even_quarters);
}

void to_bf16(generator_t &g, const Xmm &to, const Xmm &vec) {
    g.is_avx512() ? to_bf16_avx512(g, to, vec) : to_bf16_avx2(g, to, vec);
}

void to_f16(generator_t &g, const Xmm &to, const Xmm &vec) {
    g.assembler().vcvtps2ph(part(to, 2 * g.lanes()), vec, nearest_even);
}

/// Only the upper limit needs care: what is below every integer converts to the lowest of them.
void to_s8(generator_t &g, const Xmm &to, const Xmm &vec) {
    Xbyak::CodeGenerator &a = g.assembler();
    if (g.is_avx512()) {
        const mask_t number = g.mask("number");
        a.vcmpps(number, vec, vec, is_number);
        a.vminps(to | number | Xbyak::util::T_z, vec, g.constant(127));
        a.vcvtps2dq(to, to);
        a.vpmovsdb(g.xmm(to), to);
    } else {
        a.vcmpps(to, vec, vec, is_number);
        a.vandps(to, to, vec);
        a.vminps(to, to, g.constant(127));
        a.vcvtps2dq(to, to);
        a.vpackssdw(to, to, to);
        a.vpermq(g.ymm(to), g.ymm(to), even_quarters);
        a.vpacksswb(to, to, to);
    }
}

void to_u8(generator_t &g, const Xmm &to, const Xmm &vec) {
    Xbyak::CodeGenerator &a = g.assembler();
    a.vmaxps(to, vec, g.constant(0)); // of NaN and 0 it takes the second operand
    a.vminps(to, to, g.constant(255));
    a.vcvtps2dq(to, to);
    if (g.is_avx512()) {
        a.vpmovusdb(g.xmm(to), to);
    } else {
        a.vpackusdw(to, to, to);
        a.vpermq(g.ymm(to), g.ymm(to), even_quarters);
        a.vpackuswb(to, to, to);
    }
}

/// to = the lanes of vec as elements of `type`, side by side from the lowest byte on.
void convert(generator_t &g, const Xmm &to, data_type_t type, const Xmm &vec) {
    switch (type) {
    case dnnl_bf16: to_bf16(g, to, vec); break;
    case dnnl_f16: to_f16(g, to, vec); break;
    case dnnl_s8: to_s8(g, to, vec); break;
    case dnnl_u8: to_u8(g, to, vec); break;
    default: assert(!"a type that vectors are stored as");
    }
}

/// Widens elements of `type` from memory or from the low part of a register. `to` may be masked.
void widen(generator_t &g, const Xmm &to, data_type_t type, const Xbyak::Operand &from) {
    Xbyak::CodeGenerator &a = g.assembler();
    const Xmm vec = g.full(to);
    switch (type) {
    case dnnl_bf16:
        a.vpmovzxwd(to, from);
        a.vpslld(vec, vec, 16);
        break;
    case dnnl_f16: a.vcvtph2ps(to, from); break;
    case dnnl_s8:
        a.vpmovsxbd(to, from);
        a.vcvtdq2ps(vec, vec);
        break;
    case dnnl_u8:
        a.vpmovzxbd(to, from);
        a.vcvtdq2ps(vec, vec);
        break;
    default: assert(!"a type that vectors are loaded from");
    }
}

} // namespace

void lanes_io_t::prepare_tail(int count) {
    assert(0 < count && count < g_.lanes() && tail_ == 0);
    tail_ = count;
    if (!g_.is_avx512()) return;
    tail_mask_.emplace(g_.mask("tail"));
    const gpr_t bits = g_.gpr("tail bits");
    const Xbyak::Reg32 bits32 = (*bits).cvt32();
    g_.assembler().mov(bits32, (1u << count) - 1);
    g_.assembler().kmovw(*tail_mask_, bits32);
}

void lanes_io_t::release() {
    tail_ = 0;
    tail_mask_.reset();
}

bool lanes_io_t::is_full(int count) const {
    assert(count == g_.lanes() || (count == tail_ && count > 0));
    return count == g_.lanes();
}

void lanes_io_t::load(const Xmm &vec, data_type_t type, const RegExp &at, int count) {
    Xbyak::CodeGenerator &a = g_.assembler();
    const Xmm to = g_.full(vec);
    if (!is_full(count) && !g_.is_avx512()) return load_tail_avx2(to, type, at, count);
    const Xmm masked = is_full(count) ? to : to | *tail_mask_ | Xbyak::util::T_z;
    if (type == dnnl_f32)
        a.vmovups(masked, a.ptr[at]);
    else
        widen(g_, masked, type, a.ptr[at]);
}

void lanes_io_t::load_tail_avx2(const Xmm &to, data_type_t type, const RegExp &at, int count) {
    Xbyak::CodeGenerator &a = g_.assembler();
    if (type == dnnl_f32) {
        // The destination holds the mask first, so none is held between loads.
        std::vector<uint32_t> mask(static_cast<size_t>(g_.lanes()), 0);
        std::fill_n(mask.begin(), count, ~0u);
        a.vmovups(to, g_.constant_lanes(mask));
        a.vmaskmovps(to, to, a.ptr[at]);
    } else {
        load_pieces(g_, to, at, count * size_of(type));
        widen(g_, to, type, g_.xmm(to));
    }
}

void lanes_io_t::store(const Xmm &vec, data_type_t type, const RegExp &at, int count, store_t how) {
    const Xmm from = g_.full(vec);
    if (type == dnnl_f32) return store_packed(from, size_of(type), at, count, how);
    const vec_t packed = g_.vec("packed");
    convert(g_, packed, type, from);
    store_packed(packed, size_of(type), at, count, how);
}

void lanes_io_t::store_packed(
        const Xmm &packed, int element_size, const RegExp &at, int count, store_t how) {
    Xbyak::CodeGenerator &a = g_.assembler();
    const Xmm from = part(packed, element_size * g_.lanes());
    if (how == store_t::non_temporal) {
        assert(is_full(count) && element_size > 1);
        a.vmovntps(a.ptr[at], from);
    } else if (!g_.is_avx512()) {
        assert(is_full(count) || count == tail_);
        if (is_full(count) && element_size == 4)
            a.vmovups(a.ptr[at], from);
        else
            store_pieces(g_, from, at, element_size * count);
    } else if (is_full(count)) {
        a.vmovups(a.ptr[at], from);
    } else {
        const Xbyak::Address to = a.ptr[at] | *tail_mask_;
        switch (element_size) {
        case 4: a.vmovups(to, from); break;
        case 2: a.vmovdqu16(to, from); break;
        case 1: a.vmovdqu8(to, from); break;
        default: assert(false);
        }
    }
}

void lanes_io_t::load_broadcast(const Xmm &vec, data_type_t type, const RegExp &at) {
    Xbyak::CodeGenerator &a = g_.assembler();
    const Xmm to = g_.full(vec);
    const Xbyak::Address from = a.ptr[at];
    const Xmm narrow = part(to, size_of(type) * g_.lanes());
    switch (size_of(type)) {
    case 4: a.vbroadcastss(to, from); break;
    case 2: a.vpbroadcastw(narrow, from); break;
    case 1: a.vpbroadcastb(narrow, from); break;
    default: assert(false);
    }
    if (type != dnnl_f32) widen(g_, to, type, narrow);
}

void lanes_io_t::store_scalar(const Xmm &vec, data_type_t type, const RegExp &at) {
    const Xmm from = g_.full(vec);
    if (type == dnnl_f32) return store_pieces(g_, from, at, size_of(type));
    const vec_t packed = g_.vec("packed");
    convert(g_, packed, type, from);
    store_pieces(g_, packed, at, size_of(type));
}

namespace {

/// Combines every lane with the others: halves, then quarters ... Partners do the same operation
/// on swapped operands, so all lanes end with the same bits.
template <typename combine_t>
void reduce(generator_t &g, const Xmm &vec, const combine_t &combine) {
    Xbyak::CodeGenerator &a = g.assembler();
    const vec_t swapped = g.vec("swapped");
    const Xmm all = g.full(vec);
    constexpr int swap_pairs = 0x4e;
    constexpr int swap_neighbours = 0xb1;
    if (g.is_avx512()) {
        for (const int swap : {swap_pairs, swap_neighbours}) {
            a.vshuff32x4(Xbyak::Zmm(swapped.index()), Xbyak::Zmm(vec.getIdx()), all,
                    static_cast<uint8_t>(swap));
            combine(all, swapped);
        }
    } else {
        a.vperm2f128(g.ymm(swapped), g.ymm(vec), all, 1);
        combine(all, swapped);
    }
    for (const int swap : {swap_pairs, swap_neighbours}) {
        a.vpermilps(swapped, all, static_cast<uint8_t>(swap));
        combine(all, swapped);
    }
}

} // namespace

void reduce_sum(generator_t &g, const Xmm &vec) {
    reduce(g, vec,
            [&](const Xmm &all, const Xmm &other) { g.assembler().vaddps(all, all, other); });
}

void reduce_max(generator_t &g, const Xmm &vec) {
    reduce(g, vec,
            [&](const Xmm &all, const Xmm &other) { g.assembler().vmaxps(all, all, other); });
}

} // namespace kiln::x64::jit
