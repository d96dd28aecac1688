// SPDX-License-Identifier: Apache-2.0
// How a product by tiles is divided among tasks.

#include "cpu/x64/matmul/tiles_tasks.hpp"

#include <algorithm>

#include "common/integers.hpp"
#include "cpu/parallel.hpp"
#include "cpu/x64/cache_size.hpp"

namespace kiln::x64::matmul {

using matrix::next_block_fetch_t;

namespace {

class task_planner_t {
public:
    task_planner_t(matmul_pd_t &pd, tiles_plan_t &plan)
        : pd_(pd)
        , plan_(plan) {}

    void operator()() {
        share_work();
        set_buffers();
    }

private:
    /// How a matrix is divided among tasks.
    void share_work() {
        plan_.tasks = tasks_worth_their_start(plan_);
        const dim_t batch = plan_.batch->rows();
        if (plan_.is_cut_along_k()) {
            plan_.parts = {1, panel_parts_of_runs()};
            plan_.tasks = std::min(plan_.tasks, plan_.k_runs * plan_.parts.panels);
            return;
        }
        if (batch < plan_.tasks || (batch < 4 * plan_.tasks && batch % plan_.tasks != 0)) {
            plan_.parts = matrix::share(plan_.blocking, plan_.tasks, packing_cost());
        }
        plan_.tasks = std::min(plan_.tasks, batch * plan_.parts.count());
    }

    /// Parts of the panels whose runs of K are equally many for each task, if there are so many
    /// panels.
    dim_t panel_parts_of_runs() const {
        const dim_t most = std::min(plan_.blocking.panels, plan_.tasks);
        for (dim_t parts = 1; parts < most; ++parts)
            if (plan_.k_runs * parts % plan_.tasks == 0) return parts;
        return most;
    }

    /// A chunk takes as many strips as its buffers can hold, or, where B is not packed for each
    /// chunk, as many whose rows of A stay in the last-level cache and their pages in the cache of
    /// translated addresses. Each chunk reads all of B. Rows that are packed, or whose last
    /// elements are copied, for AMX are few if B is one block: they stay near. Chunks have about
    /// the same size: a last chunk of few strips would read all of B for little work.
    void set_chunk(dim_t strips, dim_t group_strip_bytes) {
        // Each chunk packs all blocks of B, if tiles need that. Beside AMX that takes as long
        // as multiplying it by some hundred rows. Few panels read a row once or twice: rows then
        // stay in the second-level cache. Packing a transposed A reads longer runs of its columns
        // if a chunk has more rows.
        constexpr dim_t few_panels = 2;
        const bool is_transposed = !plan_.a.has_dense_rows();
        const bool has_few_panels =
                !plan_.is_by_amx && plan_.blocking.panels <= few_panels && !is_transposed;
        const dim_t megabytes = plan_.is_by_amx                             ? 32
                                : is_transposed && plan_.a.type == dnnl_f32 ? 16
                                                                            : 4;
        const dim_t most_a_bytes = has_few_panels
                                           ? static_cast<dim_t>(second_level_cache_size() / 4)
                                           : megabytes << 20;
        // Beside so many rows, packing B takes little time.
        const dim_t many_rows = has_few_panels ? 64 : 256;
        constexpr dim_t most_group_bytes = 1 << 20;
        constexpr dim_t near_rows = 64, few_partial_rows = 256, near_partial_bytes = 1 << 20;
        dim_t most_partial_rows = few_partial_rows;
        if (plan_.has_outer_blocks())
            most_partial_rows = plan_.m;
        else if (plan_.is_by_amx)
            most_partial_rows =
                    std::max(few_partial_rows, near_partial_bytes / plan_.partial_pitch());
        const dim_t rows = plan_.blocking.rows;
        const dim_t panels = divide_up(plan_.blocking.panels, plan_.parts.panels);
        const bool is_one_block = plan_.is_one_block(panels);
        dim_t most = strips;
        const auto near_bytes =
                std::max(most_a_bytes, static_cast<dim_t>(last_level_cache_size() / 4));
        if (plan_.packs_a)
            most = std::min(
                    most, std::max(plan_.packs_b() ? many_rows / rows : 0,
                                  most_a_bytes
                                          / (matrix::a_packer_t::pitch(plan_.spec.step, plan_.k)
                                                  * plan_.rows_by_amx(rows))));
        else if (!plan_.packs_b() && plan_.a.row != 0)
            most = std::min(most, near_bytes / (plan_.a.bytes(plan_.a.row) * rows));
        if (plan_.is_by_amx && is_one_block && plan_.packs_a && !plan_.packs_b())
            most = std::min(most, near_rows / rows);
        if (group_strip_bytes != 0) most = std::min(most, most_group_bytes / group_strip_bytes);
        if (has_partial_buffers() && (plan_.blocking.blocks > 1 || plan_.has_sums_apart()))
            most = std::min(most, most_partial_rows / rows);
        plan_.chunk_strips = divide_up(strips, divide_up(strips, std::max<dim_t>(1, most)));
    }

    /// Whether a task keeps sums in a buffer: those of blocks of K, scalar products, or those by
    /// AMX.
    bool has_partial_buffers() const {
        const bool has_sums = plan_.blocking.blocks > 1 || plan_.is_by_amx;
        return !plan_.is_cut_along_k() && !plan_.has_results_of_dots()
               && (plan_.has_sums_apart() || (has_sums && !plan_.has_partial_in_dst));
    }

    void set_buffers() {
        const auto &blocking = plan_.blocking;
        const auto bytes = [](dim_t count) {
            return static_cast<size_t>(round_up(count, cache_line_bytes));
        };
        const bool has_values = plan_.has_groups() || plan_.has_row_values();
        const dim_t strip_bytes = has_values ? plan_.group_count() * matrix::rows_of_group * 4 : 0;
        set_chunk(divide_up(blocking.strips, plan_.parts.strips), strip_bytes);
        set_fetches();
        const dim_t rows = plan_.chunk_strips * blocking.rows;
        if (plan_.packs_a)
            plan_.a_bytes = bytes((plan_.rows_by_amx(rows) + 2 * jit::lanes_of(plan_.spec.isa))
                                          * matrix::a_packer_t::pitch(plan_.spec.step, plan_.k)
                                  + matrix::a_packer_t::stage_bytes(
                                          plan_.spec.isa, plan_.spec.step, plan_.a, plan_.k));
        if ((plan_.is_by_amx && plan_.amx_rest() != 0) || plan_.is_by_steps())
            plan_.a_rest_bytes = matrix::most_amx_rows * matrix::amx_row_bytes;
        plan_.group_bytes = bytes(plan_.chunk_strips * strip_bytes);
        const dim_t width = blocking.vectors * jit::lanes_of(plan_.spec.isa);
        if (plan_.has_few_columns()) set_dot_blocks();
        if (plan_.packs_b()) {
            const dim_t steps = plan_.packed_steps(blocking.block_steps) * plan_.lane_floats();
            plan_.b_bytes = bytes(blocking.block_panels * matrix::packed_panel_bytes(steps, width)
                                  + (plan_.converts_for_amx() ? 0 : stage_bytes(plan_.spec.step)));
        }
        if (plan_.is_by_steps()) plan_.b_bytes = matrix::amx_compressed_bytes;
        if (plan_.packs_before_conversion()) {
            const dim_t steps = plan_.lane_steps(blocking.block_steps);
            plan_.lane_bytes =
                    bytes(blocking.block_panels * matrix::packed_panel_bytes(steps, width)
                            + stage_bytes(matrix::lane_step_of(plan_.b.type)));
        }
        if (plan_.sums_columns_apart() || plan_.has_common_a_zero()) {
            const dim_t groups = plan_.spec.groups.have_scales() ? groups_of_block() : 1;
            plan_.shift_bytes = bytes(groups * blocking.block_panels * width * 4);
        }
        if (has_partial_buffers()) {
            const dim_t partial_rows = plan_.is_by_amx && blocking.blocks == 1
                                               ? std::min<dim_t>(rows, matrix::most_amx_rows)
                                               : plan_.rows_by_amx(rows) + plan_.has_row_of_ones();
            plan_.partial_bytes = bytes(partial_rows * plan_.partial_pitch());
            if (plan_.has_amx_groups()) plan_.totals_bytes = plan_.partial_bytes;
        }
        const size_t common =
                plan_.is_cut_along_k() ? bytes(plan_.k_runs * plan_.m * plan_.partial_pitch()) : 0;
        pd_.set_scratchpad_size(common + static_cast<size_t>(plan_.tasks) * plan_.task_bytes());
    }

    dim_t stage_bytes(matrix::step_t step) const {
        return matrix::is_staged(plan_.b, step, plan_.k)
                       ? matrix::stage_bytes(plan_.spec.isa, step, plan_.blocking)
                       : 0;
    }

    /// Packed weights that several strips of a chunk read are fetched a block ahead, as are columns
    /// that are packed, a cache line of each in a period.
    void set_fetches() {
        auto &spec = plan_.spec;
        const auto &blocking = plan_.blocking;
        if (plan_.has_groups() || plan_.is_by_amx) return;
        const dim_t step_bytes = plan_.b.bytes(plan_.depth());
        const bool packs_columns =
                plan_.b_way == b_way_t::packed && !plan_.b.has_dense_rows()
                && step_bytes * next_block_fetch_t::period == cache_line_bytes
                && plan_.has_large_b()
                && (blocking.blocks > 1
                        || divide_up(blocking.panels, plan_.parts.panels) > blocking.block_panels);
        if (packs_columns) {
            plan_.fetch = matrix::fetch_next_columns(
                    plan_.chunk_strips, plan_.b.bytes(plan_.b.column), spec.width());
        } else if (plan_.has_packed_weights() && !plan_.converts_weights && spec.fetches_b) {
            plan_.fetch = matrix::fetch_next_block(blocking, plan_.chunk_strips,
                    spec.b_bytes(spec.width()), plan_.padded_steps * spec.b_bytes(spec.width()));
        }
        spec.lines_ahead = plan_.fetch.lines;
        limit_panels(packs_columns);
    }

    /// Limits the panels of a block where tiles fetch the next one: the second-level cache holds
    /// both. Columns are packed and multiplied panel by panel. Packed weights are read panel by
    /// panel, in the order of addresses, where rows are so few that memory takes longer to deliver
    /// a block than they take to be multiplied.
    void limit_panels(bool packs_columns) {
        constexpr dim_t few_rows = 16, near_panels = 3;
        const auto &blocking = plan_.blocking;
        const bool fetches = plan_.fetch.lines != 0;
        const bool jumps =
                plan_.has_packed_weights() && plan_.spec.fetches_b && blocking.blocks > 1;
        const bool has_few_rows = plan_.chunk_strips * blocking.rows <= few_rows;
        if ((fetches && packs_columns) || ((fetches || jumps) && has_few_rows))
            plan_.blocking.block_panels = 1;
        else if (fetches)
            plan_.blocking.block_panels = std::min(near_panels, blocking.block_panels);
    }

    /// Columns are packed as vectors; a block of K stays in the first-level cache.
    void set_dot_blocks() {
        constexpr dim_t near_bytes = 24 * 1024;
        const dim_t vector_bytes = jit::lanes_of(plan_.spec.isa) * 4;
        const dim_t vectors =
                divide_up(plan_.k * matrix::element_bytes(plan_.spec.step), vector_bytes);
        plan_.b_bytes =
                static_cast<size_t>(round_up(vectors * plan_.n * vector_bytes, cache_line_bytes));
        plan_.dot_vectors =
                divide_up(vectors, divide_up(vectors * plan_.n * vector_bytes, near_bytes));
    }

    dim_t groups_of_block() const {
        if (plan_.groups.extent == 0) return 1;
        return plan_.blocking.block_steps * plan_.depth() / plan_.groups.extent;
    }

    /// Elements that are copied, or come from memory, take as long as so many multiplications of
    /// each, transposed ones longer. Of a row of dst that two tasks store into, each processor
    /// fetches lines that the other one has: that takes as long as so many multiplications.
    matrix::packing_cost_t packing_cost() const {
        constexpr dim_t of_shared_row = 3000;
        constexpr dim_t of_copies = 12, of_transposition = 40, of_reads = 12, of_reads_by_amx = 64;
        const dim_t of_large = plan_.is_by_amx ? of_reads_by_amx : of_reads;
        const auto half_cache = static_cast<dim_t>(second_level_cache_size() / 2);
        const dim_t of_near_a = plan_.is_by_amx ? of_reads : 0;
        const dim_t of_b = plan_.packs_b() || plan_.is_by_steps()          ? of_copies
                           : plan_.b.bytes(plan_.n * plan_.k) > half_cache ? of_large
                                                                           : 0;
        const dim_t of_a = plan_.packs_a ? plan_.a.has_dense_rows() ? of_copies : of_transposition
                           : plan_.a.bytes(plan_.m * plan_.k) > half_cache ? of_large
                                                                           : of_near_a;
        const dim_t lanes = jit::lanes_of(plan_.spec.isa);
        const dim_t of_sharing = of_shared_row / std::max<dim_t>(1, plan_.k);
        return {.rows = of_b, .vectors = divide_up(of_a, lanes) + (of_sharing + lanes / 2) / lanes};
    }

    matmul_pd_t &pd_;
    tiles_plan_t &plan_;
};

} // namespace

dim_t tasks_worth_their_start(const tiles_plan_t &plan) {
    const bool are_integers = matrix::is_integer(plan.spec.step);
    const double of_amx = plan.spec.step == matrix::step_t::split ? 2e6 : 8e6;
    const double least_products = plan.is_by_amx ? of_amx : are_integers ? 3e5 : 1.5e5;
    const double of_result = plan.is_by_amx ? 400 : 16; // which takes as long as so many products
    const auto count = [](dim_t value) { return static_cast<double>(value); };
    const double matrices = count(plan.batch->rows());
    constexpr double of_matrix = 2000; // the smallest one takes as long as so many
    // Transposing an element of A takes as long as so many products.
    const double of_transposition =
            plan.is_by_amx || !plan.packs_a || plan.a.has_dense_rows() ? 0 : 40;
    const double columns = count(plan.n) + of_transposition;
    const double products =
            std::max(count(plan.m) * columns * (count(plan.k) + of_result), of_matrix) * matrices;
    // A is more often near than weights are. Elements that become floats take as long as these.
    const double a_bytes = count(plan.a.bytes(plan.m * plan.k)) / 2,
                 b_bytes = are_integers || plan.is_by_amx ? count(plan.b.bytes(plan.n * plan.k))
                                                          : count(plan.n * plan.k * 4);
    const double bytes = std::max(a_bytes, b_bytes) * matrices;
    constexpr double least_bytes = 196608; // that a cache delivers while another thread starts
    const double worth = std::max(products / least_products, bytes / least_bytes);
    return worth < 2
                   ? 1
                   : std::min<dim_t>(cpu::thread_count(), static_cast<dim_t>(std::min(worth, 1e6)));
}

void plan_tasks(matmul_pd_t &pd, tiles_plan_t &plan) { task_planner_t(pd, plan)(); }

} // namespace kiln::x64::matmul
