// SPDX-License-Identifier: Apache-2.0
// Softmax on columns as a primitive: which problems it takes, and how columns are shared among
// threads.

#include <bit>
#include <numeric>

#include "common/integers.hpp"
#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/columns/column_primitive.hpp"
#include "cpu/x64/softmax/column_kernels.hpp"
#include "cpu/x64/softmax/lines.hpp"
#include "cpu/x64/softmax/softmax.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64::softmax {
namespace {

struct columns_plan_t : column_plan_t<column_spec_t> {
    /// Whether kernels can reduce blocks of `block` adjacent columns.
    bool are_whole(dim_t block, isa_t isa) const {
        return std::has_single_bit(static_cast<size_t>(block)) && block <= 2 * jit::lanes_of(isa)
               && columns->tile_width() % block == 0;
    }
    static refusal_t check_padding(const lines_t &lines) {
        if (lines.padding == 0) return accepted();
        for (const jit::post_op_link_t &link : lines.post_ops)
            if (!link.operands.empty())
                return refused("the axis is padded, and a post-op has a tensor");
        return accepted();
    }
    template <typename operand_t>
    refusal_t init(lines_t &lines, isa_t isa, const operand_t &names, size_t held) {
        if (lines.block.extent != 1) lines.others.push_back(lines.block);
        const row_plan_t plan(lines.count(), lines.others, lines.origin);
        columns.emplace(lines.operands, column_loops_t{.lines = plan, .steps = lines.axis}, isa,
                operand_t::stepped, held, operand_t::output, column_spec_t::needs_many_registers);
        if (const refusal_t refusal = columns->check_adjacent()) return refusal;
        for (size_t i = 0; i < operand_t::stepped; ++i)
            if (lines.block.extent != 1 && !lines.operands[i].is_absent()
                    && lines.block.strides[i] != 1)
                return refused("elements of a block of the axis are not adjacent");
        if (!are_whole(lines.block.extent, isa))
            return refused("blocks are not of 2^n elements, or do not fill tiles of columns");
        if (const refusal_t refusal = check_padding(lines)) return refusal;
        const row_mode_t line{plan.run_length(), plan.pitches()};
        if (const refusal_t refusal = lines.place_post_ops(line, operand_t::first_post_op))
            return refusal;
        columns->describe(spec);
        spec.isa = isa;
        spec.length = lines.axis.extent;
        spec.padding = static_cast<int>(lines.padding);
        spec.block = static_cast<int>(lines.block.extent);
        spec.post_ops = lines.post_ops;
        spec.is_streamed = fills_most_of_cache(columns->footprint());
        spec.is_log = names.is_log;
        spec.name = names.name("column");
        return accepted();
    }
    void init_forward(softmax_pd_t &pd, bool is_inf_zero) {
        spec.is_inf_zero = is_inf_zero;
        spec.kept = where_to_keep();
        choose_prefetches(forward_spec_t::output);
        if (spec.kept != kept_t::in_memory) return;
        task_bytes = tile_bytes();
        tasks = columns->shares().tasks;
        pd.set_scratchpad_size(static_cast<size_t>(tasks) * task_bytes);
    }
    /// What is read is prefetched where it comes from memory and ordinary stores do not go on
    /// meanwhile. The output is where stores follow in a walk of their own, or where vectors cross
    /// cache lines: their stores would wait for the second lines.
    void choose_prefetches(size_t output) {
        const bool is_in_memory = spec.kept == kept_t::in_memory;
        spec.fetches_next_tile =
                spec.is_streamed && is_near_tile() && (is_non_temporal() || is_in_memory);
        spec.fetches_output = is_nearest_tile()
                              && (is_in_memory ? !steps_share_sets()
                                               : spec.pitch(output) % cache_line_bytes != 0);
    }

private:
    /// Bytes of a tile of floats.
    size_t tile_bytes() const {
        return static_cast<size_t>(columns->steps() * columns->tile_width()) * sizeof(float);
    }
    /// Whether a tile's floats stay in the second-level cache beside src.
    bool is_near_tile() const { return tile_bytes() <= second_level_cache_size() / 2; }
    /// Whether the tile of the output stays there, too, until it is stored.
    bool is_nearest_tile() const { return tile_bytes() <= second_level_cache_size() / 8; }
    bool is_non_temporal() const { return spec.is_streamed && columns->steps_are_aligned(); }
    kept_t where_to_keep() const {
        constexpr size_t few_bytes = 32768; // stay in the first-level cache beside src
        if (spec.is_log) return kept_t::nowhere;
        const bool can_be_in_dst = spec.type(forward_spec_t::dst) == dnnl_f32;
        const bool is_far = spec.is_streamed && !is_non_temporal() && tile_bytes() > few_bytes;
        if (!is_near_tile() || is_far) return can_be_in_dst ? kept_t::in_dst : kept_t::nowhere;
        return !can_be_in_dst || steps_share_sets() || steps_overlap()
                               || (is_non_temporal() && tile_bytes() <= few_bytes)
                       ? kept_t::in_memory
                       : kept_t::in_dst;
    }
    /// Whether the steps of dst are so far apart that few sets of the first-level cache hold them.
    bool steps_share_sets() const {
        const dim_t common = std::gcd(spec.pitch(forward_spec_t::dst), dim_t(page_bytes));
        const auto ways = static_cast<dim_t>(first_level_cache_ways());
        return common >= page_bytes / 4 && columns->steps() * common / page_bytes >= ways / 2;
    }
    /// Whether a partial vector of a step reaches beyond the first elements of the next one, whose
    /// load would wait for its store if src and dst begin at the same place of a page.
    bool steps_overlap() const {
        const dim_t vectors = divide_up(spec.run_length, dim_t(jit::lanes_of(spec.isa)));
        return spec.run_length <= columns->tile_width()
               && spec.pitch(forward_spec_t::dst)
                          < vectors * jit::lanes_of(spec.isa) * spec.size(forward_spec_t::dst);
    }
};

template <typename kernel_t, typename init_t>
refusal_t accept_kernel(plan_ptr_t &plan, const init_t &init) {
    using primitive_t = column_primitive_t<kernel_t, columns_plan_t>;
    return accept_plan_of<primitive_t, columns_plan_t>(plan, init);
}

refusal_t accept_direction(softmax_pd_t &pd, lines_t &lines, isa_t isa, plan_ptr_t &plan) {
    if (pd.is_forward())
        return accept_kernel<column_forward_kernel_t>(plan, [&](columns_plan_t &work) {
            forward_spec_t names = forward_spec_of(pd, lines);
            names.isa = isa;
            if (const refusal_t refusal = work.init(lines, isa, names, forward_spec_t::held))
                return refusal;
            work.init_forward(pd, names.is_inf_zero);
            return accepted();
        });
    return accept_kernel<column_backward_kernel_t>(plan, [&](columns_plan_t &work) {
        backward_spec_t names = backward_spec_of(pd, lines);
        names.isa = isa;
        if (const refusal_t refusal = work.init(lines, isa, names, backward_spec_t::stepped))
            return refusal;
        work.choose_prefetches(backward_spec_t::output);
        return accepted();
    });
}

} // namespace

refusal_t accept_columns(softmax_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    lines_t lines;
    if (const refusal_t refusal = find_lines(pd, lines)) return refusal;
    if (pd.desc().pre_ops != 0) return refused("operations are applied to src before softmax");
    if (const refusal_t refusal = accept_direction(pd, lines, isa, plan)) return refusal;
    if (lines.padding != 0) pd.set_implementation_pads();
    return accepted();
}

} // namespace kiln::x64::softmax
