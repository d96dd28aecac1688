// SPDX-License-Identifier: Apache-2.0
// Loads and stores of vectors of floats. AVX2 cannot mask 8-bit and 16-bit elements, so its partial
// loads and stores consist of pieces of 16, 8, 4, 2 and 1 bytes.

#include "cpu/x64/jit/lanes_io.hpp"

#include <cassert>

#include "common/memory/data_type.hpp"
#include "common/memory/type_set.hpp"

namespace kiln::x64::jit {
namespace {

/// From the bits of an element of 4 bits at the bottom of a lane to the top.
constexpr int shift_of_half_bytes = 28;

/// The smallest view of a register that holds so many bytes.
const Xmm &part(const Xmm &vec, int bytes) {
    if (bytes > 32) return all_registers<Xbyak::Zmm>[static_cast<size_t>(vec.getIdx())];
    return bytes > 16 ? generator_t::ymm(vec) : generator_t::xmm(vec);
}

/// Loads fewer than 16 bytes in pieces of 8, 4, 2 and 1 bytes; the rest of the register is zero.
void load_pieces(generator_t &g, const Xmm &vec, const RegExp &at, int bytes) {
    const Xmm to = g.xmm(vec);
    if (bytes < 4) g.vxorps(to, to, to);
    int offset = 0; // a multiple of the next piece's size
    for (int size = 8; size > 0; size /= 2)
        for (; bytes - offset >= size; offset += size) {
            const Xbyak::Address from = g.ptr[at + offset];
            switch (size) {
            case 8: g.vmovq(to, from); break; // the first piece, which clears the rest
            case 4: offset == 0 ? g.vmovd(to, from) : g.vpinsrd(to, to, from, offset / 4); break;
            case 2: g.vpinsrw(to, to, from, offset / 2); break;
            default: g.vpinsrb(to, to, from, offset); break;
            }
        }
}

/// Emits `visit(i, address)` for elements that are `stride` bytes apart.
template <typename visit_t>
void for_each_apart(
        generator_t &g, const RegExp &at, dim_t stride, int count, const visit_t &visit) {
    const gpr_t place = g.gpr("element"), distance = g.gpr("distance of elements");
    g.lea(*place, g.ptr[at]);
    g.mov(*distance, stride);
    for (int i = 0; i < count; i += 2) {
        visit(i, g.ptr[*place]);
        if (i + 1 < count) visit(i + 1, g.ptr[*place + *distance]);
        if (i + 2 < count) g.lea(*place, g.ptr[*place + *distance * 2]);
    }
}

constexpr int quarter_bytes = 16;

} // namespace

bool lanes_io_t::can_convert(data_type_t type) {
    return contains(float_types | f8_types | int8_types | type_set({dnnl_s32}), type);
}

bool lanes_io_t::can_load_scale(data_type_t type) { return can_convert(type) || type == dnnl_e8m0; }

void lanes_io_t::prepare_tail(int count) {
    assert(0 < count && count < g_.lanes() && tail_ == 0);
    tail_ = count;
    if (g_.has_avx512()) tail_mask_.emplace(g_.mask("tail", (1u << count) - 1));
}

void lanes_io_t::prepare_half_bytes() {
    constexpr uint32_t upper_half = 0xff00;
    if (g_.has_avx512()) upper_mask_.emplace(g_.mask("upper half", upper_half));
}

void lanes_io_t::release() {
    tail_ = 0;
    tail_mask_.reset();
    upper_mask_.reset();
}

bool lanes_io_t::is_full(int count) const {
    assert(count == g_.lanes() || (count == tail_ && count > 0));
    return count == g_.lanes();
}

Xmm lanes_io_t::masked(const Xmm &vec, int count) const {
    return is_full(count) || !g_.has_avx512() ? vec : vec | *tail_mask_ | Xbyak::util::T_z;
}

void lanes_io_t::load(const Xmm &vec, data_type_t type, const RegExp &at, int count) {
    const Xmm to = g_.full(vec);
    if (is_half_byte(type)) {
        load_half_bytes_to_top(to, at, count);
        type == dnnl_s4 ? g_.vpsrad(to, to, shift_of_half_bytes)
                        : g_.vpsrld(to, to, shift_of_half_bytes);
        return g_.vcvtdq2ps(to, to);
    }
    if (!is_full(count) && !g_.has_avx512()) return load_tail_avx2(to, type, at, count);
    const Xmm to_lanes = masked(to, count);
    if (type == dnnl_f32)
        g_.vmovups(to_lanes, g_.ptr[at]);
    else
        expand(g_, to_lanes, type, g_.ptr[at]);
}

void lanes_io_t::load_strided(
        const Xmm &vec, data_type_t type, const RegExp &at, dim_t stride, int count) {
    const Xmm to = g_.full(vec);
    const int size = g_.size_of(type), elements = quarter_bytes / size;
    std::optional<vec_t> collected(g_.vec("quarter"));
    const Xmm quarter = g_.xmm(*collected);
    for_each_apart(g_, at, stride, count, [&](int i, const Xbyak::Address &from) {
        const int place = i % elements;
        if (place == 0) g_.vxorps(quarter, quarter, quarter);
        switch (size) {
        case 4: g_.vpinsrd(quarter, quarter, from, uint8_t(place)); break;
        case 2: g_.vpinsrw(quarter, quarter, from, uint8_t(place)); break;
        default: g_.vpinsrb(quarter, quarter, from, uint8_t(place)); break;
        }
        if (place + 1 < elements && i + 1 < count) return;
        const auto index = uint8_t(i / elements);
        if (index == 0)
            g_.vmovaps(g_.xmm(to), quarter); // clears the others
        else if (g_.has_avx512())
            g_.vinsertf32x4(Xbyak::Zmm(to.getIdx()), Xbyak::Zmm(to.getIdx()), quarter, index);
        else
            g_.vinsertf128(g_.ymm(to), g_.ymm(to), quarter, index);
    });
    collected.reset();
    if (type != dnnl_f32) expand(g_, to, type, part(to, size * g_.lanes()));
}

void lanes_io_t::store_strided(const Xmm &vec, data_type_t type, const RegExp &at, dim_t stride,
        int count, subnormals_t subnormals) {
    const Xmm from = g_.full(vec);
    std::optional<vec_t> packed;
    if (type != dnnl_f32) pack(g_, packed.emplace(g_.vec("packed")), type, from, subnormals);
    const Xmm elements = packed ? Xmm(**packed) : from;
    const vec_t extracted = g_.vec("quarter");
    const int size = g_.size_of(type);
    for_each_apart(g_, at, stride, count, [&](int i, const Xbyak::Address &to) {
        const int byte = i * size % quarter_bytes, first = i * size - byte;
        if (byte == 0 && first != 0) extract_part(g_, extracted, elements, first, quarter_bytes);
        const Xmm quarter = g_.xmm(first == 0 ? elements : *extracted);
        const auto index = uint8_t(byte / size);
        switch (size) {
        case 4: g_.vpextrd(to, quarter, index); break;
        case 2: g_.vpextrw(to, quarter, index); break;
        default: g_.vpextrb(to, quarter, index); break;
        }
    });
}

void lanes_io_t::load_bits(const Xmm &vec, int size, const RegExp &at, int count) {
    if (size == 4) return load(vec, dnnl_f32, at, count);
    load_widened(g_.full(vec), size, at, count,
            [&](const Xmm &to, const Xbyak::Operand &from) { widen_bits(g_, to, size, from); });
}

void lanes_io_t::load_integers(const Xmm &vec, data_type_t type, const RegExp &at, int count) {
    load_widened(g_.full(vec), 1, at, count, [&](const Xmm &to, const Xbyak::Operand &from) {
        type == dnnl_s8 ? g_.vpmovsxbd(to, from) : g_.vpmovzxbd(to, from);
    });
}

void lanes_io_t::load_words(const Xmm &vec, data_type_t type, const RegExp &at, int count) {
    load_widened(g_.lower_half(vec), 1, at, count, [&](const Xmm &to, const Xbyak::Operand &from) {
        type == dnnl_s8 ? g_.vpmovsxbw(to, from) : g_.vpmovzxbw(to, from);
    });
}

/// `widen` extends elements of `size` bytes to those of `to`.
void lanes_io_t::load_widened(const Xmm &to, int size, const RegExp &at, int count,
        const function_ref_t<void(const Xmm &, const Xbyak::Operand &)> &widen) {
    if (is_full(count) || g_.has_avx512()) return widen(masked(to, count), g_.ptr[at]);
    load_pieces(g_, to, at, count * size);
    widen(to, g_.xmm(to));
}

void lanes_io_t::load_four(const Xmm &vec, data_type_t type, const RegExp &at) {
    if (type == dnnl_f32)
        g_.vmovups(g_.xmm(vec), g_.ptr[at]);
    else if (contains(f8_types, type)) // converted as words, more of which memory may not have
        g_.vmovd(g_.xmm(vec), g_.ptr[at]), expand(g_, g_.full(vec), type, g_.xmm(vec));
    else
        expand(g_, g_.xmm(vec), type, g_.ptr[at]);
}

void lanes_io_t::load_half_bits(const Xmm &vec, const RegExp &at, int count) {
    load_half_bytes_to_top(g_.full(vec), at, count);
    g_.vpsrld(g_.full(vec), g_.full(vec), shift_of_half_bytes);
}

/// The bits of an element are moved to the top of its lane.
void lanes_io_t::load_half_bytes_to_top(const Xmm &to, const RegExp &at, int count) {
    constexpr uint32_t bits = 4, elements_of_lane = 8;
    if (is_full(count)) {
        g_.vpbroadcastd(to, g_.ptr[at]);
        if (g_.has_avx512()) g_.vpbroadcastd(to | *upper_mask_, g_.ptr[at + 4]);
        g_.vpsllvd(to, to, g_.constant_lanes([](uint32_t lane) {
            return shift_of_half_bytes - bits * (lane % elements_of_lane);
        }));
    } else {
        load_pieces(g_, to, at, (count + 1) / 2);
        // Bits of a byte from bit 0 on, and from bit 28 on: a lane for each half.
        constexpr uint32_t factor = 1 + (1u << shift_of_half_bytes);
        g_.vpmovzxbq(to, g_.xmm(to));
        g_.vpmuludq(to, to, g_.constant_lanes(g_.lanes(), factor));
        g_.vpslld(to, to, shift_of_half_bytes);
    }
}

void lanes_io_t::load_tail_avx2(const Xmm &to, data_type_t type, const RegExp &at, int count) {
    if (g_.size_of(type) == 4) {
        // The mask is loaded to the destination first, so that it takes no other register.
        g_.vmovups(to, g_.constant_lanes(count, ~0u));
        g_.vmaskmovps(to, to, g_.ptr[at]);
        if (type != dnnl_f32) expand(g_, to, type, to);
    } else {
        load_pieces(g_, to, at, count * g_.size_of(type));
        expand(g_, to, type, g_.xmm(to));
    }
}

void lanes_io_t::store(const Xmm &vec, data_type_t type, const RegExp &at, int count, store_t how,
        subnormals_t subnormals) {
    const Xmm from = g_.full(vec);
    if (type == dnnl_f32) return store_packed(from, g_.size_of(type), at, count, how);
    if (is_half_byte(type)) return store_half_bytes(from, type, at, count);
    const vec_t packed = g_.vec("packed");
    pack(g_, packed, type, from, subnormals);
    store_packed(packed, g_.size_of(type), at, count, how);
}

void lanes_io_t::store_half_bytes(const Xmm &from, data_type_t type, const RegExp &at, int count) {
    constexpr int bytes_of_lane = 4;
    const auto of_bytes = [&](const auto &byte) { // of the lanes of xmm registers
        return g_.constant_lanes([&](uint32_t lane) {
            uint32_t bits = 0;
            for (int i = 0; i < bytes_of_lane; ++i)
                bits |= static_cast<uint32_t>(
                                byte(static_cast<int>(lane) * bytes_of_lane + i) & 0xff)
                        << 8 * i;
            return bits;
        });
    };
    const auto each = [&](int byte) { return of_bytes([=](int) { return byte; }); };
    const vec_t packed = g_.vec("half bytes");
    const Xmm bytes = g_.xmm(packed);
    if (type == dnnl_s4) {
        pack(g_, packed, dnnl_s8, from, subnormals_t::flushed);
        g_.vpminsb(bytes, bytes, each(7));
        g_.vpmaxsb(bytes, bytes, each(-8));
    } else {
        pack(g_, packed, dnnl_u8, from, subnormals_t::flushed);
        g_.vpminub(bytes, bytes, each(15));
    }
    g_.vandps(bytes, bytes, of_bytes([=](int i) { return i < count ? 15 : 0; }));
    g_.vpmaddubsw(bytes, bytes, of_bytes([](int i) { return i % 2 == 0 ? 1 : 16; }));
    g_.vpackuswb(bytes, bytes, bytes);
    store_bytes(packed, 0, (count + 1) / 2, at);
}

void lanes_io_t::store_bounded(const Xmm &vec, const RegExp &at, int count, store_t how) {
    const vec_t packed = g_.vec("packed");
    pack_bounded(g_, packed, g_.full(vec));
    store_packed(packed, g_.size_of(dnnl_s8), at, count, how);
}

void lanes_io_t::load_packed(const Xmm &packed, int element_size, const RegExp &at) {
    g_.vmovups(part(packed, element_size * g_.lanes()), g_.ptr[at]);
}

void lanes_io_t::store_packed(
        const Xmm &packed, int element_size, const RegExp &at, int count, store_t how) {
    const Xmm from = part(packed, element_size * g_.lanes());
    if (how == store_t::non_temporal && is_full(count)) {
        assert(element_size * g_.lanes() >= 16);
        g_.store_non_temporal(g_.ptr[at], from);
    } else if (!g_.has_avx512()) {
        assert(is_full(count) || count == tail_);
        if (is_full(count) && element_size == 4)
            g_.vmovups(g_.ptr[at], from);
        else
            store_bytes(from, 0, element_size * count, at);
    } else if (is_full(count)) {
        const bool is_split = how == store_t::halves && from.isZMM();
        g_.vmovups(g_.ptr[at], is_split ? g_.ymm(packed) : from);
        if (is_split) g_.vextractf64x4(g_.ptr[at + 32], g_.zmm(packed), 1);
    } else {
        const Xbyak::Address to = g_.ptr[at] | *tail_mask_;
        switch (element_size) {
        case 4: g_.vmovups(to, from); break;
        case 2: g_.vmovdqu16(to, from); break;
        case 1: g_.vmovdqu8(to, from); break;
        default: assert(false);
        }
    }
}

void lanes_io_t::store_bytes(const Xmm &vec, int first, int count, const RegExp &at) {
    const int bytes = g_.lanes() * static_cast<int>(sizeof(float));
    if (first == 0 && count == bytes) return g_.vmovups(g_.ptr[at], g_.full(vec));
    std::optional<vec_t> quarter;
    int held = -1; // which quarter is in the register
    const auto low_part = [&](int size, int from) {
        if (from == 0) return part(vec, size);
        if (!quarter) quarter.emplace(g_.vec("quarter"));
        extract_part(g_, *quarter, vec, from, size);
        return part(*quarter, size);
    };
    Xmm from = g_.xmm(vec);
    for (int done = 0; done < count;) {
        const int place = first + done;
        int size = 32;
        while (place % size != 0 || size > count - done || size > bytes) size /= 2;
        const Xbyak::Address to = g_.ptr[at + done];
        done += size;
        if (size >= 16) {
            g_.vmovups(to, low_part(size, place));
            held = -1;
            continue;
        }
        if (held != place / 16) from = g_.xmm(low_part(16, place / 16 * 16));
        held = place / 16;
        const auto index = static_cast<uint8_t>(place % 16 / size);
        switch (size) {
        case 8: index == 0 ? g_.vmovq(to, from) : g_.vmovhps(to, from); break;
        case 4: index == 0 ? g_.vmovd(to, from) : g_.vpextrd(to, from, index); break;
        case 2: g_.vpextrw(to, from, index); break;
        default: g_.vpextrb(to, from, index); break;
        }
    }
}

void lanes_io_t::load_broadcast(const Xmm &vec, data_type_t type, const RegExp &at) {
    const Xmm to = g_.full(vec);
    const Xbyak::Address from = g_.ptr[at];
    const Xmm narrow = part(to, g_.size_of(type) * g_.lanes());
    switch (g_.size_of(type)) {
    case 4: g_.vbroadcastss(to, from); break;
    case 2: g_.vpbroadcastw(narrow, from); break;
    case 1: g_.vpbroadcastb(narrow, from); break;
    default: assert(false);
    }
    if (type != dnnl_f32) expand(g_, to, type, narrow);
}

void lanes_io_t::store_scalar(const Xmm &vec, data_type_t type, const RegExp &at) {
    const Xmm from = g_.full(vec);
    if (type == dnnl_f32) return store_bytes(from, 0, g_.size_of(type), at);
    const vec_t packed = g_.vec("packed");
    pack(g_, packed, type, from);
    store_bytes(packed, 0, g_.size_of(type), at);
}

} // namespace kiln::x64::jit
