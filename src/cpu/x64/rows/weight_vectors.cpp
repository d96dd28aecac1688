// SPDX-License-Identifier: Apache-2.0
// Generated functions on vectors of weights and of their gradients.

#include "cpu/x64/rows/weight_vectors.hpp"

#include <cstddef>

#include "common/integers.hpp"
#include "cpu/x64/jit/math/f64_halves.hpp"
#include "cpu/x64/jit/row_walk.hpp"

namespace kiln::x64 {
namespace {

struct vector_args_t {
    const void *from;
    void *to;
    int64_t chunks; // totals: vectors that are added up
    int64_t pitch;  // in bytes from one to the next
};

/// to = from, or to = the total of several vectors of floats, vector by vector. Totals are added up
/// in two vectors of doubles.
///
/// Registers: a vector of floats and, for totals, three of doubles; the two addresses and, for
/// totals, an address and the count of chunks.
class vector_kernel_t : public jit::generator_t {
public:
    vector_kernel_t(isa_t isa, const char *name, dim_t cols, data_type_t from, data_type_t to,
            bool is_total)
        : generator_t(isa, jit::kernel_name(name, {is_total ? to : from}, isa))
        , cols_(cols)
        , from_(from)
        , to_(to)
        , is_total_(is_total)
        , io_(*this) {}

private:
    void generate() override {
        const jit::row_walk_t walk(*this, io_, cols_);
        const gpr_t from = gpr("from", argument(offsetof(vector_args_t, from)));
        const gpr_t to = gpr("to", argument(offsetof(vector_args_t, to)));
        walk.for_each_vector([&](int copy, int count) {
            const vec_t floats = vec("floats");
            const RegExp at = walk.at(*from, from_, copy);
            if (is_total_)
                add_up(floats, at, count);
            else
                io_.load(floats, from_, at, count);
            io_.store(floats, to_, walk.at(*to, to_, copy), count);
        });
    }

    void add_up(const vec_t &total, const RegExp &first, int count) {
        const gpr_t at = gpr("sums of a chunk"), left = gpr("chunks left");
        const vec_t lower = vec("lower half"), upper = vec("upper half");
        const vec_t wide = vec("half of a chunk's sums");
        lea(*at, ptr[first]);
        mov(*left, argument(offsetof(vector_args_t, chunks)));
        set_zero(lower);
        set_zero(upper);
        repeat(*left, [&] {
            io_.load(total, dnnl_f32, *at, count);
            for (const int half : {0, 1}) {
                const Xmm &sum = half == 0 ? *lower : *upper;
                jit::widen_half(*this, wide, total, half);
                vaddpd(sum, sum, *wide);
            }
            add(*at, argument(offsetof(vector_args_t, pitch)));
        });
        jit::narrow_into_half(*this, total, lower, 0);
        jit::narrow_into_half(*this, total, upper, 1);
    }

    const dim_t cols_;
    const data_type_t from_, to_;
    const bool is_total_;
    jit::lanes_io_t io_;
};

} // namespace

bool converts_weights(data_type_t type, dim_t rows) {
    constexpr dim_t few_rows = 4; // whose conversions cost less than another sweep
    return (type == dnnl_bf16 || type == dnnl_f16) && rows > few_rows;
}

dim_t weight_floats_pitch(dim_t cols) {
    constexpr dim_t floats_in_line = 16;
    return round_up(cols, floats_in_line);
}

weight_floats_t::weight_floats_t(isa_t isa, dim_t cols, data_type_t type)
    : code_(vector_kernel_t(isa, "weight_floats", cols, type, dnnl_f32, false).finish()) {}

float *weight_floats_t::convert(const void *from, float *to) const {
    if (from == nullptr) return nullptr;
    const vector_args_t args{.from = from, .to = to, .chunks = 1, .pitch = 0};
    code_(args);
    return to;
}

chunk_totals_t::chunk_totals_t(isa_t isa, dim_t cols, data_type_t type, dim_t chunks, dim_t pitch)
    : chunks_(chunks)
    , pitch_(pitch * static_cast<dim_t>(sizeof(float)))
    , code_(vector_kernel_t(isa, "chunk_totals", cols, dnnl_f32, type, true).finish()) {}

void chunk_totals_t::store(const float *first, void *totals) const {
    if (totals == nullptr) return;
    const vector_args_t args{.from = first, .to = totals, .chunks = chunks_, .pitch = pitch_};
    code_(args);
}

} // namespace kiln::x64
