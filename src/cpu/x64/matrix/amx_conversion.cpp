// SPDX-License-Identifier: Apache-2.0
// The kernel that converts packed weights to what AMX multiplies.

#include "cpu/x64/matrix/amx_conversion.hpp"

#include <algorithm>
#include <cstddef>
#include <map>

namespace kiln::x64::matrix {

namespace {

constexpr int lane_bits = 32;

/// A table of the integers with the bits 0 to 15, four in each of four lanes.
constexpr auto signed_half_bytes = [](uint32_t lane) {
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < 4; ++i) {
        const uint32_t bits = lane % 4 * 4 + i, sign = 8;
        bytes |= (((bits ^ sign) - sign) & 0xff) << (8 * i);
    }
    return bytes;
};

} // namespace

std::string amx_conversion_spec_t::name() const {
    return jit::kernel_name("matrix_amx_conversion", {src_type, dst_type()}, isa);
}

struct amx_conversion_kernel_t::walk_t {
    explicit walk_t(amx_conversion_kernel_t &k)
        : src(k.gpr("src", k.argument(offsetof(amx_conversion_args_t, src))))
        , dst(k.gpr("dst", k.argument(offsetof(amx_conversion_args_t, dst))))
        , table(k.vec("order of words, or values of half bytes")) {
        for (int v = 0; v < k.spec_.vectors; ++v) {
            if (k.spec_.scale.exists()) scales.push_back(k.vec("scale"));
            if (k.spec_.zero.exists()) zeros.push_back(k.vec("zero point"));
        }
        if (k.spec_.step == step_t::bf16)
            // Word i of the lower half, and word i of the upper half.
            k.vmovups(table, k.constant_lanes([](uint32_t lane) {
                return lane | (lane + lane_bits / 2) << 16;
            }));
        else if (k.spec_.src_type == dnnl_s4)
            k.vmovups(table, k.constant_lanes(signed_half_bytes));
        if (k.spec_.step != step_t::bf16 || k.spec_.src_type == dnnl_f32) return;
        const int bits = lane_bits / k.spec_.lane_depth();
        for (int place = 0; place < lane_bits / 2; place += bits) {
            const auto mask = ((1u << bits) - 1) << place;
            k.vmovups(masks.emplace(mask, k.vec("mask of a place")).first->second,
                    k.constant_lanes(k.lanes(), mask));
        }
    }
    gpr_t src, dst;
    vec_t table;
    std::map<uint32_t, vec_t> masks; // of integers in the lower halves of lanes
    vecs_t scales, zeros;
};

amx_conversion_kernel_t::amx_conversion_kernel_t(const amx_conversion_spec_t &spec)
    : generator_t(spec.isa, spec.name())
    , spec_(spec)
    , io_(*this) {}

void amx_conversion_kernel_t::generate() {
    if (spec_.tail % lanes() != 0) io_.prepare_tail(spec_.tail % lanes());
    if (is_half_byte(spec_.zero.type)) io_.prepare_half_bytes();
    {
        const walk_t walk(*this);
        const int step_bytes = spec_.vectors * lanes() * 4;
        Xbyak::Label whole, loaded;
        if (spec_.tail != 0) {
            cmp(argument(offsetof(amx_conversion_args_t, is_tail)), 0);
            je(whole, T_NEAR);
            load_operands(walk, spec_.tail);
            jmp(loaded, T_NEAR);
        }
        L(whole);
        load_operands(walk, spec_.vectors * lanes());
        L(loaded);
        const int depth = std::max(2, spec_.lane_depth());
        const gpr_t left = gpr("runs left", argument(offsetof(amx_conversion_args_t, runs)));
        repeat_if_any(*left, [&] {
            if (spec_.step != step_t::bf16)
                write_bytes(walk);
            else
                spec_.src_type == dnnl_f32 ? write_floats(walk, false) : write_integers(walk);
            add(*walk.src, step_bytes * (spec_.lane_depth() == 1 ? 2 : 1));
            add(*walk.dst, step_bytes * depth / depth_of(spec_.step));
        });
        if (spec_.lane_depth() == 1)
            unless_zero(argument(offsetof(amx_conversion_args_t, has_half)),
                    [&] { write_floats(walk, true); });
    }
    io_.release();
}

void amx_conversion_kernel_t::load_operands(const walk_t &walk, int columns) {
    const gpr_t scales = gpr("scales", argument(offsetof(amx_conversion_args_t, scales)));
    const gpr_t zeros = gpr("zero points", argument(offsetof(amx_conversion_args_t, zeros)));
    for (int v = 0; v < spec_.vectors; ++v) {
        if (spec_.scale.exists())
            load_operand(walk.scales[v], spec_.scale, RegExp(*scales), v, columns);
        if (spec_.zero.exists())
            load_operand(walk.zeros[v], spec_.zero, RegExp(*zeros), v, columns);
    }
}

/// Of columns that a narrower panel lacks nothing is loaded.
void amx_conversion_kernel_t::load_operand(
        const Xmm &to, const group_operand_t &operand, const RegExp &at, int vector, int columns) {
    const int first = vector * lanes(), count = std::min(lanes(), columns - first);
    if (count <= 0) return set_zero(to);
    if (!operand.per_lane) return io_.load_broadcast(to, operand.type, at);
    const int bytes = is_half_byte(operand.type) ? first / 2 : first * size_of(operand.type);
    io_.load(to, operand.type, at + bytes, count);
}

void amx_conversion_kernel_t::write_floats(const walk_t &walk, bool is_half) {
    const int step_bytes = spec_.vectors * lanes() * 4;
    const vec_t even = vec("element"), odd = vec("next element");
    for (int v = 0; v < spec_.vectors; ++v) {
        const int offset = v * lanes() * 4;
        vmovups(even, ptr[*walk.src + offset]);
        is_half ? set_zero(odd) : vmovups(odd, ptr[*walk.src + step_bytes + offset]);
        write_pair(walk, even, odd, offset);
    }
}

/// Integers of each lane, from the lowest bits on.
void amx_conversion_kernel_t::write_integers(const walk_t &walk) {
    const int bits = lane_bits / spec_.lane_depth(), pairs = spec_.lane_depth() / 2;
    const int pairs_of_half = pairs / 2, step_bytes = spec_.vectors * lanes() * 4;
    const vec_t integers = vec("integers"), even = vec("element"), odd = vec("next element");
    for (int v = 0; v < spec_.vectors; ++v) {
        const int offset = v * lanes() * 4;
        vmovups(integers, ptr[*walk.src + offset]);
        if (is_signed())
            vpxord(integers, integers, constant_bits(bits == 8 ? 0x80808080 : 0x88888888));
        for (int pair = 0; pair < pairs; ++pair) {
            if (pair == pairs_of_half) vpsrld(integers, integers, lane_bits / 2);
            const int place = pair % pairs_of_half * 2 * bits;
            convert(even, walk, integers, place, v);
            convert(odd, walk, integers, place + bits, v);
            write_pair(walk, even, odd, pair * step_bytes + offset);
        }
    }
}

/// The integers at a place in the lower halves of lanes, as floats. The bits are those of a float
/// whose unit is their lowest bit.
void amx_conversion_kernel_t::convert(
        const Xmm &to, const walk_t &walk, const Xmm &integers, int place, int vector) {
    constexpr int bits_of_significand = 23, bias = 127;
    const int bits = lane_bits / spec_.lane_depth();
    const auto mask = ((1u << bits) - 1) << place;
    const auto power = static_cast<uint32_t>(bits_of_significand - place + bias)
                       << bits_of_significand;
    const int shift = is_signed() ? 1 << (bits - 1) : 0; // that made signed ones unsigned
    const auto base = static_cast<float>((1 << (bits_of_significand - place)) + shift);
    constexpr uint8_t masked_or = 0xea; // (first & second) | third
    vmovaps(to, integers);
    vpternlogd(to, *walk.masks.at(mask), constant_bits(power), masked_or);
    vsubps(to, to, constant(base));
    if (spec_.zero.exists()) vsubps(to, to, walk.zeros[static_cast<size_t>(vector)]);
    if (spec_.scale.exists()) vmulps(to, to, walk.scales[static_cast<size_t>(vector)]);
}

/// Stores two elements of each lane; changes them.
void amx_conversion_kernel_t::write_pair(
        const walk_t &walk, const Xmm &even, const Xmm &odd, int offset) {
    if (spec_.is_exact()) { // nothing but zeros in the lower halves
        vpsrld(even, even, lane_bits / 2);
        vpord(even, even, odd);
    } else {
        vcvtne2ps2bf16(zmm(even), zmm(odd), zmm(even));
        vpermw(zmm(even), zmm(walk.table), zmm(even));
    }
    vmovups(ptr[*walk.dst + offset], even);
}

/// Eight half bytes of each lane become two steps of four bytes.
void amx_conversion_kernel_t::write_bytes(const walk_t &walk) {
    const int step_bytes = spec_.vectors * lanes() * 4;
    const vec_t low = vec("lower half bytes"), high = vec("upper half bytes");
    const vec_t first = vec("first columns"), last = vec("last columns");
    const auto half_bytes = constant_bits(0x0f0f0f0f);
    for (int v = 0; v < spec_.vectors; ++v) {
        const int offset = v * lanes() * 4;
        vmovups(low, ptr[*walk.src + offset]);
        vpsrld(high, low, 4);
        for (const vec_t *bytes : {&low, &high}) {
            vpandd(*bytes, *bytes, half_bytes);
            if (spec_.src_type == dnnl_s4) vpshufb(*bytes, walk.table, *bytes);
        }
        // Of each four columns, both steps of two, then each step of all.
        vpunpcklbw(first, low, high);
        vpunpckhbw(last, low, high);
        constexpr int even = 0x88, odd = 0xdd;
        vshufps(low, first, last, even);
        vshufps(high, first, last, odd);
        vmovups(ptr[*walk.dst + offset], low);
        vmovups(ptr[*walk.dst + step_bytes + offset], high);
    }
}

} // namespace kiln::x64::matrix
