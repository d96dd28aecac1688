// SPDX-License-Identifier: Apache-2.0
// The kernel that copies or converts runs.

#include "cpu/x64/nests/run_kernel.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "common/integers.hpp"
#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/jit/lane_conversion.hpp"

namespace kiln::x64::nests {

using jit::store_t;

std::string run_spec_t::name() const {
    const bool clamps = clamp != dnnl_data_type_undef;
    return jit::kernel_name(clamps ? "nest_run_clamped" : "nest_run", {src_type, dst_type}, isa);
}

bool run_spec_t::has_padding() const {
    const dim_t lanes = jit::lanes_of(isa), padded = cols + padding;
    return padding == 0 || padded < lanes || padded % lanes == 0;
}

struct run_kernel_t::registers_t {
    explicit registers_t(run_kernel_t &k)
        : src(k.gpr("src of the row", k.argument(offsetof(run_args_t, src))))
        , dst(k.gpr("dst of the row", k.argument(offsetof(run_args_t, dst))))
        , from(k.gpr("src of the run"))
        , to(k.gpr("dst of the run"))
        , rows(k.gpr("rows left", k.argument(offsetof(run_args_t, rows))))
        , planes(k.gpr("planes left", k.argument(offsetof(run_args_t, planes)))) {
        if (k.spec_.cols != 0) walk.emplace(k, k.io_, k.spec_.cols);
    }
    gpr_t src, dst, from, to, rows, planes;
    std::optional<jit::row_walk_t> walk;
};

run_kernel_t::run_kernel_t(const run_spec_t &spec)
    : generator_t(spec.isa, spec.name())
    , spec_(spec)
    , src_size_(size_of(spec.src_type))
    , dst_size_(size_of(spec.dst_type))
    , copies_bits_(spec.src_type == spec.dst_type && src_size_ < 4)
    , io_(*this) {}

void run_kernel_t::generate() {
    registers_t r(*this);
    repeat(*r.planes, [&] {
        write_plane(r);
        go_to_next_plane(r.src, offsetof(run_args_t, src), offsetof(run_args_t, src_plane));
        go_to_next_plane(r.dst, offsetof(run_args_t, dst), offsetof(run_args_t, dst_plane));
        mov(*r.rows, argument(offsetof(run_args_t, rows)));
    });
}

void run_kernel_t::go_to_next_plane(const gpr_t &row, size_t tensor, size_t stride) {
    mov(*row, argument(tensor));
    add(*row, argument(stride));
    mov(argument(tensor), *row);
}

void run_kernel_t::write_plane(registers_t &r) {
    repeat(*r.rows, [&] {
        mov(*r.from, *r.src);
        mov(*r.to, *r.dst);
        for (int step = 0; step < spec_.steps; ++step) {
            if (step > 0) {
                add(*r.from, argument(offsetof(run_args_t, src_step)));
                add(*r.to, argument(offsetof(run_args_t, dst_step)));
            }
            if (r.walk) write_run(r);
            if (spec_.padding != 0) write_padding(r);
            if (spec_.rest_bytes != 0) write_rest(r);
        }
        add(*r.src, argument(offsetof(run_args_t, src_stride)));
        add(*r.dst, argument(offsetof(run_args_t, dst_stride)));
    });
}

void run_kernel_t::write_run(registers_t &r) {
    std::optional<vec_t> kept;
    if (spec_.block_bytes != 0) {
        kept.emplace(vec("kept"));
        vmovups(**kept, kept_lanes());
    }
    r.walk->for_each_vector([&](int copy, int count) {
        if (spec_.fetches_next_page && copy == 0) // one line of the vectors of a loop
            prefetcht0(ptr[r.walk->at(*r.from, spec_.src_type, copy) + page_bytes]);
        const vec_t x = vec("x");
        load(x, r.walk->at(*r.from, spec_.src_type, copy), count);
        if (spec_.clamp != dnnl_data_type_undef) jit::clamp_bytes(*this, x, spec_.clamp);
        if (kept) vandps(*x, *x, **kept);
        const auto to = r.walk->at(*r.to, spec_.dst_type, copy);
        const dim_t padded = spec_.padding != 0 && count < lanes() ? count + spec_.padding : count;
        store(x, to, static_cast<int>(std::min<dim_t>(padded, lanes())));
    });
}

Xbyak::Address run_kernel_t::kept_lanes() {
    return constant_lanes([&](uint32_t lane) {
        uint32_t bits = 0;
        for (int byte = 0; byte < 4; ++byte)
            if ((4 * static_cast<int>(lane) + byte) % spec_.block_bytes < spec_.kept_bytes)
                bits |= 0xffu << 8 * byte;
        return bits;
    });
}

void run_kernel_t::load(const Xmm &x, const RegExp &at, int count) {
    if (copies_bits_)
        io_.load_bits(x, src_size_, at, count);
    else
        io_.load(x, spec_.src_type, at, count);
}

/// `count` is greater than that of the load if padding follows in the same vector.
void run_kernel_t::store(const Xmm &x, const RegExp &at, int count) {
    std::optional<vec_t> packed;
    if (spec_.dst_type != dnnl_f32) packed.emplace(vec("packed"));
    if (copies_bits_)
        jit::pack_bits(*this, **packed, dst_size_, x);
    else if (packed)
        jit::pack(*this, **packed, spec_.dst_type, x, jit::subnormals_of(spec_.src_type));
    const Xmm &from = packed ? **packed : x;
    if (count == lanes() || count == spec_.cols % lanes())
        io_.store_packed(from, dst_size_, at, count,
                spec_.is_non_temporal ? store_t::non_temporal : store_t::ordinary);
    else
        io_.store_bytes(from, 0, count * dst_size_, at);
}

/// Padding behind the last vector that has elements.
void run_kernel_t::write_padding(registers_t &r) {
    const dim_t first = round_up<dim_t>(spec_.cols, lanes());
    const vec_t zero = vec("zero");
    set_zero(zero);
    for (dim_t col = first; col < spec_.cols + spec_.padding; col += lanes()) {
        const auto to = *r.to + static_cast<int>(col * dst_size_);
        io_.store_packed(zero, dst_size_, to, lanes(), store_t::ordinary);
    }
}

void run_kernel_t::write_rest(registers_t &r) {
    const gpr_t held = gpr("bytes");
    const Reg64 &bytes = *held;
    int offset = static_cast<int>(spec_.cols * dst_size_);
    for (int size = 8, left = spec_.rest_bytes; left > 0; size /= 2)
        for (; left >= size; left -= size, offset += size) {
            const auto from = *r.from + offset, to = *r.to + offset;
            switch (size) {
            case 8: mov(bytes, qword[from]), mov(qword[to], bytes); break;
            case 4: mov(bytes.cvt32(), dword[from]), mov(dword[to], bytes.cvt32()); break;
            case 2: movzx(bytes.cvt32(), word[from]), mov(word[to], bytes.cvt16()); break;
            default: movzx(bytes.cvt32(), byte[from]), mov(byte[to], bytes.cvt8()); break;
            }
        }
}

} // namespace kiln::x64::nests
