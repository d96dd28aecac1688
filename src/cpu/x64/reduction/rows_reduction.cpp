// SPDX-License-Identifier: Apache-2.0
// Reduction by generated kernels, where what is reduced lies side by side. Long rows are cut into
// pieces by their length alone; what the pieces gave is a row of floats that is reduced in turn.

#include "cpu/x64/reduction/rows_reduction.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>

#include <tbb/task_arena.h>

#include "common/primitive/primitive.hpp"
#include "cpu/parallel.hpp"
#include "cpu/x64/reduction/reduction_problem.hpp"
#include "cpu/x64/rows/row_execution.hpp"

namespace kiln::x64::reduction {
namespace {

using kernel_function_t = void (*)(row_reduction_args_t *);

/// Elements of a piece of a long row: some hundred are added to each lane. Tiles divide it.
constexpr dim_t piece = 32768;

dim_t pieces_of(dim_t line) { return line < 2 * piece ? 1 : (line + piece - 1) / piece; }

reduction_problem_t rows_of(const reduction_pd_t &pd) {
    reduction_problem_t problem;
    [[maybe_unused]] const refusal_t refusal = find_rows(pd, problem);
    assert(!refusal);
    return problem;
}

/// The kernel for a piece: nothing becomes of its value yet.
row_reduction_spec_t piece_spec(const row_reduction_spec_t &whole) {
    return {whole.isa, whole.line, whole.src_type, dnnl_f32, whole.fold, whole.term};
}

/// The kernel for what pieces gave.
row_reduction_spec_t total_spec(row_reduction_spec_t spec) {
    spec.line = pieces_of(spec.line);
    spec.src_type = dnnl_f32;
    spec.term = term_t::value;
    return spec;
}

class rows_reduction_t final : public primitive_impl_t {
public:
    explicit rows_reduction_t(const reduction_pd_t &pd)
        : problem_(rows_of(pd))
        , plan_(*problem_.plan)
        , line_(problem_.spec.line)
        , pieces_(pieces_of(line_))
        , row_code_(row_reduction_kernel_t(pieces_ == 1 ? problem_.spec : total_spec(problem_.spec))
                            .finish()) {
        if (pieces_ > 1)
            piece_code_.emplace(row_reduction_kernel_t(piece_spec(problem_.spec)).finish());
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        bases_t bases;
        for (size_t i = 0; i < problem_.tensors.size(); ++i)
            bases[i] = ctx.input(problem_.tensors[i].slot);
        if (pieces_ > 1) {
            auto *const values = reinterpret_cast<float *>(ctx.scratchpad());
            const dim_t items = plan_.rows() * pieces_;
            cpu::parallel_chunks(items, items_of_task(items, piece), [&](dim_t begin, dim_t end) {
                for (dim_t i = begin; i < end; ++i) reduce_piece(bases, i, values + i);
            });
            cpu::parallel_chunks(plan_.rows(), items_of_task(plan_.rows(), pieces_),
                    [&](dim_t begin, dim_t end) { reduce_rows(bases, values, begin, end); });
        } else {
            cpu::parallel_chunks(plan_.rows(), items_of_task(plan_.rows(), line_),
                    [&](dim_t begin, dim_t end) { reduce_rows(bases, nullptr, begin, end); });
        }
        return dnnl_success;
    }

private:
    using bases_t = std::array<const void *, max_row_operands>;

    /// Rows of src or, where there are some, of the values that pieces gave.
    void reduce_rows(const bases_t &bases, const float *values, dim_t begin, dim_t end) const {
        const auto kernel = row_code_.entry<kernel_function_t>();
        dim_t row = begin;
        plan_.for_each_run(begin, end, [&](const row_run_t &run) {
            row_reduction_args_t args;
            args.rows = run.count;
            args.length = values ? pieces_ : line_;
            for (size_t i = 0; i < problem_.tensors.size(); ++i) {
                const dim_t size = problem_.tensors[i].size;
                args.operands[i] = moved(bases[i], run.offsets[i], size);
                args.pitches[i] = plan_.pitches()[i] * size;
            }
            if (values) {
                args.operands[src_operand] = values + row * pieces_;
                args.pitches[src_operand] = pieces_ * static_cast<dim_t>(sizeof(float));
            }
            kernel(&args);
            row += run.count;
        });
    }

    void reduce_piece(const bases_t &bases, dim_t index, float *value) const {
        const dim_t first = index % pieces_ * piece;
        const dim_t offset = plan_.offsets_of(index / pieces_)[src_operand] + first;
        row_reduction_args_t args{1, std::min(piece, line_ - first), {}, {}};
        args.operands[src_operand] =
                moved(bases[src_operand], offset, problem_.tensors[src_operand].size);
        args.operands[dst_operand] = value;
        piece_code_->entry<kernel_function_t>()(&args);
    }

    /// Of so many items of so many elements: enough to be worth waking a thread, a few tasks for
    /// each thread.
    dim_t items_of_task(dim_t items, dim_t elements) const {
        constexpr dim_t least_bytes = 65536, tasks_of_thread = 4;
        const dim_t tasks = tasks_of_thread * tbb::this_task_arena::max_concurrency();
        const dim_t bytes = elements * problem_.tensors[src_operand].size;
        return std::max((items + tasks - 1) / tasks, (least_bytes + bytes - 1) / bytes);
    }

    const reduction_problem_t problem_;
    const row_plan_t &plan_;
    const dim_t line_;
    const dim_t pieces_; // of a row
    const jit::executable_code_t row_code_;
    std::optional<jit::executable_code_t> piece_code_; // where there are several
};

} // namespace

refusal_t rows_reduction_accept(reduction_pd_t &pd) {
    if (best_isa() == isa_t::none) return refused("no AVX2");
    if (has_zero_dim(pd.src())) return refused("src has no elements");
    reduction_problem_t problem;
    if (const refusal_t refusal = find_rows(pd, problem)) return refusal;
    const dim_t pieces = pieces_of(problem.spec.line);
    if (pieces > 1)
        pd.set_scratchpad_size(static_cast<size_t>(problem.plan->rows() * pieces) * sizeof(float));
    return accepted();
}

status_t rows_reduction_create(const reduction_pd_t &pd, std::unique_ptr<primitive_impl_t> &impl) {
    impl = std::make_unique<rows_reduction_t>(pd);
    return dnnl_success;
}

} // namespace kiln::x64::reduction
