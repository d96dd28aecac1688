// SPDX-License-Identifier: Apache-2.0
// Reduction by generated kernels: the passes of a plan, one after another. Threads share the rows
// of a pass and, where rows are made, pieces of them. What is added to a result, and in which
// order, follows from the plan alone.

#include "cpu/x64/reduction/rows_reduction.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "common/integers.hpp"
#include "common/primitive/primitive.hpp"
#include "cpu/parallel.hpp"
#include "cpu/x64/reduction/reduction_plan.hpp"

namespace kiln::x64::reduction {
namespace {

class pass_t {
public:
    explicit pass_t(const reduction_pass_t &plan)
        : plan_(plan)
        , rows_(*plan.rows)
        , line_(plan.spec.line)
        , piece_(piece_of(plan))
        , pieces_(divide_up(line_, piece_))
        , code_(row_reduction_kernel_t(plan.spec).finish()) {}

    void execute(const exec_ctx_t &ctx) const {
        addresses_t bases = plan_.operands.bind(ctx);
        if (plan_.reads_partial) bases[src_operand] = ctx.scratchpad();
        if (plan_.writes_partial) bases[dst_operand] = ctx.scratchpad();
        const dim_t items = rows_.rows() * pieces_;
        cpu::parallel_shares(cpu::shares_of(items, item_work()), [&](dim_t begin, dim_t end) {
            if (plan_.spec.makes_row)
                make_rows(bases, begin, end);
            else
                call_for_each_run(code_, plan_.operands, rows_, bases, begin, end, line_);
        });
    }

private:
    /// Elements of a row that is made in pieces: about 64 KiB of src, in whole tiles.
    static dim_t piece_of(const reduction_pass_t &plan) {
        if (!plan.spec.makes_row) return plan.spec.line;
        const dim_t tile = plan.spec.tile_width();
        const dim_t tile_bytes = plan.operands[src_operand].bytes(tile * plan.steps);
        return tile * cpu::least_items_per_task(tile_bytes);
    }

    /// Bytes that an item counts as: half of src's, since nothing of that size is written. A power
    /// that is no product takes as long as to read and write eight floats.
    dim_t item_work() const {
        const dim_t elements = std::min(piece_, line_) * plan_.steps;
        const bool has_powers =
                plan_.spec.term == term_t::power && std::trunc(plan_.spec.p) != plan_.spec.p;
        return has_powers ? cpu::bytes_as_floats(0, 8 * elements)
                          : plan_.operands[src_operand].bytes(elements) / 2;
    }

    /// Items are the pieces of the first row, then those of the next.
    void make_rows(const addresses_t &bases, dim_t begin, dim_t end) const {
        while (begin < end) {
            const dim_t first = begin % pieces_, last = std::min(pieces_, first + end - begin);
            row_run_t run{plan_.steps, rows_.offsets_of(begin / pieces_)};
            for (size_t i = 0; i < plan_.operands.count(); ++i)
                run.offsets[i] += first * piece_ * plan_.strides[i];
            tiled_row_args_t args = tiled_row_args(plan_.operands, rows_, bases, run,
                    std::min(line_, last * piece_) - first * piece_);
            args.pitches[src_operand] = plan_.operands[src_operand].bytes(plan_.step_stride);
            code_(args);
            begin += last - first;
        }
    }

    const reduction_pass_t &plan_;
    const row_plan_t &rows_;
    const dim_t line_, piece_, pieces_;
    const jit::executable_code_t code_;
};

class rows_reduction_t final : public primitive_impl_t {
public:
    explicit rows_reduction_t(const reduction_plan_t &plan) {
        for (const reduction_pass_t &pass : plan.passes)
            passes_.push_back(std::make_unique<pass_t>(pass));
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        for (const auto &pass : passes_) pass->execute(ctx);
        return dnnl_success;
    }

private:
    std::vector<std::unique_ptr<pass_t>> passes_;
};

} // namespace

refusal_t rows_reduction_accept(reduction_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    if (has_zero_dim(pd.src())) return refused("src has no elements");
    return accept_plan_of<rows_reduction_t, reduction_plan_t>(
            plan, [&](reduction_plan_t &work) { return plan_reduction(pd, isa, work); });
}

} // namespace kiln::x64::reduction
