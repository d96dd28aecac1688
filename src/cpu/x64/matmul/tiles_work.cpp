// SPDX-License-Identifier: Apache-2.0
// How the work of a product by tiles is cut.

#include <algorithm>
#include <numeric>

#include "common/integers.hpp"
#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/matmul/amx_plan.hpp"
#include "cpu/x64/matmul/row_major_plan.hpp"
#include "cpu/x64/matmul/tiles_tasks.hpp"
#include "cpu/x64/matrix/dot_kernel.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64::matmul {

using matrix::matrix_layout_t;
using matrix::step_t;

namespace {

class work_planner_t {
public:
    work_planner_t(matmul_pd_t &pd, isa_t isa, tiles_plan_t &plan)
        : pd_(pd)
        , isa_(isa)
        , plan_(plan) {}

    refusal_t operator()() {
        auto &spec = plan_.spec;
        matrix::shape_t shape{plan_.m, plan_.n, plan_.steps()};
        spec.is_packed = plan_.b_way != b_way_t::in_place;
        plan_.is_by_amx = uses_amx(plan_);
        if (plan_.is_by_amx) shape.most_rows = rows_of_amx_strip;
        if (plan_.b_way == b_way_t::dots) shape.most_rows = matrix::most_dot_rows;
        shape.near_rows = most_rows_in_place(spec.step, plan_.a);
        if (multiplies_sums_of_rows()) {
            spec.takes_products = true;
            spec.groups.b_zero = {};
        }
        if (plan_.has_amx_groups()) shape.block_steps = shape.steps;
        spec.sums_b = sums_b();
        spec.streams = streams();
        plan_.blocking = block_of(shape);
        const bool has_few_rows_of_b = waits_for_rows_of_b(plan_);
        if (has_few_rows_of_b) {
            shape.block_steps = few_block_steps(plan_);
            plan_.blocking = block_of(shape);
        } else if (reads_lines_again()) {
            constexpr dim_t few_steps = 64;
            shape.block_steps = few_steps;
            plan_.blocking = block_of(shape);
        }
        plan_.amx_fetches_b = plan_.is_by_amx && amx_fetches_b(plan_);
        if (plan_.amx_fetches_b) {
            shape.block_steps = amx_block_steps(plan_);
            plan_.blocking = block_of(shape);
        }
        plan_.converts_weights = must_convert_weights();
        if (plan_.lane_floats() != 1) { // tiles of floats that those of integers can be, too
            shape.lane_floats = plan_.lane_floats();
            shape.most_rows = matrix::most_rows(isa_, spec.step, plan_.blocking.vectors);
            plan_.blocking = block_of(shape);
        }
        if (plan_.packs_b() && spec.step != step_t::u8s8 && !matrix::converts_b(spec.step))
            spec.b_type = dnnl_f32;
        spec.a_is_transposed = reads_transposed_a();
        plan_.packs_a = must_pack_a();
        if (!plan_.packs_a && !plan_.has_sums_apart() && !plan_.is_by_amx
                && plan_.blocking.rows > near_rows(plan_.a)) {
            shape.most_rows = near_rows(plan_.a);
            plan_.blocking = block_of(shape);
        }
        if (plan_.has_sums_apart()) {
            plan_.blocking.blocks = 1;
            plan_.blocking.block_steps = shape.steps;
            constexpr dim_t columns = 4096; // whose sums stay near

            const dim_t rows = plan_.is_by_steps() ? plan_.rows_by_amx(plan_.m) : 1;
            plan_.blocking.block_panels = std::clamp<dim_t>(
                    columns / rows / (plan_.blocking.vectors * jit::lanes_of(isa_)), 1,
                    plan_.blocking.panels);
        }
        if (plan_.is_by_amx)
            plan_.blocking.block_panels = amx_block_panels(plan_);
        else if (plan_.packs_b())
            plan_.blocking.block_panels = panels_in_part_of_cache(4);
        else if (plan_.b_way == b_way_t::in_place && plan_.blocking.strips > 1)
            plan_.blocking.block_panels = panels_in_part_of_cache(8);
        if (reads_rows_in_order(plan_)) set_blocks_of_rows(plan_);
        const auto &blocking = plan_.blocking;
        spec.rows = blocking.rows;
        spec.vectors = blocking.vectors;
        spec.tail = blocking.tail;
        plan_.conversion.vectors = blocking.vectors;
        plan_.conversion.tail = blocking.tail;
        plan_.by_steps.vectors = blocking.vectors;
        plan_.by_steps.tail = blocking.tail;
        constexpr dim_t near_bytes = 256 * 1024;
        // A short B is read along its rows: the next step's row is in another page.
        const bool reads_along_rows = reads_rows_in_order(plan_)
                                      || (is_in_place_for_strips(plan_) && blocking.blocks == 1);
        spec.fetches_b = !plan_.packs_b() && !plan_.has_sums_apart() && !plan_.is_by_amx
                         && !reads_along_rows && waits_for_b() && !keeps_b_near();
        spec.fetches_rows = reads_along_rows && !spec.joins_rows()
                            && (blocking.strips > 1 || pays_to_fetch_rows(plan_));
        // Columns of adjacent elements are packed panel by panel; the next panel is fetched
        // meanwhile.
        plan_.fetches_next = plan_.packs_b() && matrix::converts_b(spec.step)
                             && blocking.strips == 1 && blocking.blocks == 1
                             && plan_.b.column == plan_.k && plan_.has_large_b();
        if (plan_.fetches_next) {
            spec.fetches_b = true;
            plan_.blocking.block_panels = 1;
        }
        spec.fetches_a = blocking.strips > 1 && !spec.a_is_transposed && !plan_.has_sums_apart()
                         && !plan_.is_by_amx && plan_.m * plan_.k * plan_.a.size() > near_bytes;
        spec.has_blocks = blocking.blocks > 1 || plan_.has_sums_apart();
        for (const matrix_layout_t &layout : plan_.epilogue)
            spec.pitches.push_back(layout.row * layout.size());
        spec.subtracts = plan_.has_a_zero;
        spec.has_one_a_zero =
                plan_.has_one_a_zero() && !plan_.has_groups() && matrix::is_integer(spec.step);
        const dim_t summed_steps =
                plan_.has_amx_groups() ? plan_.groups.extent / plan_.depth() : blocking.block_steps;
        if (plan_.sums_columns_apart() && summed_steps > matrix::most_block_steps)
            return refused("groups along K are longer than a block, and src has a zero point");
        if (!plan_.packs_a || spec.joins_rows() || spec.sums_b)
            spec.rest = static_cast<int>(plan_.k % plan_.depth());
        plan_.k_runs = runs_of_blocks(plan_, has_few_rows_of_b);
        const bool has_whole_vectors = blocking.tail % jit::lanes_of(isa_) == 0;
        // Results that AMX makes of sums wait for dst if sums are stored there, and AMX has no
        // non-temporal stores.
        const bool suits_amx =
                has_whole_vectors && !plan_.has_amx_groups()
                && ((plan_.are_sums_results() && !leaves_caches()) || blocking.blocks > 1);
        const bool has_short_blocks = has_few_rows_of_b || reads_rows_in_order(plan_);
        plan_.has_partial_in_dst = plan_.c.size() == 4 && !may_read_dst()
                                   && (!plan_.is_by_amx || suits_amx)
                                   && !(has_short_blocks && shares_lines_of_dst());
        plan_tasks(pd_, plan_);
        plan_.has_alike_matrices = has_alike_matrices();
        if (plan_.is_by_amx) {
            plan_.amx_lines_ahead = amx_lines_ahead(plan_);
            plan_.amx_fetches_dst = amx_fetches_dst(plan_);
            plan_.may_repeat_rows = !may_read_dst();
        }
        plan_.may_be_non_temporal = may_be_non_temporal();
        return accepted();
    }

private:
    /// The work by AMX is divided among threads and chunks by so many rows.
    static constexpr dim_t rows_of_amx_strip = matrix::amx_rows / 2;

    /// Steps along K that blocks do not cut: those of a group, and of the lanes that are packed at
    /// a time before they are converted.
    dim_t unit_of_blocks() const {
        const dim_t group = std::max<dim_t>(1, plan_.groups.extent / plan_.depth());
        if (!plan_.packs_before_conversion()) return group;
        return std::lcm(
                group, matrix::steps_of_packing * plan_.conversion.lane_depth() / plan_.depth());
    }

    matrix::blocking_t block_of(const matrix::shape_t &shape) const {
        const auto &spec = plan_.spec;
        const step_t step = plan_.converts_weights ? matrix::base_of(spec.step) : spec.step;
        return matrix::block(isa_, step, shape,
                spec.is_packed ? matrix::b_layout_t::packed : matrix::b_layout_t::plain,
                plan_.padded_steps != 0    ? spec.vectors * spec.streams
                : plan_.is_by_amx          ? vectors_of_amx()
                : plan_.has_dots()         ? vectors_of_dots()
                : spec.has_pairs()         ? vectors_of_pairs()
                : spec.joins_rows()        ? vectors_of_joined_rows()
                : may_read_in_order(plan_) ? vectors_in_order(plan_)
                                           : 0,
                unit_of_blocks());
    }

    bool may_be_non_temporal() const {
        return plan_.is_by_amx && !plan_.has_partial_in_dst && !may_read_dst() && leaves_caches();
    }
    /// Whether the last-level cache would keep little of dst, of which a panel has whole cache
    /// lines of each row.
    bool leaves_caches() const {
        return plan_.c.bytes(plan_.spec.width()) % cache_line_bytes == 0
               && fills_most_of_cache(plan_.batch->rows() * plan_.m * plan_.c.bytes(plan_.n));
    }

    /// Whether the epilogue may read dst: the operand of a sum, or of a post-op that lies like dst,
    /// which may have dst's buffer.
    bool may_read_dst() const {
        const auto operands = jit::operands_of(plan_.spec.epilogue);
        for (size_t i = 0; i < operands.size(); ++i)
            if (plan_.epilogue[i].row == plan_.c.row && plan_.epilogue[i].column == plan_.c.column
                    && plan_.epilogue[i].size() == plan_.c.size())
                return true;
        return false;
    }

    /// Panels of a block that takes one of so many parts of the second-level cache, and leaves the
    /// others to what it is packed from, or to rows that are read next.
    dim_t panels_in_part_of_cache(dim_t parts) const {
        const auto &blocking = plan_.blocking;
        const auto cache_bytes = static_cast<dim_t>(second_level_cache_size());
        const dim_t panel_bytes = blocking.block_steps * blocking.vectors * jit::lanes_of(isa_) * 4;
        return std::clamp<dim_t>(
                cache_bytes / parts / std::max<dim_t>(1, panel_bytes), 1, blocking.block_panels);
    }

    /// Vectors of a panel where scalar products are those of a strip, or of all rows and few
    /// columns.
    int vectors_of_dots() const {
        constexpr dim_t most = 4;
        const int rows = static_cast<int>(
                plan_.has_few_columns() ? plan_.m
                                        : std::min<dim_t>(plan_.m, matrix::most_dot_rows));
        return static_cast<int>(
                std::min<dim_t>({most, matrix::most_vectors(isa_, plan_.spec.step, rows),
                        divide_up<dim_t>(plan_.n, jit::lanes_of(isa_))}));
    }

    /// Whether tasks that share the panels store into the same cache lines of dst. Each waits for
    /// these lines at each block of K, which matters where blocks are short.
    bool shares_lines_of_dst() const {
        return plan_.has_panels_within_lines() && tasks_worth_their_start(plan_) > 1;
    }

    /// Two tile registers of columns, or one.
    int vectors_of_amx() const { return plan_.n > matrix::amx_columns ? 2 : 1; }

    /// An even number that leaves registers for what pairs need, if all rows are one strip.
    int vectors_of_pairs() const {
        constexpr dim_t of_pairs = 3, of_one_row = 24;
        if (plan_.m > matrix::most_rows(isa_, plan_.spec.step, 2)) return 0;
        const dim_t most = std::min(of_one_row, (jit::vectors_of(isa_) - of_pairs) / plan_.m);
        return static_cast<int>(std::clamp<dim_t>(divide_up<dim_t>(plan_.n, jit::lanes_of(isa_)), 1,
                std::max<dim_t>(most / 2 * 2, 1)));
    }

    /// Whole cache lines of B if registers allow, and a panel for each thread.
    int vectors_of_joined_rows() const {
        const int most_joined =
                matrix::most_joined_vectors(isa_, static_cast<int>(plan_.m), plan_.spec.sums_b);
        const dim_t lanes = jit::lanes_of(isa_), line = cache_line_bytes / lanes;
        const dim_t all = divide_up<dim_t>(plan_.n, lanes);
        const dim_t most = std::min<dim_t>(may_read_in_order(plan_)
                                                   ? std::min(most_vectors_in_order, most_joined)
                                                   : most_joined,
                round_up(divide_up(all, tasks_worth_their_start(plan_)), line));
        return static_cast<int>(std::min(most < line ? most : most / line * line, all));
    }

    /// Whether panels of joined rows are less than a cache line, and the second-level caches of all
    /// tasks lose the lines of a panel before the next one reads their other half. Sums of integers
    /// are exact: their blocks may depend on caches and tasks.
    bool reads_lines_again() const {
        const auto cache_bytes = static_cast<dim_t>(second_level_cache_size()) / 4 * 3;
        const int panel_bytes = plan_.blocking.vectors * jit::lanes_of(isa_);
        return plan_.spec.joins_rows() && panel_bytes < cache_line_bytes
               && plan_.b.bytes(plan_.n * plan_.k) > cache_bytes * tasks_worth_their_start(plan_);
    }

    /// Whether tiles read the elements of each column of a transposed A where they are. Packing
    /// would take as long as many multiplications of each element; but many panels read a block of
    /// A many times, which its caches have to hold.
    bool reads_transposed_a() const {
        constexpr dim_t few_panels = 4;
        const auto &a = plan_.a;
        if (plan_.spec.step != step_t::f32 || a.type != dnnl_f32 || plan_.b.type != dnnl_f32
                || a.has_dense_rows() || !a.has_dense_columns() || plan_.has_groups()
                || plan_.has_dots())
            return false;
        return plan_.blocking.panels <= few_panels
               || plan_.blocking.block_steps
                          <= matrix::near_columns(a.bytes(a.column), second_level_cache_size());
    }

    bool must_pack_a() const {
        const auto &a = plan_.a;
        if (plan_.has_few_columns() || plan_.spec.a_is_transposed) return false;
        if (!a.has_dense_rows() || plan_.has_row_of_ones() || plan_.is_by_steps()) return true;
        const step_t step = plan_.spec.step;
        if (matrix::base_of(step) == step_t::f32 && a.type != dnnl_f32) return true;
        if (step == step_t::s16 || step == step_t::split || matrix::has_octets(step)) return true;
        if (step == step_t::bf16 && a.type != dnnl_bf16) return true;
        if (plan_.is_by_amx) return packs_split_lines(plan_);
        if (plan_.k % plan_.depth() != 0 && !can_read_rest()) return true;
        constexpr dim_t few_panels = 4;
        const bool may_pack = plan_.spec.joins_rows()
                              || (step == step_t::f32 && plan_.blocking.panels > few_panels);
        return may_pack && plan_.blocking.rows > near_rows(plan_.a);
    }

    /// Whether tiles are given the sums of A's rows times the one zero point of bytes of B.
    bool multiplies_sums_of_rows() const {
        const auto &groups = plan_.spec.groups;
        return plan_.spec.step == step_t::u8s8 && !plan_.is_by_amx && !plan_.has_dots()
               && groups.b_zero.exists() && !groups.b_zero.per_lane && !groups.have_scales()
               && plan_.groups.extent == 0 && (!plan_.has_a_zero || plan_.has_one_a_zero());
    }

    /// Whether tiles compute the sums of B's columns that src's zero point is multiplied by: so few
    /// rows are one strip, or a few, and accumulators leave registers for a row more.
    bool sums_b() const {
        const auto &spec = plan_.spec;
        if (!plan_.has_a_zero || plan_.has_groups() || plan_.has_dots() || plan_.is_by_amx
                || spec.step != step_t::u8s8 || plan_.has_sums_behind_b())
            return false;
        const int vectors = plan_.has_packed_weights() ? spec.vectors : matrix::most_packed_vectors;
        return plan_.m <= matrix::most_rows(isa_, spec.step, vectors, true);
    }

    /// Whether tiles wait for B without prefetches. Rows of a B in place are too far apart for
    /// those of processors, and lie beside rows of A and dst in the second-level cache.
    bool waits_for_b() const {
        return plan_.b_way == b_way_t::in_place
                       ? plan_.b.bytes(plan_.n * plan_.k)
                                 > static_cast<dim_t>(second_level_cache_size() / 2)
                       : plan_.has_large_b();
    }

    /// Few rows, which wait for B whether it is fetched ahead or not.
    static constexpr dim_t few_rows = 4;

    /// Whether the second-level caches of all tasks may keep a good part of a B that few rows read,
    /// from call to call: prefetches would take as long as its loads.
    bool keeps_b_near() const {
        const auto caches =
                static_cast<dim_t>(second_level_cache_size()) * tasks_worth_their_start(plan_);
        return plan_.m <= few_rows && plan_.b.bytes(plan_.n * plan_.k) <= 2 * caches;
    }

    /// How many panels of packed weights from memory a few rows are multiplied by at a time, if
    /// registers allow.
    int streams() const {
        if (!plan_.has_packed_weights() || plan_.is_by_amx || !plan_.has_large_b()
                || plan_.m > few_rows)
            return 1;
        const auto &spec = plan_.spec;
        const dim_t most = std::min<dim_t>(
                matrix::most_vectors(isa_, spec.step, static_cast<int>(plan_.m), spec.sums_b),
                plan_.n / jit::lanes_of(isa_));
        int streams = matrix::converts_b(spec.step) ? 2 : 4;
        while (streams > 1 && spec.vectors * streams > most) streams /= 2;
        return streams;
    }

    /// Whether packed weights of another type than f32 are read by several strips, each of which
    /// would convert them.
    bool must_convert_weights() const {
        const step_t step = plan_.spec.step;
        const bool are_floats = step == step_t::f32 && plan_.b.type != dnnl_f32;
        const bool are_integers = matrix::converts_b(step) && matrix::base_of(step) == step_t::f32;
        return plan_.has_packed_weights() && plan_.blocking.strips > 1
               && (are_integers || (are_floats && !plan_.has_groups()));
    }

    /// Whether tiles read the last elements of rows, which are less than a step.
    bool can_read_rest() const {
        const step_t step = plan_.spec.step;
        return (step == step_t::bf16 || step == step_t::u8s8) && !plan_.has_dots()
               && !plan_.has_groups() && (!plan_.has_a_zero || plan_.spec.sums_b);
    }

    /// Whether one kernel, or two of unlike heights, computes each matrix in one call.
    bool has_alike_matrices() const {
        const auto &blocking = plan_.blocking;
        const bool is_one_block = blocking.blocks == 1 && plan_.parts.count() == 1
                                  && plan_.chunk_strips == blocking.strips
                                  && blocking.block_panels == blocking.panels;
        return plan_.batch->rows() > 1 && is_one_block && !plan_.has_sums_apart()
               && (plan_.is_by_amx ? has_alike_amx_calls() : !plan_.has_groups())
               && !plan_.copies_b() && plan_.fetch.lines == 0
               && (!plan_.sums_columns_apart() || plan_.sum_of_padding() == 0)
               && !plan_.fetches_next && !plan_.spec.fetches_a && plan_.k != 0;
    }

    bool has_alike_amx_calls() const {
        const dim_t calls = divide_up<dim_t>(plan_.m, matrix::amx_rows)
                            * divide_up<dim_t>(plan_.blocking.panels, matrix::near_amx_panels);
        return calls <= static_cast<dim_t>(most_alike_amx_calls) && !plan_.converts_for_amx()
               && !plan_.has_amx_groups()
               && (!plan_.has_row_values() || plan_.has_sums_of_rows_alone())
               && (!plan_.has_a_zero || plan_.has_common_a_zero()) && !may_be_non_temporal();
    }

    matmul_pd_t &pd_;
    const isa_t isa_;
    tiles_plan_t &plan_;
};

} // namespace

refusal_t plan_work(matmul_pd_t &pd, isa_t isa, tiles_plan_t &plan) {
    return work_planner_t(pd, isa, plan)();
}

} // namespace kiln::x64::matmul
