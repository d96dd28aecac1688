// SPDX-License-Identifier: Apache-2.0
// When AMX multiplies, and what it fetches ahead.

#include "cpu/x64/matmul/amx_plan.hpp"

#include <algorithm>

#include "common/integers.hpp"
#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/matrix/amx_cycles.hpp"

namespace kiln::x64::matmul {
namespace {

/// Whether AMX takes fewer cycles than vectors, which multiply whole vectors of columns. The
/// constants are measured.
bool is_worth_amx(const tiles_plan_t &plan) {
    const auto count = [](dim_t size) { return static_cast<double>(size); };
    const matrix::step_t step = plan.spec.step;
    const dim_t groups = plan.groups.extent == 0 ? 1 : plan.k / plan.groups.extent;
    const bool are_bytes = step == matrix::step_t::u8s8;
    const double products_of_cycle = are_bytes ? 80 : has_slow_bf16_products() ? 10 : 40;
    constexpr double of_block = 200, rows_of_load = 2; // that take as long as a load of B
    const double rows = are_bytes ? std::max(rows_of_load, count(plan.m)) : count(plan.m);
    const double columns = count(round_up<dim_t>(plan.n, jit::lanes_of(plan.spec.isa)));
    return matrix::amx_cycles(step, plan.m, plan.n, plan.k, groups)
           < of_block + rows * columns * count(plan.k) / products_of_cycle;
}

/// What zero points subtract. One that is common to all rows or columns has been multiplied by the
/// values of the others.
std::array<matrix::amx_offset_t, matrix::amx_offset_count> offsets_of(const tiles_plan_t &plan) {
    const matrix::group_operand_t &b_zero = plan.spec.groups.b_zero;
    std::array<matrix::amx_offset_t, matrix::amx_offset_count> offsets = {};
    if (plan.has_a_zero)
        offsets[matrix::a_zero_offset] = {
                .of_columns = dnnl_s32, .of_rows = !plan.has_common_a_zero()};
    if (b_zero.exists())
        offsets[matrix::b_zero_offset] = {
                .of_columns = b_zero.per_lane ? b_zero.type : dnnl_data_type_undef,
                .of_rows = true};
    return offsets;
}

/// What sums of a group of K become, and are added to: totals of the groups before.
void add_group(const tiles_plan_t &plan, matrix::amx_results_spec_t &results) {
    const matrix::group_spec_t &groups = plan.spec.groups;
    const auto add = [&](alg_kind_t alg, data_type_t type, bool per_lane, dim_t pitch) {
        results.epilogue.push_back({.alg = alg, .operands = {{type, per_lane}}});
        results.pitches.push_back(pitch);
    };
    if (groups.has_a_scale) add(dnnl_binary_mul, dnnl_f32, false, sizeof(float));
    if (groups.b_scale.exists())
        add(dnnl_binary_mul, groups.b_scale.type, groups.b_scale.per_lane, 0);
    add(dnnl_binary_add, dnnl_f32, true, plan.partial_pitch());
}

/// Up to so many rows wait for B from memory, which vectors read in several streams. Packed weights
/// that the second-level caches of two cores hold keep one row waiting. The limits are the same on
/// every processor, since the order of additions depends on them.
dim_t few_rows_of_vectors(const tiles_plan_t &plan) {
    constexpr dim_t bytes_of_two_caches = 4 << 20, of_pairs = 3, few = 4;
    if (!plan.has_b_from_memory()) return 0;
    if (!plan.has_packed_weights()) return few;
    if (plan.b.bytes(plan.n * plan.k) <= bytes_of_two_caches) return 1;
    return plan.spec.step == matrix::step_t::bf16 ? of_pairs : few;
}

/// Up to so many steps fetch all rows of dst that are stored behind them, if they fetch any.
constexpr dim_t few_steps = 2;
dim_t whole_steps(const tiles_plan_t &plan) {
    return std::max<dim_t>(1, plan.k / matrix::amx_depth(plan.spec.step));
}

/// Bytes of A as AMX reads it.
dim_t bytes_of_a(const tiles_plan_t &plan) {
    return plan.m * plan.k * matrix::element_bytes(plan.spec.step);
}

/// Blocks of K so that those of A take half of the second-level cache.
dim_t least_amx_blocks(const tiles_plan_t &plan) {
    const auto near_bytes = static_cast<dim_t>(second_level_cache_size() / 2);
    return std::max(
            divide_up(bytes_of_a(plan), near_bytes), divide_up(plan.steps(), most_amx_block_steps));
}

/// Bytes of all sums that a block of K loads and stores.
dim_t bytes_of_sums(const tiles_plan_t &plan) { return 2 * plan.m * plan.n * 4; }

} // namespace

/// Panels of B have whole steps of AMX.
bool uses_amx(const tiles_plan_t &plan) {
    if (!matrix::has_amx(plan.spec.isa, plan.spec.step)) return false;
    if (plan.spec.step == matrix::step_t::split) return true; // nothing else takes it
    const bool are_groups_taken = plan.spec.step == matrix::step_t::u8s8 ? has_groups_of_amx(
                                          plan.groups.extent, plan.spec.groups.have_scales())
                                                                         : !plan.has_groups();
    if (!are_groups_taken) return false;
    if (plan.converts_for_amx()) return true;
    // For vectors, rows of B from memory are packed in longer runs: blocks of K are short.
    constexpr dim_t few_rows_of_groups = 12;
    if (plan.groups.extent != 0 && plan.m <= few_rows_of_groups && plan.b.has_dense_rows()
            && plan.has_b_from_memory() && !plan.has_packed_weights())
        return false;
    const bool has_padded_panels =
            plan.b_way == b_way_t::packed
            || (plan.has_packed_weights() && plan.padded_steps % matrix::amx_rows == 0);
    return has_padded_panels && is_worth_amx(plan) && plan.m > few_rows_of_vectors(plan);
}

bool amx_fetches_b(const tiles_plan_t &plan) {
    const dim_t blocks = least_amx_blocks(plan);
    return plan.has_packed_weights() && plan.has_large_b() && plan.m > matrix::most_amx_rows
           && (blocks == 1 || 2 * blocks * bytes_of_sums(plan) <= plan.b.bytes(plan.n * plan.k))
           && !plan.has_amx_groups() && !matrix::is_cut_along_k(plan.blocking)
           && (!plan.has_a_zero || plan.has_sums_behind_b());
}

dim_t amx_block_steps(const tiles_plan_t &plan) {
    const dim_t least = least_amx_blocks(plan);
    const dim_t good =
            divide_up(bytes_of_a(plan), static_cast<dim_t>(second_level_cache_size() / 4));
    const dim_t most = plan.b.bytes(plan.n * plan.k) / (5 * bytes_of_sums(plan));
    return divide_up(plan.steps(), std::clamp(good, least, std::max(least, most)));
}

dim_t amx_block_panels(const tiles_plan_t &plan) {
    const auto &blocking = plan.blocking;
    const auto cache_bytes = static_cast<dim_t>(second_level_cache_size());
    const bool shares_cache =
            bytes_of_a(plan) <= cache_bytes / 4 || plan.spec.step == matrix::step_t::split;
    const dim_t block_bytes = plan.amx_fetches_b ? cache_bytes / (plan.has_outer_blocks() ? 16 : 8)
                              : shares_cache     ? cache_bytes / 4
                                                 : cache_bytes / 2;
    const dim_t panel_bytes =
            blocking.block_steps * plan.spec.b_bytes(blocking.vectors * matrix::amx_columns);
    const dim_t most = std::max<dim_t>(1, block_bytes / std::max<dim_t>(1, panel_bytes));
    return divide_up(blocking.panels, divide_up(blocking.panels, most));
}

bool amx_fetches_dst(const tiles_plan_t &plan) {
    constexpr dim_t long_row_bytes = 512;
    const bool is_large = plan.batch->rows() * plan.m * plan.c.bytes(plan.n)
                          > static_cast<dim_t>(second_level_cache_size() / 2);
    if (plan.c.size() != 4 || whole_steps(plan) > few_steps) return is_large;
    // Others are fetched where they are stored.
    return plan.has_amx_results() && (is_large || plan.c.bytes(plan.c.row) >= long_row_bytes);
}

bool amx_fetches_near(const tiles_plan_t &plan) {
    constexpr dim_t near_bytes = 12 << 10; // a quarter of a first-level cache of 48 KiB
    const dim_t row_bytes = plan.k * matrix::element_bytes(plan.spec.step);
    return !plan.amx_fetches_b && matrix::most_amx_rows * row_bytes <= near_bytes;
}

int amx_lines_ahead(const tiles_plan_t &plan) {
    const auto &blocking = plan.blocking;
    if (plan.amx_fetches_b) {
        const dim_t calls =
                divide_up<dim_t>(plan.chunk_strips * blocking.rows, matrix::most_amx_rows);
        const dim_t lines =
                plan.spec.b_bytes(plan.spec.width()) * matrix::amx_rows / cache_line_bytes;
        return static_cast<int>(divide_up(lines, calls));
    }
    const dim_t row_bytes = plan.k * matrix::element_bytes(plan.spec.step);
    const bool are_adjacent = plan.packs_a || plan.a.bytes(plan.a.row) == row_bytes;
    if (!are_adjacent || blocking.blocks > 1
            || plan.batch->rows() * bytes_of_a(plan)
                       <= static_cast<dim_t>(second_level_cache_size() / 2))
        return 0;
    const dim_t steps =
            blocking.block_panels * std::max<dim_t>(1, plan.k / matrix::amx_depth(plan.spec.step));
    const dim_t lines = divide_up(matrix::most_amx_rows * row_bytes, cache_line_bytes);
    const dim_t most = amx_fetches_near(plan) ? 32 : 8;
    return static_cast<int>(std::min(most, divide_up(lines, steps)));
}

bool packs_split_lines(const tiles_plan_t &plan) {
    constexpr dim_t few_panels = 16;
    return plan.a.bytes(plan.a.row) % cache_line_bytes != 0 && plan.blocking.panels > few_panels;
}

matrix::amx_spec_t amx_spec(const tiles_plan_t &plan, amx_result_t result) {
    const auto &spec = plan.spec;
    const bool splits = spec.step == matrix::step_t::split;
    const bool are_bf16 = splits || spec.step == matrix::step_t::bf16; // others become bf16
    const bool are_totals = result == amx_result_t::totals;
    matrix::amx_spec_t amx{.isa = spec.isa,
            .a_type = are_bf16 ? dnnl_bf16 : plan.a.type,
            .b_type = are_bf16 ? dnnl_bf16 : spec.b_type,
            .vectors = spec.vectors,
            .last_columns = spec.tail,
            .lines_ahead = plan.amx_lines_ahead,
            .fetches_near = amx_fetches_near(plan),
            .splits = splits};
    if (plan.amx_fetches_dst && !are_totals) amx.dst_size = static_cast<int>(plan.c.size());
    if (plan.has_amx_results() && whole_steps(plan) <= few_steps)
        amx.dst_rows = static_cast<int>(matrix::most_amx_rows / whole_steps(plan));
    if (plan.has_amx_results()) return amx;
    amx.results = {.dst_type = are_totals ? dnnl_f32 : spec.dst_type,
            .are_integers = matrix::is_integer(spec.step),
            .offsets = offsets_of(plan),
            .is_non_temporal = result == amx_result_t::non_temporal,
            .fetches_dst = result == amx_result_t::ordinary && plan.c.size() == 4
                           && !plan.amx_fetches_dst};
    if (plan.has_amx_groups()) add_group(plan, amx.results);
    if (are_totals) return amx;
    const auto append = [](auto &to, const auto &from) {
        to.insert(to.end(), from.begin(), from.end());
    };
    append(amx.results.epilogue, spec.epilogue);
    append(amx.results.pitches, spec.pitches);
    return amx;
}

} // namespace kiln::x64::matmul
