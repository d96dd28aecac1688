// SPDX-License-Identifier: Apache-2.0
// Loads and stores of vectors of floats. AVX2 cannot mask 8-bit and 16-bit elements, so its partial
// loads and stores consist of pieces of 16, 8, 4, 2 and 1 bytes.

#include "cpu/x64/jit/lanes_io.hpp"

#include <algorithm>
#include <cassert>

#include "common/memory/data_type.hpp"
#include "common/one_of.hpp"
#include "cpu/x64/jit/lane_conversion.hpp"
#include "cpu/x64/jit/vector_part.hpp"

namespace kiln::x64::jit {
namespace {

using Xbyak::RegExp;
using Xbyak::Xmm;
using Xbyak::Ymm;

int size_of(data_type_t type) { return static_cast<int>(data_type_size(type)); }

/// The smallest view of a register that holds so many bytes.
Xmm part(const Xmm &vec, int bytes) {
    if (bytes > 32) return Xbyak::Zmm(vec.getIdx());
    if (bytes > 16) return Ymm(vec.getIdx());
    return Xmm(vec.getIdx());
}

/// Calls `move(size, offset)` for pieces of 16, 8, 4, 2 and 1 bytes that cover `bytes`. The offset
/// of a piece is a multiple of its size.
template <typename move_t> void for_each_piece(int bytes, const move_t &move) {
    int offset = 0;
    for (int size = 16; size > 0; size /= 2)
        for (; bytes - offset >= size; offset += size) move(size, offset);
}

/// Loads fewer than 16 bytes; the rest of the register is zero.
void load_pieces(generator_t &g, const Xmm &vec, const RegExp &at, int bytes) {
    Xbyak::CodeGenerator &a = g.assembler();
    const Xmm to = g.xmm(vec);
    if (bytes < 4) a.vpxor(to, to, to);
    for_each_piece(bytes, [&](int size, int offset) {
        const Xbyak::Address from = a.ptr[at + offset];
        switch (size) {
        case 8: a.vmovq(to, from); break; // the first piece, which clears the rest
        case 4: offset == 0 ? a.vmovd(to, from) : a.vpinsrd(to, to, from, offset / 4); break;
        case 2: a.vpinsrw(to, to, from, offset / 2); break;
        case 1: a.vpinsrb(to, to, from, offset); break;
        default: assert(false);
        }
    });
}

/// Stores the low bytes of a register, at most 32.
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
        case 8: a.vmovq(to, from); break; // the first piece of its half
        case 4: index == 0 ? a.vmovd(to, from) : a.vpextrd(to, from, index); break;
        case 2: a.vpextrw(to, from, index); break;
        case 1: a.vpextrb(to, from, index); break;
        }
    });
}

} // namespace

bool lanes_io_t::can_load(data_type_t type) {
    return one_of(type, {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s32, dnnl_s8, dnnl_u8});
}

void lanes_io_t::prepare_tail(int count) {
    assert(0 < count && count < g_.lanes() && tail_ == 0);
    tail_ = count;
    if (!g_.has_avx512()) return;
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
    if (!is_full(count) && !g_.has_avx512()) return load_tail_avx2(to, type, at, count);
    const Xmm masked = is_full(count) ? to : to | *tail_mask_ | Xbyak::util::T_z;
    if (type == dnnl_f32)
        a.vmovups(masked, a.ptr[at]);
    else
        expand(g_, masked, type, a.ptr[at]);
}

void lanes_io_t::load_bits(const Xmm &vec, int size, const RegExp &at, int count) {
    if (size == 4) return load(vec, dnnl_f32, at, count);
    const Xmm to = g_.full(vec);
    if (!is_full(count) && !g_.has_avx512()) {
        load_pieces(g_, to, at, count * size);
        return widen_bits(g_, to, size, g_.xmm(to));
    }
    const Xmm masked = is_full(count) ? to : to | *tail_mask_ | Xbyak::util::T_z;
    widen_bits(g_, masked, size, g_.assembler().ptr[at]);
}

void lanes_io_t::load_four(const Xmm &vec, data_type_t type, const RegExp &at) {
    Xbyak::CodeGenerator &a = g_.assembler();
    if (type == dnnl_f32)
        a.vmovups(g_.xmm(vec), a.ptr[at]);
    else
        expand(g_, g_.xmm(vec), type, a.ptr[at]);
}

void lanes_io_t::load_tail_avx2(const Xmm &to, data_type_t type, const RegExp &at, int count) {
    Xbyak::CodeGenerator &a = g_.assembler();
    if (size_of(type) == 4) {
        // The mask is loaded to the destination first, so that it takes no other register.
        std::vector<uint32_t> mask(static_cast<size_t>(g_.lanes()), 0);
        std::fill_n(mask.begin(), count, ~0u);
        a.vmovups(to, g_.constant_lanes(mask));
        a.vmaskmovps(to, to, a.ptr[at]);
        if (type != dnnl_f32) expand(g_, to, type, to);
    } else {
        load_pieces(g_, to, at, count * size_of(type));
        expand(g_, to, type, g_.xmm(to));
    }
}

void lanes_io_t::store(const Xmm &vec, data_type_t type, const RegExp &at, int count, store_t how) {
    const Xmm from = g_.full(vec);
    if (type == dnnl_f32) return store_packed(from, size_of(type), at, count, how);
    const vec_t packed = g_.vec("packed");
    pack(g_, packed, type, from);
    store_packed(packed, size_of(type), at, count, how);
}

void lanes_io_t::load_packed(const Xmm &packed, int element_size, const RegExp &at) {
    Xbyak::CodeGenerator &a = g_.assembler();
    a.vmovups(part(packed, element_size * g_.lanes()), a.ptr[at]);
}

void lanes_io_t::store_packed(
        const Xmm &packed, int element_size, const RegExp &at, int count, store_t how) {
    Xbyak::CodeGenerator &a = g_.assembler();
    const Xmm from = part(packed, element_size * g_.lanes());
    if (how == store_t::non_temporal) {
        assert(is_full(count) && element_size * g_.lanes() >= 16);
        g_.store_non_temporal(a.ptr[at], from);
    } else if (!g_.has_avx512()) {
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

void lanes_io_t::store_bytes(const Xmm &vec, int first, int count, const RegExp &at) {
    Xbyak::CodeGenerator &a = g_.assembler();
    const int bytes = g_.lanes() * static_cast<int>(sizeof(float));
    if (first == 0 && count == bytes) return a.vmovups(a.ptr[at], g_.full(vec));
    const vec_t quarter = g_.vec("quarter");
    int held = -1; // which quarter is in the register
    const auto low_part = [&](int size, int from) {
        if (from == 0) return part(vec, size);
        extract_part(g_, quarter, vec, from, size);
        return part(quarter, size);
    };
    Xmm from = g_.xmm(vec);
    for (int done = 0; done < count;) {
        const int place = first + done;
        int size = 32;
        while (place % size != 0 || size > count - done || size > bytes) size /= 2;
        const Xbyak::Address to = a.ptr[at + done];
        done += size;
        if (size >= 16) {
            a.vmovups(to, low_part(size, place));
            held = -1;
            continue;
        }
        if (held != place / 16) from = g_.xmm(low_part(16, place / 16 * 16));
        held = place / 16;
        const auto index = static_cast<uint8_t>(place % 16 / size);
        switch (size) {
        case 8: index == 0 ? a.vmovq(to, from) : a.vmovhps(to, from); break;
        case 4: index == 0 ? a.vmovd(to, from) : a.vpextrd(to, from, index); break;
        case 2: a.vpextrw(to, from, index); break;
        default: a.vpextrb(to, from, index); break;
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
    if (type != dnnl_f32) expand(g_, to, type, narrow);
}

void lanes_io_t::store_scalar(const Xmm &vec, data_type_t type, const RegExp &at) {
    const Xmm from = g_.full(vec);
    if (type == dnnl_f32) return store_pieces(g_, from, at, size_of(type));
    const vec_t packed = g_.vec("packed");
    pack(g_, packed, type, from);
    store_pieces(g_, packed, at, size_of(type));
}

} // namespace kiln::x64::jit
