// SPDX-License-Identifier: Apache-2.0
// Reduction by generated kernels where the reduced elements are adjacent. A long row is cut into
// chunks by its length alone; the chunks' results are a row of floats that is reduced in turn.

#include "cpu/x64/reduction/rows_reduction.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "common/attributes/alg_kind.hpp"
#include "common/memory/type_set.hpp"
#include "common/primitive/primitive.hpp"
#include "cpu/parallel.hpp"
#include "cpu/x64/layout/tensor_loops.hpp"
#include "cpu/x64/post_op_operands.hpp"
#include "cpu/x64/reduction/row_reduction_kernel.hpp"

namespace kiln::x64::reduction {
namespace {

/// What the kernel computes, reads and writes, and where the rows lie.
struct reduction_problem_t {
    row_reduction_spec_t spec;
    operands_t operands;
    std::optional<row_plan_t> rows;
};

/// The terms of a row, how they are combined, and what is done to the result.
refusal_t choose_arithmetic(const reduction_pd_t &pd, row_reduction_spec_t &spec) {
    const reduction_desc_t &desc = pd.desc();
    switch (desc.alg) {
    case dnnl_reduction_max: spec.combine = combine_t::max; return accepted();
    case dnnl_reduction_min: spec.combine = combine_t::min; return accepted();
    case dnnl_reduction_sum: return accepted();
    case dnnl_reduction_mean: spec.divisor = static_cast<float>(pd.terms()); return accepted();
    default: break;
    }
    if (!is_norm_alg(desc.alg))
        return refused("an algorithm that is not max, min, sum, mean or a norm");
    if (desc.p != 1 && desc.p != 2) return refused("a norm whose p is not 1 or 2");
    const bool is_greatest = desc.alg == dnnl_reduction_norm_lp_max
                             || desc.alg == dnnl_reduction_norm_lp_power_p_max;
    const bool is_power = desc.alg == dnnl_reduction_norm_lp_power_p_max
                          || desc.alg == dnnl_reduction_norm_lp_power_p_sum;
    spec.term = desc.p == 1 ? term_t::magnitude : term_t::square;
    spec.epsilon_use = is_greatest ? epsilon_use_t::least : epsilon_use_t::added;
    spec.epsilon = desc.epsilon;
    spec.takes_root = desc.p == 2 && !is_power;
    return accepted();
}

refusal_t check_types(const reduction_pd_t &pd) {
    for (const data_type_t type : {pd.src().data_type, pd.dst().data_type})
        if (!contains(float_types | int8_types, type))
            return refused("src or dst is not f32, bf16, f16, s8 or u8");
    return accepted();
}

/// The loops along which dst does not move, as one line that is removed from `loops`.
refusal_t take_reduced_line(std::vector<row_mode_t> &loops, size_t tensors, row_mode_t &line) {
    const auto is_reduced = [](const row_mode_t &loop) { return loop.strides[dst_operand] == 0; };
    line = {1, {}};
    if (std::none_of(loops.begin(), loops.end(), is_reduced)) return accepted();
    const auto found = take_line(loops, tensors, [&](const row_mode_t &loop) {
        return is_reduced(loop) && loop.strides[src_operand] == 1;
    });
    if (!found) return refused("no reduced axis has stride 1 in src");
    if (std::any_of(loops.begin(), loops.end(), is_reduced))
        return refused("the elements of a reduction are not contiguous in src");
    line = *found;
    return accepted();
}

/// Works out the problem for kernels of one ISA level.
refusal_t find_rows(const reduction_pd_t &pd, isa_t isa, reduction_problem_t &problem) {
    if (const refusal_t refusal = check_types(pd)) return refusal;
    row_reduction_spec_t &spec = problem.spec;
    spec.isa = isa;
    spec.src_type = pd.src().data_type;
    spec.dst_type = pd.dst().data_type;
    if (const refusal_t refusal = choose_arithmetic(pd, spec)) return refusal;
    operand_layouts_t layouts(pd);
    layouts.add(DNNL_ARG_SRC);
    layouts.add(DNNL_ARG_DST);
    if (const refusal_t refusal = add_post_ops(pd, layouts, spec.post_ops)) return refusal;
    auto loops = make_loops(layouts.mds());
    if (!loops) return refused("tensors are padded, or their blocks do not divide each other");
    row_mode_t line;
    if (const refusal_t refusal = take_reduced_line(*loops, layouts.mds().size(), line))
        return refusal;
    spec.line = line.extent;
    problem.operands = layouts.operands();
    problem.rows.emplace(layouts.mds().size(), std::move(*loops), origin_of(layouts.mds()));
    return accepted();
}

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
        dim_t row = begin;
        rows_.for_each_run(begin, end, [&](const row_run_t &run) {
            tiled_row_args_t args =
                    tiled_row_args(problem_.operands, rows_, bases, run, values ? chunks_ : line_);
            if (values) {
                args.operands[src_operand] = values + row * chunks_;
                args.pitches[src_operand] = chunks_ * static_cast<dim_t>(sizeof(float));
            }
            row_code_(args);
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
        (*chunk_code_)(args);
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

refusal_t rows_reduction_accept(reduction_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
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
