// SPDX-License-Identifier: Apache-2.0
// Reorder that computes, by generated kernels on rows.

#include "cpu/x64/reorder/rows_reorder.hpp"

#include <algorithm>
#include <array>

#include <xmmintrin.h>

#include <tbb/task_arena.h>

#include "common/primitive/primitive.hpp"
#include "cpu/parallel.hpp"
#include "cpu/x64/jit/lazy_code.hpp"
#include "cpu/x64/reorder/row_problem.hpp"
#include "cpu/x64/rows/row_execution.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64::reorder {
namespace {

using kernel_function_t = void (*)(row_args_t *);

row_problem_t rows_of(const reorder_pd_t &pd) {
    row_problem_t problem;
    [[maybe_unused]] const refusal_t refusal = find_rows(pd, problem);
    assert(!refusal);
    return problem;
}

class rows_reorder_t final : public primitive_impl_t {
public:
    explicit rows_reorder_t(const reorder_pd_t &pd)
        : problem_(rows_of(pd))
        , plan_(*problem_.plan)
        , line_(problem_.line()) {
        pieces_ = line_ < 2 * piece_ ? 1 : (line_ + piece_ - 1) / piece_;
        passes_caches_ = can_pass_caches();
        code_for(passes_caches_); // as for aligned tensors
        for (const row_copy_t &copy : problem_.copies)
            copy_codes_.push_back(row_kernel_t(copy.spec).finish());
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        bases_t bases;
        for (size_t i = 0; i < problem_.tensors.size(); ++i)
            bases[i] = ctx.input(problem_.tensors[i].slot);
        for (size_t i = 0; i < problem_.copies.size(); ++i) copy(i, bases, ctx.scratchpad());
        const void *const dst = moved(bases[dst_operand], plan_.offsets_of(0)[dst_operand],
                problem_.tensors[dst_operand].size);
        const bool is_non_temporal = passes_caches_ && !is_in_place(bases)
                                     && are_aligned(dst, 0, problem_.spec.non_temporal_alignment());
        const auto kernel = code_for(is_non_temporal).entry<kernel_function_t>();
        cpu::parallel_chunks(plan_.rows() * pieces_, items_of_task(), [&](dim_t begin, dim_t end) {
            if (pieces_ == 1)
                execute_rows(kernel, bases, begin, end);
            else
                execute_pieces(kernel, bases, begin, end);
            if (is_non_temporal) _mm_sfence();
        });
        return dnnl_success;
    }

private:
    using bases_t = std::array<const void *, max_row_operands>;

    /// Whether dst is read as well, by a sum or under another name.
    bool is_in_place(const bases_t &bases) const {
        const auto *const end = bases.begin() + problem_.tensors.size();
        return std::find(bases.begin() + src_operand, end, bases[dst_operand]) != end;
    }

    /// The copy takes the tensor's place.
    void copy(size_t index, bases_t &bases, std::byte *scratchpad) const {
        const row_copy_t &copy = problem_.copies[index];
        const row_tensor_t &tensor = problem_.tensors[copy.tensor];
        const auto source_size = static_cast<dim_t>(data_type_size(copy.spec.src.type));
        row_args_t args{copy.rows, copy.spec.line, {}, {}};
        args.operands[dst_operand] = scratchpad + tensor.copy;
        args.operands[src_operand] = moved(bases[copy.tensor], copy.offset, source_size);
        args.pitches[dst_operand] = copy.spec.line * tensor.size;
        args.pitches[src_operand] = copy.pitch;
        copy_codes_[index].entry<kernel_function_t>()(&args);
        bases[copy.tensor] = scratchpad + tensor.copy;
    }

    void execute_rows(
            kernel_function_t kernel, const bases_t &bases, dim_t begin, dim_t end) const {
        plan_.for_each_run(begin, end, [&](const row_run_t &run) {
            call(kernel, bases, run.offsets, run.count, 0, line_);
        });
    }

    /// Items are pieces of rows.
    void execute_pieces(
            kernel_function_t kernel, const bases_t &bases, dim_t begin, dim_t end) const {
        while (begin < end) {
            const dim_t row = begin / pieces_, first = begin % pieces_;
            const dim_t last = std::min(pieces_, first + end - begin);
            call(kernel, bases, plan_.offsets_of(row), 1, first * piece_,
                    std::min(line_, last * piece_));
            begin += last - first;
        }
    }

    void call(kernel_function_t kernel, const bases_t &bases, const row_offsets_t &offsets,
            dim_t rows, dim_t first_column, dim_t end_column) const {
        row_args_t args;
        args.rows = rows;
        args.length = end_column - first_column;
        for (size_t i = 0; i < problem_.tensors.size(); ++i) {
            const row_tensor_t &tensor = problem_.tensors[i];
            args.operands[i] =
                    moved(bases[i], offsets[i] + first_column * tensor.stride, tensor.size);
            args.pitches[i] = plan_.pitches()[i] * tensor.size;
        }
        kernel(&args);
    }

    const jit::executable_code_t &code_for(bool is_non_temporal) const {
        return codes_[is_non_temporal ? 1 : 0].get([&] {
            row_spec_t spec = problem_.spec;
            spec.is_non_temporal = is_non_temporal;
            return row_kernel_t(spec).finish();
        });
    }

    /// Whether it pays, and dst's rows are aligned if dst is.
    bool can_pass_caches() const {
        constexpr dim_t many_vectors = 64; // beside which a partial one does not show
        const dim_t lanes = jit::lanes_of(problem_.spec.isa);
        return fills_most_of_cache(problem_.bytes()) && problem_.spec.has_non_temporal_stores()
               && (line_ % lanes == 0 || line_ >= many_vectors * lanes)
               && plan_.keeps_alignment(dst_operand, lanes);
    }

    /// Enough to be worth waking a thread, a few tasks for each.
    dim_t items_of_task() const {
        constexpr dim_t least_bytes = 65536, tasks_of_thread = 4;
        const dim_t items = plan_.rows() * pieces_;
        const dim_t tasks = tasks_of_thread * tbb::this_task_arena::max_concurrency();
        const dim_t item_bytes = std::max(problem_.bytes() / items, dim_t(1));
        return std::max((items + tasks - 1) / tasks, (least_bytes + item_bytes - 1) / item_bytes);
    }

    /// Elements of long rows that are shared out one by one; tiles divide them.
    static constexpr dim_t piece_ = 8192;

    const row_problem_t problem_;
    const row_plan_t &plan_;
    const dim_t line_;
    dim_t pieces_;       // of a row
    bool passes_caches_; // if dst is aligned
    mutable std::array<jit::lazy_code_t, 2> codes_;
    std::vector<jit::executable_code_t> copy_codes_;
};

} // namespace

refusal_t rows_reorder_accept(reorder_pd_t &pd) {
    if (best_isa() == isa_t::none) return refused("no AVX2");
    if (has_zero_dim(pd.src())) return refused("src has no elements");
    row_problem_t problem;
    if (const refusal_t refusal = find_rows(pd, problem)) return refusal;
    pd.set_scratchpad_size(static_cast<size_t>(problem.scratchpad_size));
    return accepted();
}

status_t rows_reorder_create(const reorder_pd_t &pd, std::unique_ptr<primitive_impl_t> &impl) {
    impl = std::make_unique<rows_reorder_t>(pd);
    return dnnl_success;
}

} // namespace kiln::x64::reorder
