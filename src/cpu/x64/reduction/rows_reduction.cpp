// SPDX-License-Identifier: Apache-2.0
// Reduction by generated kernels where the reduced elements are adjacent. A long row is cut into
// chunks by its length alone; the chunks' results are a row of floats that is reduced in turn.

#include "cpu/x64/reduction/rows_reduction.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "common/primitive/primitive.hpp"
#include "cpu/parallel.hpp"
#include "cpu/x64/reduction/reduction_problem.hpp"

namespace kiln::x64::reduction {
namespace {

using kernel_function_t = void (*)(tiled_row_args_t *);

/// Elements of a chunk of a long row: a few hundred for each lane. A multiple of a tile's width.
constexpr dim_t chunk_elements = 32768;

dim_t chunks_of(dim_t line) {
    return line < 2 * chunk_elements ? 1 : (line + chunk_elements - 1) / chunk_elements;
}

/// The kernel for a chunk, which stores combined terms and leaves the rest to the total.
row_reduction_spec_t chunk_spec(const row_reduction_spec_t &whole) {
    return {.isa = whole.isa,
            .line = whole.line,
            .src_type = whole.src_type,
            .dst_type = dnnl_f32,
            .combine = whole.combine,
            .term = whole.term};
}

/// The kernel for the results of chunks.
row_reduction_spec_t total_spec(row_reduction_spec_t spec) {
    spec.line = chunks_of(spec.line);
    spec.src_type = dnnl_f32;
    spec.term = term_t::value;
    return spec;
}

class rows_reduction_t final : public primitive_impl_t {
public:
    explicit rows_reduction_t(const reduction_problem_t &problem)
        : problem_(problem)
        , rows_(*problem_.rows)
        , line_(problem_.spec.line)
        , chunks_(chunks_of(line_))
        , row_code_(row_reduction_kernel_t(chunks_ == 1 ? problem_.spec : total_spec(problem_.spec))
                            .finish()) {
        if (chunks_ > 1)
            chunk_code_.emplace(row_reduction_kernel_t(chunk_spec(problem_.spec)).finish());
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        const addresses_t bases = problem_.operands.bind(ctx);
        float *const values = chunks_ > 1 ? reinterpret_cast<float *>(ctx.scratchpad()) : nullptr;
        if (values)
            for_each_task(rows_.rows() * chunks_, chunk_elements, [&](dim_t begin, dim_t end) {
                for (dim_t i = begin; i < end; ++i) reduce_chunk(bases, i, values + i);
            });
        for_each_task(rows_.rows(), values ? chunks_ : line_,
                [&](dim_t begin, dim_t end) { reduce_rows(bases, values, begin, end); });
        return dnnl_success;
    }

private:
    /// Rows of src or, if chunks were reduced to values, of these.
    void reduce_rows(const addresses_t &bases, float *values, dim_t begin, dim_t end) const {
        const auto kernel = row_code_.entry<kernel_function_t>();
        dim_t row = begin;
        rows_.for_each_run(begin, end, [&](const row_run_t &run) {
            tiled_row_args_t args =
                    tiled_row_args(problem_.operands, rows_, bases, run, values ? chunks_ : line_);
            if (values) {
                args.operands[src_operand] = values + row * chunks_;
                args.pitches[src_operand] = chunks_ * static_cast<dim_t>(sizeof(float));
            }
            kernel(&args);
            row += run.count;
        });
    }

    void reduce_chunk(const addresses_t &bases, dim_t index, float *value) const {
        const dim_t first = index % chunks_ * chunk_elements;
        const dim_t offset = rows_.offset_of(index / chunks_, src_operand) + first;
        tiled_row_args_t args{.rows = 1,
                .length = std::min(chunk_elements, line_ - first),
                .operands = {},
                .pitches = {}};
        args.operands[src_operand] = problem_.operands.locate(bases, src_operand, offset);
        args.operands[dst_operand] = value;
        chunk_code_->entry<kernel_function_t>()(&args);
    }

    /// Calls `body(begin, end)` for the tasks of `items` items of so many elements each.
    template <typename body_t>
    void for_each_task(dim_t items, dim_t elements, const body_t &body) const {
        const dim_t bytes = problem_.operands[src_operand].bytes(elements);
        cpu::parallel_chunks(items, cpu::items_per_task(items, bytes), body);
    }

    const reduction_problem_t &problem_; // the plan's
    const row_plan_t &rows_;
    const dim_t line_;
    const dim_t chunks_; // of a row
    const jit::executable_code_t row_code_;
    std::optional<jit::executable_code_t> chunk_code_; // if there are several
};

} // namespace

refusal_t rows_reduction_accept(reduction_pd_t &pd, plan_ptr_t &plan) {
    const isa_t isa = best_isa();
    if (isa == isa_t::none) return refused(no_kernels_reason);
    if (has_zero_dim(pd.src())) return refused("src has no elements");
    const auto found = std::make_shared<plan_of_t<rows_reduction_t, reduction_problem_t>>();
    if (const refusal_t refusal = find_rows(pd, isa, found->work)) return refusal;
    const dim_t chunks = chunks_of(found->work.spec.line);
    if (chunks > 1)
        pd.set_scratchpad_size(
                static_cast<size_t>(found->work.rows->rows() * chunks) * sizeof(float));
    plan = found;
    return accepted();
}

} // namespace kiln::x64::reduction
