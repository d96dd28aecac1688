// SPDX-License-Identifier: Apache-2.0
// The kernel that converts packed weights to what AMX multiplies: pairs of bf16, or four bytes.
#pragma once

#include <string>

#include "common/memory/data_type.hpp"
#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/lanes_io.hpp"
#include "cpu/x64/matrix/groups.hpp"
#include "cpu/x64/matrix/step.hpp"

namespace kiln::x64::matrix {

/// Elements along K in a lane of packed weights that the kernel converts.
inline int lane_depth_of(data_type_t type) {
    return type == dnnl_f32 ? 1 : is_half_byte(type) ? 8 : 4;
}

/// The step whose packing makes lanes of those integers, which stay as they are.
inline step_t lane_step_of(data_type_t type) {
    return is_half_byte(type) ? step_t::f32x8 : step_t::u8s8;
}

struct amx_conversion_spec_t {
    isa_t isa;
    data_type_t src_type;       // f32, s8, u8, s4 or u4; with step_t::u8s8, s4 or u4
    step_t step = step_t::bf16; // bf16, or u8s8: bytes that are signed as src is
    int vectors = 1;            // of a panel
    int tail = 0;               // columns of the last panel if that is narrower; else 0
    group_operand_t scale = {}, zero = {};

    int lane_depth() const { return lane_depth_of(src_type); }
    /// Whether bf16, whose significand has 8 bits, has all results.
    bool is_exact() const {
        return src_type != dnnl_f32 && !scale.exists()
               && (!zero.exists() || zero.type == src_type
                       || (is_half_byte(src_type) && is_half_byte(zero.type)));
    }
    data_type_t dst_type() const {
        return step == step_t::bf16 ? dnnl_bf16 : src_type == dnnl_s4 ? dnnl_s8 : dnnl_u8;
    }
    /// E.g. matrix_amx_conversion_u4_bf16_avx512_core_amx.
    std::string name() const;
};

/// Distances are bytes. The kernel changes the arguments.
struct amx_conversion_args_t {
    const void *src = nullptr;    // a panel: steps of a lane a column
    void *dst = nullptr;          // a panel: steps of a lane a column
    dim_t runs = 0;               // of the elements in a lane of src, or of two lanes of f32
    dim_t has_half = 0;           // whether an element of f32 without its pair follows
    dim_t is_tail = 0;            // whether this is the narrower panel
    const void *scales = nullptr; // of the panel's first column
    const void *zeros = nullptr;
};

/// dst[step][column] = convert((src[k][column] - zero[column]) * scale[column]) for the elements k
/// of the step. Bytes have neither zero points nor scales.
///
/// Registers: a scale and a zero point for each vector of the panel, two elements along K, an order
/// of words; the integers of a vector, and a mask for each one in half a lane. Bytes: the lower and
/// the upper half bytes of a vector, two more, and what half bytes with a sign are.
class amx_conversion_kernel_t : public jit::generator_t {
public:
    explicit amx_conversion_kernel_t(const amx_conversion_spec_t &spec);

private:
    struct walk_t;

    void generate() override;
    void load_operands(const walk_t &walk, int columns);
    void load_operand(const Xmm &to, const group_operand_t &operand, const RegExp &at, int vector,
            int columns);
    bool is_signed() const { return spec_.src_type == dnnl_s8 || spec_.src_type == dnnl_s4; }
    void write_floats(const walk_t &walk, bool is_half);
    void write_integers(const walk_t &walk);
    void convert(const Xmm &to, const walk_t &walk, const Xmm &integers, int place, int vector);
    void write_pair(const walk_t &walk, const Xmm &even, const Xmm &odd, int offset);
    void write_bytes(const walk_t &walk);

    const amx_conversion_spec_t spec_;
    jit::lanes_io_t io_;
};

} // namespace kiln::x64::matrix
