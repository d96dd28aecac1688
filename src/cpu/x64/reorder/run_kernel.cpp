// SPDX-License-Identifier: Apache-2.0
// The kernel that goes along.

#include "cpu/x64/reorder/run_kernel.hpp"

#include <cstddef>
#include <optional>

#include "common/data_type.hpp"
#include "cpu/x64/jit/kernel_name.hpp"

namespace kiln::x64::reorder {

using jit::gpr_t;
using jit::store_t;
using jit::vec_t;

std::string run_spec_t::name() const {
    return jit::kernel_name("reorder_run", {src_type, dst_type}, isa);
}

struct run_kernel_t::registers_t {
    explicit registers_t(run_kernel_t &k)
        : src(k.gpr("src of the row"))
        , dst(k.gpr("dst of the row"))
        , from(k.gpr("src of the run"))
        , to(k.gpr("dst of the run"))
        , rows(k.gpr("rows left")) {
        if (k.spec_.cols != 0) walk.emplace(k, k.io_, k.spec_.cols);
    }
    gpr_t src, dst, from, to, rows;
    std::optional<jit::row_walk_t> walk;
};

run_kernel_t::run_kernel_t(const run_spec_t &spec)
    : generator_t(spec.isa, spec.name())
    , spec_(spec)
    , io_(*this) {}

void run_kernel_t::generate() {
    registers_t r(*this);
    const auto argument = [&](size_t offset) { return ptr[arguments() + offset]; };
    mov(*r.src, argument(offsetof(run_args_t, src)));
    mov(*r.dst, argument(offsetof(run_args_t, dst)));
    mov(*r.rows, argument(offsetof(run_args_t, rows)));
    Xbyak::Label again;
    L(again);
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
    dec(*r.rows);
    jnz(again, T_NEAR);
    if (spec_.is_non_temporal) sfence();
}

void run_kernel_t::write_run(registers_t &r) {
    r.walk->for_each_vector([&](int copy, int count) {
        const vec_t x = vec("x");
        io_.load(x, spec_.src_type, r.walk->at(*r.from, spec_.src_type, copy), count);
        const bool is_full = count == lanes();
        const store_t how =
                spec_.is_non_temporal && is_full ? store_t::non_temporal : store_t::ordinary;
        io_.store(x, spec_.dst_type, r.walk->at(*r.to, spec_.dst_type, copy),
                spec_.padding != 0 ? lanes() : count, how);
    });
}

/// Vectors behind the last one that has elements.
void run_kernel_t::write_padding(registers_t &r) {
    const dim_t first = (spec_.cols + lanes() - 1) / lanes() * lanes();
    const auto size = static_cast<dim_t>(data_type_size(spec_.dst_type));
    const vec_t zero = vec("zero");
    set_zero(zero);
    for (dim_t col = first; col < spec_.cols + spec_.padding; col += lanes())
        io_.store(zero, spec_.dst_type, *r.to + static_cast<int>(col * size), lanes());
}

void run_kernel_t::write_rest(registers_t &r) {
    const gpr_t bytes = gpr("bytes");
    int offset = static_cast<int>(spec_.cols * 4);
    if (spec_.rest_bytes >= 2) {
        movzx((*bytes).cvt32(), word[*r.from + offset]);
        mov(word[*r.to + offset], (*bytes).cvt16());
        offset += 2;
    }
    if (spec_.rest_bytes % 2 != 0) {
        movzx((*bytes).cvt32(), byte[*r.from + offset]);
        mov(byte[*r.to + offset], (*bytes).cvt8());
    }
}

} // namespace kiln::x64::reorder
