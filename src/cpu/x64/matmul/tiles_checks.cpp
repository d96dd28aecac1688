// SPDX-License-Identifier: Apache-2.0
// Which requests products by tiles take, as far as types, attributes and layouts say so.

#include "cpu/x64/matmul/tiles_checks.hpp"

#include "common/memory/type_set.hpp"
#include "common/one_of.hpp"
#include "cpu/x64/jit/lanes_io.hpp"

namespace kiln::x64::matmul {
namespace {

refusal_t check_types(const matmul_pd_t &pd) {
    const data_type_t src = pd.src().data_type, weights = pd.weights().data_type;
    const auto is_byte = [](data_type_t type) { return one_of(type, {dnnl_s8, dnnl_u8}); };
    const auto is_operand = [](data_type_t type) { return contains(float_types | f8_types, type); };
    const bool are_floats = is_operand(src) && (is_operand(weights) || pd.decompresses_weights());
    if (!are_floats && !(is_byte(src) && (is_byte(weights) || is_half_byte(weights))))
        return refused(
                "src is not f32, bf16, f16 or f8 with such weights or with integers that are "
                "converted, nor s8 or u8 with weights of integers of 4 or 8 bits");
    if (!jit::lanes_io_t::can_convert(pd.dst().data_type))
        return refused("dst is not f32, bf16, f16, f8, s32, s8 or u8");
    if (pd.has_bias() && !jit::lanes_io_t::can_convert(pd.bias().data_type))
        return refused("bias is not f32, bf16, f16, f8, s32, s8 or u8");
    return accepted();
}

/// The extents of scales or zero points: 1 or that of the tensor, but for groups along K.
refusal_t check_extents(const memory_desc_t &values, const memory_desc_t &tensor, int k_axis) {
    for (int d = 0; d < tensor.ndims; ++d)
        if (d != k_axis && values.dims[d] != 1 && values.dims[d] != tensor.dims[d])
            return refused("scales or zero points have groups along another axis than K");
    return accepted();
}

refusal_t check_attr(const matmul_pd_t &pd) {
    const primitive_attr_t &attr = pd.attr();
    if (!attr.rounding.empty()) return refused("rounding is stochastic");
    const int k_of_src = pd.ndims() - 1, k_of_weights = pd.ndims() - 2;
    for (const auto &[arg, scales] : attr.scales) {
        const memory_desc_t &values = pd.md_of(DNNL_ARG_ATTR_SCALES | arg);
        if (scales.mode != dnnl_quantization_mode_static_sazp)
            return refused("scales are computed at execution");
        if (!jit::lanes_io_t::can_load_scale(scales.data_type))
            return refused("scales are not f32, bf16, f16, f8 or e8m0");
        const int k_axis = arg == DNNL_ARG_SRC       ? k_of_src
                           : arg == DNNL_ARG_WEIGHTS ? k_of_weights
                                                     : -1;
        if (const refusal_t refusal = check_extents(values, pd.md_of(arg), k_axis)) return refusal;
    }
    for (const auto &[arg, zero_points] : attr.zero_points) {
        const memory_desc_t &values = pd.md_of(DNNL_ARG_ATTR_ZERO_POINTS | arg);
        const bool is_half = is_half_byte(zero_points.data_type);
        if (!one_of(zero_points.data_type, {dnnl_s32, dnnl_s8, dnnl_u8, dnnl_s4, dnnl_u4}))
            return refused("zero points are not s32, s8, u8, s4 or u4");
        if (arg != DNNL_ARG_WEIGHTS && is_half)
            return refused("zero points of DNNL_ARG_SRC or DNNL_ARG_DST have 4 bits");
        const int k_axis = arg == DNNL_ARG_SRC       ? k_of_src
                           : arg == DNNL_ARG_WEIGHTS ? k_of_weights
                                                     : -1;
        if (is_half && (values.dims[pd.ndims() - 1] % 2 != 0))
            return refused("zero points of 4 bits are for an odd number of columns, or for all");
        if (const refusal_t refusal = check_extents(values, pd.md_of(arg), k_axis)) return refusal;
    }
    return accepted();
}

/// Whether elements of several rows or columns lie at one place. Where distances of 0 stand for an
/// axis of one element, such a matrix would be read as a dense one.
bool has_repeated_lines(const memory_desc_t &md) {
    for (const int axis : {md.ndims - 2, md.ndims - 1})
        if (is_plain(md) && md.dims[axis] > 1 && stride_of(md, axis) == 0) return true;
    return false;
}

/// Whether a matrix of the batch, a row or a column of elements of 4 bits begins within a byte.
bool has_split_bytes(const memory_desc_t &md) {
    if (!is_plain(md)) return false;
    for (int d = 0; d < md.ndims; ++d) {
        const bool may_be_dense = d >= md.ndims - 2 || md.dims[d] == 1;
        if (stride_of(md, d) % 2 != 0 && !(may_be_dense && stride_of(md, d) == 1)) return true;
    }
    return md.offset0 % 2 != 0;
}

} // namespace

refusal_t check_types_and_attr(const matmul_pd_t &pd) {
    if (const refusal_t refusal = check_types(pd)) return refusal;
    return check_attr(pd);
}

refusal_t check_layouts(const matmul_pd_t &pd) {
    if (is_half_byte(pd.weights().data_type) && has_split_bytes(pd.weights()))
        return refused("matrices, rows or columns of weights begin within a byte");
    if (has_repeated_lines(pd.src()) || has_repeated_lines(pd.weights()))
        return refused("rows or columns of src or weights have a stride of 0");
    return accepted();
}

} // namespace kiln::x64::matmul
