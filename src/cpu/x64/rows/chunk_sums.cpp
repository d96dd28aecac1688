// SPDX-License-Identifier: Apache-2.0
// Adds up the sums that chunks of the work left.

#include "cpu/x64/rows/chunk_sums.hpp"

#include <cstddef>
#include <string>

#include "cpu/x64/jit/f64_halves.hpp"
#include "cpu/x64/rows/row_walk.hpp"
#include "oneapi/dnnl/dnnl_debug.h"

namespace kiln::x64::normalization {
namespace {

struct totals_args_t {
    const float *first;
    int64_t chunks;
    int64_t pitch; // in bytes
    void *to;
};

/// For each vector of columns: total = sum over chunks, in two vectors of doubles.
class totals_kernel_t : public jit::generator_t {
public:
    totals_kernel_t(isa_t isa, dim_t cols, data_type_t type)
        : generator_t(isa, std::string("chunk_totals_") + dnnl_dt2str(type) + "_" + isa_name(isa))
        , cols_(cols)
        , type_(type)
        , io_(*this) {}

private:
    void generate() override {
        const jit::row_walk_t walk(*this, io_, cols_);
        const jit::gpr_t first = gpr("sums of the first chunk"), to = gpr("totals");
        mov(*first, ptr[arguments() + offsetof(totals_args_t, first)]);
        mov(*to, ptr[arguments() + offsetof(totals_args_t, to)]);
        walk.for_each_vector([&](int copy, int count) {
            const jit::vec_t total = vec("total");
            add_up(total, walk.at(first, dnnl_f32, copy), count);
            io_.store(total, type_, walk.at(to, type_, copy), count);
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

void chunk_totals_t::store(const chunk_sums_t &sums, void *to) const {
    const totals_args_t args{
            sums.first, sums.chunks, sums.pitch * static_cast<int64_t>(sizeof(float)), to};
    code_.entry<void (*)(const totals_args_t *)>()(&args);
}

} // namespace kiln::x64::normalization
