// SPDX-License-Identifier: Apache-2.0
// Vectors of narrow weights as floats.

#include "cpu/x64/rows/weight_floats.hpp"

#include <cstddef>

#include "cpu/x64/jit/kernel_name.hpp"
#include "cpu/x64/rows/row_walk.hpp"

namespace kiln::x64 {
namespace {

struct weight_floats_args_t {
    const void *from;
    float *to;
};

class weight_floats_kernel_t : public jit::generator_t {
public:
    weight_floats_kernel_t(isa_t isa, dim_t cols, data_type_t type)
        : generator_t(isa, jit::kernel_name("weight_floats", {type}, isa))
        , cols_(cols)
        , type_(type)
        , io_(*this) {}

private:
    void generate() override {
        const row_walk_t walk(*this, io_, cols_);
        const jit::gpr_t from = gpr("weights"), to = gpr("floats");
        const jit::vec_t weight = vec("weight");
        mov(*from, ptr[arguments() + offsetof(weight_floats_args_t, from)]);
        mov(*to, ptr[arguments() + offsetof(weight_floats_args_t, to)]);
        walk.for_each_vector([&](int copy, int count) {
            io_.load(weight, type_, walk.at(*from, type_, copy), count);
            io_.store(weight, dnnl_f32, walk.at(*to, dnnl_f32, copy), count);
        });
    }

    const dim_t cols_;
    const data_type_t type_;
    jit::lanes_io_t io_;
};

} // namespace

bool converts_weights(data_type_t type, dim_t rows) {
    constexpr dim_t few_rows = 4; // whose conversions cost less than another sweep
    return (type == dnnl_bf16 || type == dnnl_f16) && rows > few_rows;
}

dim_t weight_floats_pitch(dim_t cols) {
    constexpr dim_t floats_in_line = 16;
    return (cols + floats_in_line - 1) / floats_in_line * floats_in_line;
}

weight_floats_t::weight_floats_t(isa_t isa, dim_t cols, data_type_t type)
    : code_(weight_floats_kernel_t(isa, cols, type).finish()) {}

float *weight_floats_t::convert(const void *from, float *to) const {
    if (from == nullptr) return nullptr;
    const weight_floats_args_t args{.from = from, .to = to};
    code_.entry<void (*)(const weight_floats_args_t *)>()(&args);
    return to;
}

} // namespace kiln::x64
