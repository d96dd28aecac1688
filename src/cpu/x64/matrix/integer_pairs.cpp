// SPDX-License-Identifier: Apache-2.0
// Packed integers become pairs of bf16.

#include "cpu/x64/matrix/integer_pairs.hpp"

#include <bit>

#include "common/memory/data_type.hpp"

namespace kiln::x64::matrix {

using jit::RegExp;
using jit::vec_t;
using Xbyak::Xmm;

namespace {

constexpr int half_byte_bits = 4, byte_bits = 8, word_bits = 16;
/// Of bytes in the lower half of a lane.
constexpr int places = 2;

constexpr uint32_t bits_of(float value) { return std::bit_cast<uint32_t>(value); }
/// The bits of bf16 of a small integer.
constexpr uint32_t bf16_bits(int value) { return bits_of(static_cast<float>(value)) >> word_bits; }
/// The float whose unit is the lowest bit of a byte in a place.
constexpr float power_of(int place) {
    constexpr int bits_of_significand = 23;
    return static_cast<float>(1 << (bits_of_significand - place * byte_bits));
}

} // namespace

integer_pairs_t::integer_pairs_t(
        jit::generator_t &g, data_type_t type, const group_operand_t &zero, int vectors)
    : g_(g)
    , type_(type)
    , zero_(zero) {
    const bool are_half = is_half_byte(type);
    are_half ? load_table() : load_places();
    const int values = are_half        ? zero.exists() * vectors
                       : zero.exists() ? places * vectors
                                       : places;
    for (int i = 0; i < values; ++i) zeros_.push_back(g.vec("zero point"));
    if (!are_half && !zero.exists())
        for (int place = 0; place < places; ++place) g.broadcast(zeros_[place], base_of(place));
}

/// What the bits 0 to 4 of a word stand for: the four bits of an integer, or, with a sign, the
/// difference of two.
void integer_pairs_t::load_table() {
    const auto value = [&](uint32_t bits) {
        constexpr int count = 16, sign = 8;
        const int code = static_cast<int>(bits), low = code % count;
        if (zero_.exists()) return code < count ? low : low - count;
        return is_signed() ? (low ^ sign) - sign : low;
    };
    g_.vmovups(tables_.emplace_back(g_.vec("values of half bytes")),
            g_.constant_lanes([&](uint32_t lane) {
                return bf16_bits(value(2 * lane)) | bf16_bits(value(2 * lane + 1)) << word_bits;
            }));
    if (zero_.exists())
        g_.vmovups(tables_.emplace_back(g_.vec("mask of half bytes")),
                g_.constant_lanes(g_.lanes(), 0x0f0f0f0f));
}

void integer_pairs_t::load_places() {
    for (const uint32_t mask : {0x00ffu, 0xff00u})
        g_.vmovups(tables_.emplace_back(g_.vec("mask of a place")),
                g_.constant_lanes(g_.lanes(), mask));
    for (int place = 0; place < places; ++place)
        g_.vmovups(tables_.emplace_back(g_.vec("power of a place")),
                g_.constant_lanes(g_.lanes(), bits_of(power_of(place))));
    lower_words_.emplace(g_.mask("bytes of lower words", 0x3333333333333333));
}

/// What is above the bits of a place. Integers with a sign are made unsigned.
float integer_pairs_t::base_of(int place) const {
    return power_of(place) + static_cast<float>(is_signed() ? 1 << (byte_bits - 1) : 0);
}

void integer_pairs_t::load_zeros(jit::lanes_io_t &io, int vector, const RegExp &at, int columns) {
    if (!is_half_byte(type_)) {
        const vec_t &even = zeros_[places * vector], &odd = zeros_[places * vector + 1];
        io.load(even, zero_.type, at, columns);
        return add_bases(even, odd);
    }
    // In all bytes of a lane; those with a sign are made unsigned, too.
    const vec_t &zero = zeros_[vector], others = g_.vec("other bytes");
    io.load_half_bits(zero, at, columns);
    if (is_signed()) g_.vpxord(zero, zero, g_.constant_bits(1 << (half_byte_bits - 1)));
    for (const int bits : {byte_bits, word_bits}) {
        g_.vpslld(others, zero, bits);
        g_.vpord(zero, zero, others);
    }
}

/// A zero point of half bytes takes a byte of two: there is no common one.
void integer_pairs_t::load_common_zero(jit::lanes_io_t &io, const RegExp &at) {
    io.load_broadcast(zeros_[0], zero_.type, at);
    add_bases(zeros_[0], zeros_[1]);
    for (int i = places; i < static_cast<int>(zeros_.size()); ++i)
        g_.vmovaps(zeros_[i], zeros_[i % places]);
}

/// A zero point and the base of each place.
void integer_pairs_t::add_bases(const vec_t &even, const vec_t &odd) {
    g_.vaddps(odd, even, g_.constant(base_of(1)));
    g_.vaddps(even, even, g_.constant(base_of(0)));
}

void integer_pairs_t::convert(const RegExp &from, int vector, const RegExp &to, int pitch) {
    const vec_t integers = g_.vec("integers");
    g_.vmovups(integers, g_.ptr[from]);
    is_half_byte(type_) ? convert_half_bytes(integers, vector, to, pitch)
                        : convert_bytes(integers, vector, to, pitch);
}

void integer_pairs_t::convert_half_bytes(
        const Xmm &integers, int vector, const RegExp &to, int pitch) {
    if (zero_.exists()) return convert_differences(integers, vector, to, pitch);
    const vec_t values = g_.vec("values");
    for (int i = 0; i < word_bits / half_byte_bits; ++i) {
        if (i != 0) g_.vpsrld(integers, integers, half_byte_bits);
        g_.vpermw(values, integers, *tables_[0]);
        g_.vmovups(g_.ptr[to + i * pitch], values);
    }
}

/// Zero points are subtracted from four half bytes of a lane at a time, each in a byte.
void integer_pairs_t::convert_differences(
        const Xmm &integers, int vector, const RegExp &to, int pitch) {
    constexpr uint8_t masked_xor = 0x6a; // (first & second) ^ third
    const vec_t values = g_.vec("values"), bytes = g_.vec("half bytes");
    for (int half = 0; half < byte_bits / half_byte_bits; ++half) {
        if (half != 0) g_.vpsrld(integers, integers, half_byte_bits);
        g_.vmovaps(bytes, integers);
        if (is_signed())
            g_.vpternlogd(bytes, *tables_[1], g_.constant_bits(0x08080808), masked_xor);
        else
            g_.vpandd(bytes, bytes, *tables_[1]);
        g_.vpsubb(bytes, bytes, *zeros_[vector]);
        for (int byte = 0; byte < word_bits / byte_bits; ++byte) {
            if (byte != 0) g_.vpsrld(bytes, bytes, byte_bits);
            g_.vpermw(values, bytes, *tables_[0]);
            g_.vmovups(g_.ptr[to + (2 * byte + half) * pitch], values);
        }
    }
}

void integer_pairs_t::convert_bytes(const Xmm &integers, int vector, const RegExp &to, int pitch) {
    constexpr uint8_t masked_or = 0xea; // (first & second) | third
    const vec_t even = g_.vec("element"), odd = g_.vec("next element");
    if (is_signed()) g_.vpxord(integers, integers, g_.constant_bits(0x80808080));
    for (int i = 0; i < word_bits / byte_bits; ++i) {
        if (i != 0) g_.vpsrld(integers, integers, word_bits);
        for (int place = 0; place < places; ++place) {
            const vec_t &element = place == 0 ? even : odd;
            g_.vmovaps(element, integers);
            g_.vpternlogd(element, *tables_[place], *tables_[places + place], masked_or);
            g_.vsubps(element, element, *zeros_[zero_.exists() ? places * vector + place : place]);
        }
        // The upper words of the even elements become the lower ones of the odd elements.
        g_.vpshufb(*odd | *lower_words_, even, g_.constant_lanes([](uint32_t lane) {
            const uint32_t upper = lane % 4 * 4 + 2;
            return upper | (upper + 1) << byte_bits;
        }));
        g_.vmovups(g_.ptr[to + i * pitch], odd);
    }
}

} // namespace kiln::x64::matrix
