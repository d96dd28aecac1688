// SPDX-License-Identifier: Apache-2.0
// The level of kernels, and weights of format `any`.

#include "cpu/x64/matmul/tiles_weights.hpp"

#include <algorithm>
#include <limits>

#include "common/integers.hpp"
#include "common/memory/compensation.hpp"
#include "cpu/x64/matmul/tiles_checks.hpp"
#include "cpu/x64/matmul/weights_layout.hpp"
#include "cpu/x64/matrix/blocking.hpp"
#include "cpu/x64/matrix/tile_kernel.hpp"

namespace kiln::x64::matmul {

using matrix::step_t;

namespace {

/// Rows of src that are multiplied by one matrix of weights.
dim_t rows_of_weights(const matmul_pd_t &pd) {
    return pd.m() * pd.batch() / (element_count(pd.weights()) / (pd.k() * pd.n()));
}

/// Whether weights of format `any` are best columns of adjacent elements, for scalar products.
/// A single column is the only row of the transposed product.
bool gets_dense_columns(const matmul_pd_t &pd, isa_t isa, const group_plan_t &groups) {
    if (!is_any(pd.weights()) || has_transposed_dst(pd)) return false;
    product_t p = product_of(pd, isa, groups, false);
    const bool has_dots =
            p.kind == floats || p.kind == bytes || matrix::has_step(isa, step_t::u8s8);
    if (p.n == 1) return pd.m() > 1 && can_be_transposed(pd) && has_dots;
    p.m = std::numeric_limits<int>::max(); // a layout for any number of rows
    p.b = {p.b.type, 1, p.k};
    const std::optional<choice_t> choice = choose(p);
    return choice && choice->b == b_way_t::rows;
}

/// Whether weights in panels are packed again for AMX.
bool are_split_in_panels(product_t p) {
    p.is_any = false;
    p.depth = matrix::depth_of(step_t::split);
    const std::optional<choice_t> choice = choose(p);
    return choice && choice->step == step_t::split;
}

/// Vectors of a panel.
int panel_vectors(const product_t &p, step_t step) {
    if (are_split_in_panels(p)) return 2;
    // Integers that are converted have one layout for any number of rows.
    if (p.kind == compressed || p.kind == half_bytes)
        return static_cast<int>(std::min<dim_t>(
                matrix::most_packed_vectors, divide_up<dim_t>(p.n, jit::lanes_of(p.isa))));
    matrix::shape_t shape{p.m, p.n, divide_up<dim_t>(p.k, matrix::depth_of(step))};
    shape.near_rows = most_rows_in_place(step, p.a);
    return matrix::block(p.isa, step, shape, matrix::b_layout_t::packed).vectors;
}

memory_desc_t layout_of_weights(const memory_desc_t &weights, const product_t &p, step_t step) {
    const int depth = matrix::depth_of(step);
    if (!matrix::has_amx(p.isa, step))
        return packed_weights(weights, panel_vectors(p, step) * jit::lanes_of(p.isa), depth);
    const int width = matrix::amx_columns * (p.n > matrix::amx_columns ? 2 : 1);
    return packed_weights_for_amx(weights, width, depth);
}

/// Where src has a zero point, the sums of columns lie behind the weights.
void add_sums(const matmul_pd_t &pd, const group_plan_t &groups, memory_desc_t &packed) {
    const bool is_one_matrix = element_count(packed) == pd.k() * pd.n();
    if (!has_zero_points(pd, DNNL_ARG_SRC) || packed.data_type != dnnl_s8 || !pd.is_integer()
            || !is_one_matrix || groups.extent != 0)
        return;
    packed.extra.flags = has_zero_point_compensation;
    packed.extra.asymm_compensation_mask = 1 << n_axis_of(pd);
}

} // namespace

isa_t level_of_kernels(const matmul_pd_t &pd, isa_t isa, const group_plan_t &groups) {
    const memory_desc_t &weights = pd.weights();
    // Vectors of scalar products lie along K.
    if (gets_dense_columns(pd, isa, groups)) return isa;
    product_t p = product_of(pd, isa, groups, has_transposed_dst(pd));
    p.is_any = !is_plain(weights);
    if (is_any(weights)) p.m = rows_of_weights(pd);
    const isa_t half = half_width_isa(isa);
    const bool is_narrow = p.n > 1 && p.n <= jit::lanes_of(half);
    const bool are_f32 =
            p.a.type == dnnl_f32 && p.b.type == dnnl_f32 && pd.dst().data_type == dnnl_f32;
    if (!is_narrow || !are_f32) return isa;
    const std::optional<choice_t> choice = choose(p);
    const bool has_columns_in_vectors = choice && choice->step == step_t::f32
                                        && choice->b != b_way_t::dots && choice->b != b_way_t::rows;
    return has_columns_in_vectors ? half : isa;
}

void settle_weights(matmul_pd_t &pd, isa_t isa, const group_plan_t &groups) {
    const memory_desc_t &weights = pd.weights();
    if (!is_any(weights) || has_transposed_dst(pd)) return;
    if (gets_dense_columns(pd, isa, groups)) return pd.settle_weights(dense_columns(weights));
    product_t p = product_of(pd, isa, groups, false);
    p.m = rows_of_weights(pd);
    p.is_any = true;
    const std::optional<choice_t> choice = choose(p);
    if (!choice) return;
    memory_desc_t packed = layout_of_weights(weights, p, choice->step);
    add_sums(pd, groups, packed);
    pd.settle_weights(packed);
}

} // namespace kiln::x64::matmul
