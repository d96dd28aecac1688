// SPDX-License-Identifier: Apache-2.0
// How few rows of A read a row-major B.

#include "cpu/x64/matmul/row_major_plan.hpp"

#include <algorithm>

#include "common/integers.hpp"
#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64::matmul {
namespace {

bool has_short_rows_of_b(const tiles_plan_t &plan) {
    return plan.b.bytes(plan.b.row) < 2 * page_bytes;
}

} // namespace

bool may_read_in_order(const tiles_plan_t &plan) {
    return plan.b_way == b_way_t::in_place && plan.has_b_from_memory() && !plan.has_groups()
           && plan.m <= matrix::most_rows(plan.spec.isa, plan.spec.step, 2);
}

bool reads_rows_in_order(const tiles_plan_t &plan) {
    return may_read_in_order(plan) && plan.blocking.strips == 1;
}

int vectors_in_order(const tiles_plan_t &plan) {
    const isa_t isa = plan.spec.isa;
    return std::min({most_vectors_in_order,
            matrix::most_vectors(isa, plan.spec.step, static_cast<int>(plan.m)),
            static_cast<int>(divide_up<dim_t>(plan.n, jit::lanes_of(isa)))});
}

void set_blocks_of_rows(tiles_plan_t &plan) {
    auto &blocking = plan.blocking;
    const dim_t few_steps = has_short_rows_of_b(plan) && !plan.spec.joins_rows() ? 32 : 16;
    blocking.block_steps = std::min(few_steps, blocking.block_steps);
    blocking.blocks = divide_up(plan.steps(), blocking.block_steps);
    const auto near_bytes = static_cast<dim_t>(second_level_cache_size() / 16);
    const dim_t width = blocking.vectors * jit::lanes_of(plan.spec.isa);
    blocking.block_panels =
            std::clamp<dim_t>(near_bytes / (plan.m * width * 4), 1, blocking.panels);
}

bool pays_to_fetch_rows(const tiles_plan_t &plan) {
    const dim_t bytes = plan.b.bytes(plan.n * plan.k);
    return exceeds_cache(plan.b.type == dnnl_f32 ? bytes / 2 : bytes);
}

bool is_in_place_for_strips(const tiles_plan_t &plan) {
    constexpr dim_t near_bytes = most_near_bytes / 4 * 3;
    return plan.b_way == b_way_t::in_place && plan.blocking.strips > 1
           && plan.b.bytes(plan.n * plan.k) > near_bytes;
}

bool waits_for_rows_of_b(const tiles_plan_t &plan) {
    constexpr dim_t few_rows = 128, many_blocks = 4;
    const bool packs_rows = (plan.b_way == b_way_t::packed || plan.b_way == b_way_t::copied)
                            && plan.b.has_dense_rows();
    const bool is_slow = packs_rows ? plan.has_b_from_memory() : is_in_place_for_strips(plan);
    return is_slow && !plan.has_amx_groups() && plan.m <= few_rows
           && plan.steps() >= many_blocks * few_block_steps(plan)
           && !matrix::is_cut_along_k(plan.blocking);
}

dim_t few_block_steps(const tiles_plan_t &plan) {
    constexpr dim_t short_row_bytes = page_bytes / 4 * 3, few_rows = 32;
    const bool has_long_rows = plan.b.bytes(plan.b.row) > short_row_bytes;
    return (plan.b_way == b_way_t::in_place ? has_long_rows : plan.m <= few_rows) ? 64 : 128;
}

dim_t runs_of_blocks(const tiles_plan_t &plan, bool waits_for_rows) {
    constexpr dim_t many_blocks = 16;
    const auto &blocking = plan.blocking;
    if (plan.batch->rows() != 1 || (plan.spec.subtracts && !plan.spec.sums_b)
            || (plan.is_by_amx && plan.has_groups()))
        return 1;
    if (reads_rows_in_order(plan)) {
        const dim_t few = plan.m == 1 ? 4 : 2;
        return has_short_rows_of_b(plan) ? std::min(few, blocking.blocks) : 1;
    }
    if (waits_for_rows && is_in_place_for_strips(plan))
        return has_short_rows_of_b(plan) && blocking.blocks >= many_blocks ? 2 : 1;
    return matrix::is_cut_along_k(blocking) ? blocking.blocks : 1;
}

} // namespace kiln::x64::matmul
