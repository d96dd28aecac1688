// SPDX-License-Identifier: Apache-2.0
// The kernel that gathers chunks of bytes.

#include "cpu/x64/shuffle/chunk_kernel.hpp"

#include <cstddef>
#include <cstring>
#include <deque>

namespace kiln::x64::shuffle {

std::string chunk_spec_t::name() const {
    std::string shape = std::to_string(bytes) + "_of_" + std::to_string(sources);
    if (!is_by_byte()) shape += "_size_" + std::to_string(size);
    return jit::kernel_name("shuffle_chunk_" + shape, {}, isa);
}

namespace {

// Where a description has its parts. `dst` is first.
constexpr int kept_at = sizeof(int64_t), sources_at = kept_at + sizeof(uint64_t);

int source_at(int source) { return sources_at + source * static_cast<int>(sizeof(int64_t)); }

int pattern_at(const chunk_spec_t &spec, int source) {
    return source_at(spec.sources) + source * static_cast<int>(spec.indices());
}

} // namespace

dim_t chunk_spec_t::description_bytes() const { return pattern_at(*this, sources); }

void chunk_t::write(const chunk_spec_t &spec, std::byte *to) const {
    std::memcpy(to, &dst, sizeof(dst));
    std::memcpy(to + kept_at, &kept, sizeof(kept));
    for (int i = 0; i < spec.sources; ++i) {
        const auto source = static_cast<size_t>(i);
        std::memcpy(to + source_at(i), &sources[source], sizeof(int64_t));
        std::memcpy(to + pattern_at(spec, i), patterns[source].data(),
                static_cast<size_t>(spec.indices()));
    }
}

struct chunk_kernel_t::registers_t {
    explicit registers_t(chunk_kernel_t &k)
        : src(k.gpr("src of a part", k.argument(offsetof(chunk_args_t, src))))
        , dst(k.gpr("dst of a part", k.argument(offsetof(chunk_args_t, dst))))
        , rows(k.gpr("positions left", k.argument(offsetof(chunk_args_t, rows))))
        , part(k.gpr("positions of a part"))
        , chunk(k.gpr("chunk"))
        , left(k.gpr("chunks left"))
        , from(k.gpr("src of a position"))
        , to(k.gpr("dst of a position"))
        , rows_left(k.gpr("positions left in a part"))
        , offset(k.gpr("offset")) {}
    gpr_t src, dst, rows, part, chunk, left, from, to, rows_left, offset;
};

chunk_kernel_t::chunk_kernel_t(const chunk_spec_t &spec)
    : generator_t(spec.isa, spec.name())
    , spec_(spec) {}

const Xbyak::Xmm &chunk_kernel_t::chunk_of(const Xmm &vec) const {
    if (spec_.is_by_byte()) return xmm(vec);
    return spec_.bytes == most_chunk_bytes ? full(vec) : ymm(vec);
}

void chunk_kernel_t::generate() {
    registers_t r(*this);
    if (!spec_.is_by_byte()) kept_.emplace(mask("elements"));
    const int description = static_cast<int>(spec_.description_bytes());
    Xbyak::Label part;
    L(part);
    mov(*r.part, argument(offsetof(chunk_args_t, rows_of_part)));
    cmp(*r.rows, *r.part);
    cmovl(*r.part, *r.rows);
    mov(*r.chunk, argument(offsetof(chunk_args_t, chunks)));
    mov(*r.left, argument(offsetof(chunk_args_t, count)));
    repeat(*r.left, [&] {
        write_chunk(r);
        add(*r.chunk, description);
    });
    mov(*r.src, *r.from);
    mov(*r.dst, *r.to);
    sub(*r.dst, ptr[*r.chunk - description]);
    sub(*r.rows, *r.part);
    jnz(part, T_NEAR);
    kept_.reset();
}

void chunk_kernel_t::write_chunk(const registers_t &r) {
    if (kept_) kmovd(*kept_, dword[*r.chunk + kept_at]);
    std::deque<vec_t> patterns;
    for (int i = 0; i < spec_.sources; ++i)
        load_pattern(patterns.emplace_back(vec("pattern")), ptr[*r.chunk + pattern_at(spec_, i)]);
    const vec_t result = vec("result");
    mov(*r.from, *r.src);
    mov(*r.to, *r.dst);
    add(*r.to, ptr[*r.chunk]);
    mov(*r.rows_left, *r.part);
    repeat(*r.rows_left, [&] {
        for (size_t i = 0; i < patterns.size(); ++i) {
            mov(*r.offset, ptr[*r.chunk + source_at(static_cast<int>(i))]);
            gather(result, i == 0, ptr[*r.from + *r.offset], patterns[i]);
        }
        store_chunk(ptr[*r.to], result);
        add(*r.from, argument(offsetof(chunk_args_t, src_pitch)));
        add(*r.to, argument(offsetof(chunk_args_t, dst_pitch)));
    });
}

void chunk_kernel_t::load_chunk(const Xmm &to, const Xbyak::Address &from) {
    spec_.bytes == least_chunk_bytes ? vmovq(xmm(to), from) : vmovups(chunk_of(to), from);
}

void chunk_kernel_t::store_chunk(const Xbyak::Address &to, const Xmm &from) {
    if (spec_.is_non_temporal)
        store_non_temporal(to, chunk_of(from));
    else if (spec_.bytes == least_chunk_bytes)
        vmovq(to, xmm(from));
    else
        vmovups(to, chunk_of(from));
}

void chunk_kernel_t::load_pattern(const Xmm &to, const Xbyak::Address &indices) {
    if (spec_.is_by_byte())
        load_chunk(to, indices);
    else if (spec_.size == 4)
        vpmovzxbd(chunk_of(to), indices);
    else
        vpmovzxbw(chunk_of(to), indices);
}

void chunk_kernel_t::gather(
        const Xmm &result, bool is_first, const Xbyak::Address &source, const Xmm &pattern) {
    const Xmm picked = chunk_of(result), places = chunk_of(pattern);
    if (spec_.is_by_byte()) {
        const vec_t other = vec("bytes of another source");
        const Xmm &bytes = is_first ? picked : xmm(other);
        load_chunk(bytes, source);
        vpshufb(bytes, bytes, places);
        if (!is_first) vorps(picked, picked, bytes);
        return;
    }
    const bool are_words = spec_.size == 4;
    if (!is_first)
        are_words ? vpermt2d(picked, places, source) : vpermt2w(picked, places, source);
    else if (are_words && spec_.bytes == most_chunk_bytes)
        vpermd(zmm(result) | *kept_ | Xbyak::util::T_z, zmm(pattern), source);
    else if (are_words)
        vpermd(ymm(result) | *kept_ | Xbyak::util::T_z, ymm(pattern), source);
    else
        vpermw(picked | *kept_ | Xbyak::util::T_z, places, source);
}

} // namespace kiln::x64::shuffle
