// SPDX-License-Identifier: Apache-2.0
// From a descriptor to what the choice of a step depends on.

#include "cpu/x64/matmul/tiles_product.hpp"

#include <numeric>

#include "common/memory/type_set.hpp"
#include "common/one_of.hpp"
#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/matmul/tiles_checks.hpp"
#include "cpu/x64/matrix/blocking.hpp"

namespace kiln::x64::matmul {

using matrix::matrix_layout_t;
using matrix::step_t;

namespace {

kind_t kind_of_elements(const matmul_pd_t &pd) {
    if (pd.decompresses_weights() || contains(f8_types, pd.weights().data_type)) return compressed;
    if (!pd.is_integer()) return floats;
    return is_half_byte(pd.weights().data_type) ? half_bytes : bytes;
}

/// Whether f32 may be rounded to bf16.
bool can_round(const matmul_pd_t &pd) {
    return one_of(pd.attr().fpmath.mode, {dnnl_fpmath_mode_bf16, dnnl_fpmath_mode_any});
}

/// Whether elements may be the sums of two of bf16, which have the first 16 bits of f32.
bool may_split(const matmul_pd_t &pd) {
    const data_type_t src = pd.src().data_type, weights = pd.weights().data_type;
    if (src == dnnl_f16) return one_of(weights, {dnnl_f16, dnnl_bf16, dnnl_s8, dnnl_u8});
    if (src == dnnl_bf16) return weights == dnnl_f16;
    return src == dnnl_f32 && weights == dnnl_f32
           && one_of(pd.attr().fpmath.mode, {dnnl_fpmath_mode_tf32, dnnl_fpmath_mode_f16});
}

bool has_half_zero_points(const matmul_pd_t &pd) {
    return has_zero_points(pd, DNNL_ARG_WEIGHTS)
           && is_half_byte(pd.attr().zero_points.at(DNNL_ARG_WEIGHTS).data_type);
}

/// Whether integers of weights are values of bf16 (its significand has 8 bits) when their zero
/// points are subtracted.
bool is_exact_in_bf16(const matmul_pd_t &pd) {
    const data_type_t type = pd.weights().data_type;
    return !has_zero_points(pd, DNNL_ARG_WEIGHTS)
           || pd.attr().zero_points.at(DNNL_ARG_WEIGHTS).data_type == type
           || (is_half_byte(type) && has_half_zero_points(pd));
}

} // namespace

matrix_layout_t layout_of(const memory_desc_t &md, int rows, int columns) {
    const bool is_column =
            is_half_byte(md.data_type) && md.dims[columns] == 1 && stride_of(md, rows) == 1;
    return {md.data_type, stride_of(md, rows), is_column ? md.dims[rows] : stride_of(md, columns)};
}

bool has_group_scale(const matmul_pd_t &pd, int arg) {
    const int axis = arg == DNNL_ARG_SRC ? n_axis_of(pd) : m_axis_of(pd);
    return pd.attr().scales.contains(arg) && pd.md_of(DNNL_ARG_ATTR_SCALES | arg).dims[axis] != 1;
}

bool has_transposed_dst(const matmul_pd_t &pd) {
    return is_plain(pd.dst()) && stride_of(pd.dst(), n_axis_of(pd)) > 1;
}

bool can_be_transposed(const matmul_pd_t &pd) {
    const kind_t kind = kind_of_elements(pd);
    return (kind == floats || kind == bytes) && !has_zero_points(pd, DNNL_ARG_SRC)
           && !has_zero_points(pd, DNNL_ARG_WEIGHTS);
}

refusal_t find_groups(const matmul_pd_t &pd, group_plan_t &groups) {
    struct use_t {
        const quantization_map_t &map;
        int kind, arg, axis;
        dim_t &run;
    };
    const auto &attr = pd.attr();
    const int scales = DNNL_ARG_ATTR_SCALES, zero_points = DNNL_ARG_ATTR_ZERO_POINTS;
    const int k_of_weights = m_axis_of(pd), k_of_src = n_axis_of(pd);
    const use_t uses[] = {{attr.scales, scales, DNNL_ARG_WEIGHTS, k_of_weights, groups.b_scale.run},
            {attr.scales, scales, DNNL_ARG_SRC, k_of_src, groups.a_scale.run},
            {attr.zero_points, zero_points, DNNL_ARG_WEIGHTS, k_of_weights, groups.b_zero.run},
            {attr.zero_points, zero_points, DNNL_ARG_SRC, k_of_src, groups.a_zero.run}};
    const auto count = [&](const use_t &use) {
        return use.map.contains(use.arg) ? pd.md_of(use.kind | use.arg).dims[use.axis] : 1;
    };
    for (const use_t &use : uses)
        if (count(use) != 1) groups.extent = std::gcd(groups.extent, pd.k() / count(use));
    for (const use_t &use : uses)
        if (count(use) != 1) use.run = pd.k() / count(use) / groups.extent;
    const bool has_groups_of_src_zeros =
            has_zero_points(pd, DNNL_ARG_SRC)
            && pd.md_of(zero_points | DNNL_ARG_SRC).dims[k_of_src] != 1;
    if (has_groups_of_src_zeros && !has_group_scale(pd, DNNL_ARG_SRC)
            && !has_group_scale(pd, DNNL_ARG_WEIGHTS))
        return refused("src has zero points of groups, but neither src nor weights has scales "
                       "of groups");
    return accepted();
}

product_t product_of(
        const matmul_pd_t &pd, isa_t isa, const group_plan_t &groups, bool is_swapped) {
    const memory_desc_t &src = pd.src(), &weights = pd.weights();
    const int rows = is_swapped ? n_axis_of(pd) : m_axis_of(pd);
    const int columns = is_swapped ? m_axis_of(pd) : n_axis_of(pd);
    const auto layout = [&](const memory_desc_t &md) {
        return is_plain(md) ? layout_of(md, rows, columns) : matrix_layout_t{md.data_type};
    };
    const bool has_a_scale = has_group_scale(pd, DNNL_ARG_SRC);
    const bool has_b_scale = has_group_scale(pd, DNNL_ARG_WEIGHTS);
    const bool has_whole_groups = groups.b_scale.run == 1 && groups.b_zero.run == 1;
    return {.isa = isa,
            .kind = kind_of_elements(pd),
            .m = is_swapped ? pd.n() : pd.m(),
            .n = is_swapped ? pd.m() : pd.n(),
            .k = pd.k(),
            .a = layout(is_swapped ? weights : src),
            .b = layout(is_swapped ? src : weights),
            .group = groups.extent,
            .has_groups = has_a_scale || has_b_scale || has_zero_points(pd, DNNL_ARG_WEIGHTS),
            .has_group_scales = has_a_scale || has_b_scale,
            .has_dot_groups = !has_a_scale && !has_half_zero_points(pd) && has_whole_groups,
            .is_exact_in_bf16 = is_exact_in_bf16(pd),
            .has_step_groups = has_whole_groups,
            .has_a_scale = has_a_scale,
            .has_a_zero = has_zero_points(pd, DNNL_ARG_SRC),
            .is_strict = pd.attr().fpmath.mode == dnnl_fpmath_mode_strict,
            .may_round = can_round(pd),
            .may_split = may_split(pd),
            .has_slow_pairs = matrix::has_step(isa, step_t::bf16) && has_slow_bf16_products()};
}

dim_t near_rows(const matrix::matrix_layout_t &a) {
    return matrix::near_rows(a.bytes(a.row), first_level_cache_ways());
}

dim_t most_rows_in_place(matrix::step_t step, const matrix::matrix_layout_t &a) {
    const bool is_in_place =
            step == matrix::step_t::f32 && a.type == dnnl_f32 && a.has_dense_rows();
    return is_in_place ? near_rows(a) : matrix::shape_t::unlimited;
}

} // namespace kiln::x64::matmul
