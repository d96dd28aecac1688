// SPDX-License-Identifier: Apache-2.0
// Adds up the partial sums of chunks.

#include "cpu/x64/rows/chunk_sums.hpp"

#include <cstddef>

#include "cpu/x64/jit/f64_halves.hpp"
#include "cpu/x64/jit/kernel_name.hpp"
#include "cpu/x64/rows/row_walk.hpp"

namespace kiln::x64 {
namespace {

struct totals_args_t {
    const float *first;
    int64_t chunks;
    int64_t pitch; // in bytes
    void *totals;
};

/// total = sum over chunks for each vector of columns, in two vectors of doubles.
/// Registers: three vectors for the doubles, one for the floats; four general ones for addresses
/// and the count of chunks.
class totals_kernel_t : public jit::generator_t {
public:
    totals_kernel_t(isa_t isa, dim_t cols, data_type_t type)
        : generator_t(isa, jit::kernel_name("chunk_totals", {type}, isa))
        , cols_(cols)
        , type_(type)
        , io_(*this) {}

private:
    void generate() override {
        const row_walk_t walk(*this, io_, cols_);
        const jit::gpr_t first = gpr("sums of the first chunk"), totals = gpr("totals");
        mov(*first, ptr[arguments() + offsetof(totals_args_t, first)]);
        mov(*totals, ptr[arguments() + offsetof(totals_args_t, totals)]);
        walk.for_each_vector([&](int copy, int count) {
            const jit::vec_t total = vec("total");
            add_up(total, walk.at(*first, dnnl_f32, copy), count);
            io_.store(total, type_, walk.at(*totals, type_, copy), count);
        });
    }

    void add_up(const jit::vec_t &total, const Xbyak::RegExp &first, int count) {
        const jit::gpr_t at = gpr("sums of a chunk"), left = gpr("chunks left");
        const jit::vec_t lower = vec("lower half"), upper = vec("upper half");
        const jit::vec_t wide = vec("half of a chunk's sums");
        lea(*at, ptr[first]);
        mov(*left, ptr[arguments() + offsetof(totals_args_t, chunks)]);
        set_zero(lower);
        set_zero(upper);
        Xbyak::Label again;
        L(again);
        io_.load(total, dnnl_f32, *at, count);
        for (const int half : {0, 1}) {
            const Xbyak::Xmm &sum = half == 0 ? *lower : *upper;
            jit::widen_half(*this, wide, total, half);
            vaddpd(sum, sum, *wide);
        }
        add(*at, ptr[arguments() + offsetof(totals_args_t, pitch)]);
        dec(*left);
        jnz(again, T_NEAR);
        jit::narrow_into_half(*this, total, lower, 0);
        jit::narrow_into_half(*this, total, upper, 1);
    }

    const dim_t cols_;
    const data_type_t type_;
    jit::lanes_io_t io_;
};

} // namespace

chunk_totals_t::chunk_totals_t(isa_t isa, dim_t cols, data_type_t type)
    : code_(totals_kernel_t(isa, cols, type).finish()) {}

void chunk_totals_t::store(const chunk_sums_t &sums, void *totals) const {
    const totals_args_t args{.first = sums.first,
            .chunks = sums.chunks,
            .pitch = sums.pitch * static_cast<int64_t>(sizeof(float)),
            .totals = totals};
    code_.entry<void (*)(const totals_args_t *)>()(&args);
}

} // namespace kiln::x64
