// SPDX-License-Identifier: Apache-2.0
// Reorders that compute, by generated kernels on rows. Long rows are cut into pieces that threads
// share.

#include "cpu/x64/reorder/accept.hpp"

#include <algorithm>
#include <memory>

#include "common/primitive/primitive.hpp"
#include "cpu/parallel.hpp"
#include "cpu/x64/jit/code/lazy_code.hpp"
#include "cpu/x64/reorder/row_problem.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64::reorder {
namespace {

/// Elements of a piece; a multiple of a tile's width.
constexpr dim_t piece = 8192;

class rows_reorder_t final : public primitive_impl_t {
public:
    explicit rows_reorder_t(const row_problem_t &problem)
        : problem_(problem)
        , rows_(*problem_.rows)
        , line_(problem_.spec.line)
        , pieces_(line_ < 2 * piece ? 1 : (line_ + piece - 1) / piece)
        , can_be_non_temporal_(has_non_temporal_rows()) {
        codes_.get(problem_.spec, can_be_non_temporal_); // as for an aligned dst
        for (const row_copy_t &copy : problem_.copies)
            copy_codes_.push_back(row_reorder_kernel_t(copy.spec).finish());
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        addresses_t bases = problem_.operands.bind(ctx);
        for (size_t i = 0; i < problem_.copies.size(); ++i) copy(i, bases, ctx.scratchpad());
        const bool is_non_temporal = can_be_non_temporal_
                                     && !problem_.operands.has_alias(bases, dst_operand)
                                     && is_aligned(bases);
        const auto &kernel = codes_.get(problem_.spec, is_non_temporal);
        const dim_t items = rows_.rows() * pieces_;
        cpu::parallel_chunks(items, cpu::items_per_task(items, problem_.bytes / items),
                [&](dim_t begin, dim_t end) {
                    if (pieces_ == 1)
                        execute_rows(kernel, bases, begin, end);
                    else
                        execute_pieces(kernel, bases, begin, end);
                    if (is_non_temporal) fence_non_temporal_stores();
                });
        return dnnl_success;
    }

private:
    /// Replaces the operand by its copy.
    void copy(size_t index, addresses_t &bases, std::byte *scratchpad) const {
        const row_copy_t &copy = problem_.copies[index];
        tiled_row_args_t args{
                .rows = copy.rows, .length = copy.spec.line, .operands = {}, .pitches = {}};
        args.operands[dst_operand] = scratchpad + copy.place;
        args.operands[src_operand] = moved(bases[copy.operand], copy.offset);
        args.pitches[dst_operand] = problem_.operands[copy.operand].bytes(copy.spec.line);
        args.pitches[src_operand] = copy.pitch;
        copy_codes_[index](args);
        bases[copy.operand] = scratchpad + copy.place;
    }

    void execute_rows(const jit::executable_code_t &kernel, const addresses_t &bases, dim_t begin,
            dim_t end) const {
        rows_.for_each_run(begin, end, [&](const row_run_t &run) {
            tiled_row_args_t args = tiled_row_args(problem_.operands, rows_, bases, run, line_);
            kernel(args);
        });
    }

    void execute_pieces(const jit::executable_code_t &kernel, const addresses_t &bases, dim_t begin,
            dim_t end) const {
        while (begin < end) {
            const dim_t first = begin % pieces_, last = std::min(pieces_, first + end - begin);
            row_run_t run{1, rows_.offsets_of(begin / pieces_)};
            for (size_t i = 0; i < problem_.operands.count(); ++i)
                run.offsets[i] += first * piece * problem_.strides[i];
            tiled_row_args_t args = tiled_row_args(problem_.operands, rows_, bases, run,
                    std::min(line_, last * piece) - first * piece);
            kernel(args);
            begin += last - first;
        }
    }

    /// Whether non-temporal stores pay, and every row of dst is aligned if the first one is.
    bool has_non_temporal_rows() const {
        constexpr dim_t many_vectors = 64; // a partial one besides costs little
        const dim_t lanes = jit::lanes_of(problem_.spec.isa);
        return fills_most_of_cache(problem_.bytes) && problem_.spec.has_non_temporal_stores()
               && (line_ % lanes == 0 || line_ >= many_vectors * lanes)
               && rows_.keeps_alignment(dst_operand, lanes);
    }

    bool is_aligned(const addresses_t &bases) const {
        const void *const dst =
                problem_.operands.locate(bases, dst_operand, rows_.offset_of(0, dst_operand));
        return are_aligned(
                dst, 0, non_temporal_alignment(problem_.spec.isa, problem_.spec.dst_type()));
    }

    const row_problem_t &problem_; // the plan's
    const row_plan_t &rows_;
    const dim_t line_;
    const dim_t pieces_; // of a row
    const bool can_be_non_temporal_;
    const jit::store_variants_t<row_reorder_kernel_t> codes_;
    std::vector<jit::executable_code_t> copy_codes_;
};

} // namespace

refusal_t accept_rows(reorder_pd_t &pd, plan_ptr_t &plan) {
    const isa_t isa = best_isa();
    if (isa == isa_t::none) return refused(no_kernels_reason());
    if (has_zero_dim(pd.src())) return refused("src has no elements");
    const auto found = std::make_shared<plan_of_t<rows_reorder_t, row_problem_t>>();
    if (const refusal_t refusal = find_rows(pd, isa, found->work)) return refusal;
    pd.set_scratchpad_size(static_cast<size_t>(found->work.scratchpad_size));
    plan = found;
    return accepted();
}

} // namespace kiln::x64::reorder
