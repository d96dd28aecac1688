// SPDX-License-Identifier: Apache-2.0
// The kernel that makes integers of three digits of the floats of a row.

#include "cpu/x64/matrix/digit_kernel.hpp"

#include <cstddef>
#include <span>

#include "common/memory/float_conversion.hpp"
#include "cpu/x64/jit/reduce.hpp"

namespace kiln::x64::matrix {

namespace {

constexpr uint32_t magnitude = 0x7fffffff, infinity = 0x7f800000;
/// Added to an integer, it makes its three lowest bytes its digits, each with the top bit flipped.
constexpr uint32_t digit_bias = 0x00808080;
/// Half of what keeps the greatest integer in three digits, which reach to 127 * 0x10101.
constexpr float half_of_room = 0.5f * (1 + 1.0f / 128);
constexpr float exponent_of_half = 21, least_exponent = -105;

} // namespace

std::string digit_spec_t::name() const {
    return jit::kernel_name("matrix_" + prefix_of(step) + "a", {src_type}, isa);
}

digit_kernel_t::digit_kernel_t(const digit_spec_t &spec)
    : generator_t(spec.isa, spec.name())
    , spec_(spec)
    , io_(*this) {}

void digit_kernel_t::generate() {
    if (spec_.tail != 0) io_.prepare_tail(spec_.tail);
    const vec_t greatest = vec("greatest magnitude");
    find_greatest(greatest);
    const vec_t &order = vecs_.emplace_back(vec("order of elements"));
    vmovups(order, constant_lanes([&](uint32_t lane) {
        constexpr uint32_t step = 8, of_half = 4;
        if (spec_.step == step_t::digits4) return lane;
        return lane / step * step + lane % of_half * 2 + lane / of_half % 2;
    }));
    vmovups(vecs_.emplace_back(vec("ones")), constant_lanes(lanes(), 0x01010101));
    set_zero(vecs_.emplace_back(vec("sums of digits")));
    Xbyak::Label is_finite, end;
    {
        const gpr_t bits = gpr("greatest magnitude");
        vmovd((*bits).cvt32(), xmm(greatest));
        cmp((*bits).cvt32(), infinity);
    }
    jb(is_finite, T_NEAR);
    write_signs(greatest);
    jmp(end, T_NEAR);
    L(is_finite);
    write_integers(greatest);
    L(end);
    store_sum();
    vecs_.clear();
    io_.release();
}

/// Calls `body(vector, dst, count)` for each vector of the group, loaded.
template <typename body_t> void digit_kernel_t::for_each_vector(const body_t &body) {
    const gpr_t src = gpr("src", argument(offsetof(digit_args_t, src)));
    const gpr_t dst = gpr("dst", argument(offsetof(digit_args_t, dst)));
    const gpr_t left = gpr("vectors left", argument(offsetof(digit_args_t, vectors)));
    const vec_t x = vec("elements");
    const auto write = [&](int count) {
        io_.load(x, spec_.src_type, RegExp(*src), count);
        body(x, RegExp(*dst), count);
    };
    repeat_if_any(*left, [&] {
        write(lanes());
        add(*src, lanes() * size_of(spec_.src_type));
        add(*dst, lanes() * digit_places);
    });
    if (spec_.tail != 0)
        unless_zero(argument(offsetof(digit_args_t, has_tail)), [&] { write(spec_.tail); });
}

/// The bits of magnitudes are compared as integers: NaN is the greatest.
void digit_kernel_t::find_greatest(const Xmm &bits) {
    const vec_t found = vec("greatest of each lane");
    set_zero(found);
    for_each_vector([&](const Xmm &x, const RegExp &, int) {
        vandps(x, x, constant_bits(magnitude));
        vpmaxud(*found, *found, x);
    });
    jit::reduce_integer_maxima(*this, std::span(&found, 1));
    vbroadcastss(bits, xmm(found));
}

void digit_kernel_t::write_integers(const Xmm &greatest) {
    const vec_t shift = vec("exponent of the scale");
    vmulps(shift, greatest, constant(half_of_room));
    vgetexpps(shift, shift); // -infinity for 0
    vmaxps(shift, shift, constant(least_exponent));
    vsubps(shift, shift, constant(exponent_of_half));
    {
        const vec_t scale = vec("scale");
        broadcast(scale, 1);
        vscalefps(scale, scale, shift);
        const gpr_t at = gpr("scale", argument(offsetof(digit_args_t, scale)));
        vmovss(dword[*at], xmm(scale));
        set_zero(scale);
        vsubps(shift, scale, shift);
    }
    for_each_vector([&](const Xmm &x, const RegExp &at, int count) {
        vscalefps(x, x, *shift);
        vcvtps2dq(x, x);
        store_digits(x, at, count);
    });
}

void digit_kernel_t::write_signs(const Xmm &greatest) {
    const gpr_t scale = gpr("scale", argument(offsetof(digit_args_t, scale)));
    vmovss(dword[*scale], xmm(greatest));
    const vec_t bits = vec("magnitudes");
    const mask_t are_infinite = mask("infinite elements and NaN");
    for_each_vector([&](const Xmm &x, const RegExp &at, int count) {
        constexpr uint8_t sign_bit = 31, not_less = 5;
        vandps(*bits, x, constant_bits(magnitude));
        vpcmpud(*are_infinite, *bits, constant_bits(infinity), not_less);
        vpsrad(x, x, sign_bit);
        vpord(x | *are_infinite | Xbyak::util::T_z, x, constant_bits(1));
        store_digits(x, at, count);
    });
}

/// Stores the digits of a vector of integers, or of its first half if that has them all, and adds
/// them to the sums.
void digit_kernel_t::store_digits(const Xmm &integers, const RegExp &at, int count) {
    constexpr uint32_t of_bytes[] = {0x0c080400, 0x0d090501, 0x0e0a0602, 0x0f0b0703};
    constexpr int half = 8;
    vpermd(zmm(integers), zmm(vecs_[0]), zmm(integers));
    vpaddd(integers, integers, constant_bits(digit_bias));
    vpxord(integers, integers, constant_bits(digit_bias));
    vpshufb(integers, integers,
            constant_lanes([&](uint32_t lane) { return of_bytes[lane % digit_places]; }));
    vpdpbusd(*vecs_[2], *vecs_[1], integers);
    count > half ? vmovups(ptr[at], zmm(integers)) : vmovups(ptr[at], ymm(integers));
}

/// The lanes of each digit are added, then the digits, as doubles.
void digit_kernel_t::store_sum() {
    const vec_t half = vec("upper half");
    const Xmm &sum = vecs_[2];
    vextracti64x4(ymm(half), zmm(sum), 1);
    vpaddd(ymm(sum), ymm(sum), ymm(half));
    vextracti128(xmm(half), ymm(sum), 1);
    vpaddd(xmm(sum), xmm(sum), xmm(half));
    {
        const gpr_t at =
                gpr("what takes the shift back", argument(offsetof(digit_args_t, of_shift)));
        vpmulld(xmm(half), xmm(sum), constant_lanes(lanes(), static_cast<uint32_t>(-spec_.shift)));
        vmovups(ptr[*at], xmm(half));
    }
    vcvtdq2pd(ymm(sum), xmm(sum));
    vmulpd(ymm(sum), ymm(sum), constant_lanes([](uint32_t lane) { // 1, 256, 65536 and 0
        constexpr uint32_t upper_halves[] = {0x3ff00000, 0x40700000, 0x40f00000, 0};
        return lane % 2 == 0 ? 0 : upper_halves[lane / 2 % digit_places];
    }));
    vextractf128(xmm(half), ymm(sum), 1);
    vaddpd(xmm(sum), xmm(sum), xmm(half));
    vpermilpd(xmm(half), xmm(sum), 1);
    vaddsd(xmm(sum), xmm(sum), xmm(half));
    vcvtsd2ss(xmm(sum), xmm(sum), xmm(sum));
    const gpr_t at = gpr("sum", argument(offsetof(digit_args_t, sum)));
    vmovss(dword[*at], xmm(sum));
}

} // namespace kiln::x64::matrix
