// SPDX-License-Identifier: Apache-2.0
// The kernel that packs rows of a matrix.

#include "cpu/x64/matrix/pack_kernel.hpp"

#include <algorithm>
#include <cstddef>

#include "cpu/x64/cache_size.hpp"

namespace kiln::x64::matrix {

namespace {

/// How far ahead of a step its rows are fetched: the lines of a block are apart in memory, where
/// the processor does not foresee them.
constexpr int steps_ahead = 16;

} // namespace

std::string pack_spec_t::name() const {
    const char *const matrix = takes_remainder ? "a_remainder" : is_a ? "a" : "b";
    return jit::kernel_name("matrix_pack_" + prefix_of(step) + matrix, {src_type}, isa);
}

/// The place of a step in a panel. A register has the address of a row, from which the two behind
/// it are reached.
struct pack_kernel_t::walk_t {
    explicit walk_t(pack_kernel_t &k)
        : pitch(k.gpr("pitch of src", k.argument(offsetof(pack_args_t, src_pitch))))
        , src(k.gpr("src"))
        , dst(k.gpr("dst"))
        , distance(k.gpr("distance to the rows ahead"))
        , ahead(k.gpr("src ahead")) {
        for (int row = rows_of_base; row < k.depth(); row += rows_of_base)
            others.push_back(k.gpr("rows of src"));
        k.imul(*distance, *pitch, steps_ahead * k.depth());
    }
    RegExp row(int index) const {
        const gpr_t &base = index < rows_of_base ? src : others[index / rows_of_base - 1];
        const int place = index % rows_of_base;
        return place == 0 ? RegExp(*base) : *base + *pitch * place;
    }
    static constexpr int rows_of_base = 3;
    gpr_t pitch, src, dst, distance, ahead;
    jit::list_t<gpr_t> others;
};

pack_kernel_t::pack_kernel_t(const pack_spec_t &spec)
    : generator_t(spec.isa, spec.name())
    , spec_(spec)
    , io_(*this) {}

/// Step by step, so that the lines of rows are read one behind another.
void pack_kernel_t::generate() {
    if (spec_.tail % lanes() != 0) io_.prepare_tail(spec_.tail % lanes());
    if (is_half_byte(spec_.src_type)) io_.prepare_half_bytes();
    if (spec_.step == step_t::u8s8 && !spec_.is_a) join_.emplace(*this, io_);
    {
        const walk_t walk(*this);
        const gpr_t src = gpr("rows of src", argument(offsetof(pack_args_t, src)));
        const gpr_t dst = gpr("step of dst", argument(offsetof(pack_args_t, dst)));
        const gpr_t left = gpr("steps left", argument(offsetof(pack_args_t, steps)));
        const auto panels = [&](int rows) {
            mov(*walk.src, *src);
            mov(*walk.dst, *dst);
            write_panels(walk, rows);
        };
        repeat_if_any(*left, [&] {
            panels(depth());
            lea(*src, ptr[*src + *walk.pitch * depth()]);
            add(*dst, argument(offsetof(pack_args_t, dst_pitch)));
        });
        if (spec_.rest != 0)
            unless_zero(argument(offsetof(pack_args_t, has_rest)), [&] { panels(spec_.rest); });
    }
    join_.reset();
    io_.release();
}

/// The step of each panel.
void pack_kernel_t::write_panels(const walk_t &walk, int rows) {
    const gpr_t left = gpr("panels left", argument(offsetof(pack_args_t, panels)));
    repeat_if_any(*left, [&] {
        write_step(walk, rows, spec_.width());
        add(*walk.src, src_bytes(spec_.width()));
        add(*walk.dst, argument(offsetof(pack_args_t, dst_panel)));
    });
    if (spec_.tail != 0)
        unless_zero(argument(offsetof(pack_args_t, has_tail)),
                [&] { write_step(walk, rows, spec_.tail); });
}

void pack_kernel_t::fetch_rows(const walk_t &walk, int rows, int columns) {
    const int bytes = src_bytes(columns);
    lea(*walk.ahead, ptr[*walk.src + *walk.distance]);
    for (int row = 0; row < rows; ++row) {
        for (int at = 0; at < bytes; at += cache_line_bytes) prefetcht1(ptr[*walk.ahead + at]);
        if (row + 1 < rows) add(*walk.ahead, *walk.pitch);
    }
}

void pack_kernel_t::write_step(const walk_t &walk, int rows, int columns) {
    fetch_rows(walk, rows, columns);
    for (size_t i = 0; i < walk.others.size(); ++i) {
        lea(*walk.others[i], ptr[*(i == 0 ? walk.src : walk.others[i - 1]) + *walk.pitch * 2]);
        add(*walk.others[i], *walk.pitch);
    }
    for (int first = 0; first < columns; first += lanes()) {
        const int count = std::min(lanes(), columns - first), vector = first / lanes();
        const vec_t step = vec("step");
        if (spec_.is_a && spec_.step == step_t::s16) {
            io_.load_words(step, spec_.src_type, walk.row(0) + src_bytes(first), count);
            store_words(step, *walk.dst + first * element_bytes(spec_.step));
            continue;
        }
        if (spec_.is_a) {
            io_.load(step, spec_.src_type, walk.row(0) + src_bytes(first), count);
            if (spec_.takes_remainder) subtract_bf16(step);
            if (spec_.step == step_t::split) {
                store_split(step, first, *walk.dst);
                continue;
            }
            store_elements(step, *walk.dst + first * element_bytes(spec_.step));
            continue;
        }
        if (join_ && join_->has_pairs() && rows == depth() && columns - first >= 2 * lanes()) {
            const vec_t next = vec("next vector of the step");
            join_->load_pair(step, next, [&](int row) { return walk.row(row) + src_bytes(first); });
            vmovups(ptr[*walk.dst + first * 4], *step);
            first += lanes();
            vmovups(ptr[*walk.dst + first * 4], *next);
            continue;
        }
        load_step(step, walk, rows, vector, count);
        vmovups(ptr[*walk.dst + first * 4], *step);
    }
}

/// A vector of elements. Conversions to floats and back are exact, but that subnormal numbers of
/// bf16 become zeros where the processor converts to bf16, as it multiplies them.
void pack_kernel_t::store_elements(const Xmm &floats, const RegExp &at) {
    const data_type_t type = spec_.step == step_t::f32    ? dnnl_f32
                             : spec_.step == step_t::bf16 ? dnnl_bf16
                                                          : spec_.src_type;
    if (!spec_.in_octets) return io_.store(floats, type, at, lanes());
    const vec_t packed = vec("packed");
    jit::pack(*this, packed, type, floats);
    store_octets(packed, size_of(type), at);
}

/// Integers of 16 bits, adjacent.
void pack_kernel_t::store_words(const Xmm &words, const RegExp &at) {
    constexpr int size = 2;
    if (spec_.in_octets) return store_octets(words, size, at);
    io_.store_packed(words, size, at, lanes(), jit::store_t::ordinary);
}

/// Lanes of elements from `first` on; those of A in both orders.
void pack_kernel_t::store_split(const Xmm &floats, int first, const RegExp &row) {
    constexpr int word_bits = 16;
    split(floats);
    if (spec_.is_of_b) return vmovups(ptr[row + first * b_element_bytes(spec_.step)], floats);
    const RegExp at = row + first * element_bytes(spec_.step);
    vmovups(ptr[at], floats);
    vprold(floats, floats, word_bits);
    vmovups(ptr[at + lanes() * 4], floats);
}

/// Each lane = two elements of bf16 whose sum a float is, or its first 16 bits: the first eight,
/// and what is left. A float that has no more is twice its half, infinities too: the product of two
/// floats has the products of their terms, and none of them is 0 by infinity unless a float is 0.
void pack_kernel_t::split(const Xmm &floats) {
    constexpr uint32_t upper_half = 0xffff0000;
    constexpr int word_bits = 16;
    constexpr uint8_t masked_or = 0xf8; // first | (second & third)
    const vec_t first = vec("first term");
    const mask_t is_short = mask("floats of eight bits");
    vpandd(first, floats, constant_bits(upper_half));
    vcmpeqps(is_short, floats, first);
    vmulps(*first | *is_short, floats, constant(0.5f));
    vsubps(floats, floats, first);
    vmovaps(floats | *is_short, first);
    vpsrld(first, first, word_bits);
    vpternlogd(first, floats, constant_bits(upper_half), masked_or);
    vmovaps(floats, first);
}

/// Infinities leave 0.
void pack_kernel_t::subtract_bf16(const Xmm &floats) {
    constexpr int word_bits = 16;
    const vec_t rounded = vec("values in bf16");
    const mask_t differ = mask("elements that bf16 lacks");
    vcvtneps2bf16(ymm(rounded), zmm(floats));
    vpmovzxwd(rounded, ymm(rounded));
    vpslld(rounded, rounded, word_bits);
    vcmpneqps(differ, floats, rounded);
    vsubps(floats | differ | Xbyak::util::T_z, floats, rounded);
}

/// A vector of packed elements, each eight of them in the order in which a step converts those of
/// B: 0 4 1 5 2 6 3 7 if they have two bytes, 0 2 4 6 1 3 5 7 if one.
void pack_kernel_t::store_octets(const Xmm &packed, int size, const RegExp &at) {
    constexpr uint32_t of_words[] = {0x09080100, 0x0b0a0302, 0x0d0c0504, 0x0f0e0706};
    constexpr uint32_t of_bytes[] = {0x06040200, 0x07050301, 0x0e0c0a08, 0x0f0d0b09};
    const auto &order = size == 2 ? of_words : of_bytes; // of four lanes
    vpshufb(full(packed), full(packed),
            constant_lanes([&](uint32_t lane) { return order[lane % 4]; }));
    io_.store_packed(packed, size, at, lanes(), jit::store_t::ordinary);
}

void pack_kernel_t::load_step(const Xmm &to, const walk_t &walk, int rows, int vector, int count) {
    if (join_)
        return join_->load(to, rows, count,
                [&](int row) { return walk.row(row) + src_bytes(vector * lanes()); });
    load_lanes(to, walk, 0, vector, count);
    for (int row = 1; row < rows; ++row) {
        const vec_t x = vec("row");
        load_lanes(x, walk, row, vector, count);
        vorps(to, to, *x);
    }
}

/// An element in its place in each lane, the other bits zero.
void pack_kernel_t::load_lanes(const Xmm &to, const walk_t &walk, int row, int vector, int count) {
    const RegExp at = walk.row(row) + src_bytes(vector * lanes());
    if (spec_.step == step_t::f32) return io_.load(to, spec_.src_type, at, count);
    if (spec_.step == step_t::split) {
        io_.load(to, spec_.src_type, at, count);
        return split(to);
    }
    if (spec_.step == step_t::bf16 && spec_.src_type != dnnl_bf16) {
        io_.load(to, spec_.src_type, at, count);
        vcvtneps2bf16(ymm(to), zmm(to));
        vpmovzxwd(to, ymm(to));
        if (row != 0) vpslld(to, to, 16);
        return;
    }
    constexpr int lane_bits = 32, word_bits = 16;
    if (spec_.step == step_t::s16) {
        io_.load_integers(to, spec_.src_type, at, count);
        if (row != 0)
            vpslld(to, to, word_bits);
        else if (spec_.src_type == dnnl_s8)
            vandps(to, to, constant_bits(0xffff));
        return;
    }
    if (is_half_byte(spec_.src_type))
        io_.load_half_bits(to, at, count);
    else
        io_.load_bits(to, size_of(spec_.src_type), at, count);
    if (row != 0) vpslld(to, to, row * (lane_bits / depth_of(spec_.step)));
}

} // namespace kiln::x64::matrix
