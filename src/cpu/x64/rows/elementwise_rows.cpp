// SPDX-License-Identifier: Apache-2.0
// The execution of elementwise operations as rows.

#include "cpu/x64/rows/elementwise_rows.hpp"

#include <algorithm>

#include "cpu/parallel.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64 {
namespace {

/// Elements of a piece; a multiple of a tile's width.
constexpr dim_t piece = 8192;

} // namespace

elementwise_rows_t::elementwise_rows_t(const elementwise_problem_t &problem)
    : problem_(problem)
    , rows_(*problem_.rows)
    , line_(problem_.spec.line)
    , pieces_(line_ < 2 * piece ? 1 : (line_ + piece - 1) / piece)
    , can_be_non_temporal_(has_non_temporal_rows()) {
    codes_.get(problem_.spec, can_be_non_temporal_); // as for an aligned dst
    for (const row_copy_t &copy : problem_.copies)
        copy_codes_.push_back(elementwise_kernel_t(copy.spec).finish());
}

status_t elementwise_rows_t::execute(const exec_ctx_t &ctx) const {
    addresses_t bases = problem_.operands.bind(ctx);
    for (size_t i = 0; i < problem_.copies.size(); ++i) copy(i, bases, ctx.scratchpad());
    const bool is_non_temporal = can_be_non_temporal_
                                 && !problem_.operands.has_alias(bases, elementwise_dst)
                                 && is_aligned(bases);
    const auto &kernel = codes_.get(problem_.spec, is_non_temporal);
    const dim_t items = rows_.rows() * pieces_;
    cpu::parallel_chunks(
            items, cpu::items_per_task(items, problem_.bytes / items), [&](dim_t begin, dim_t end) {
                if (pieces_ == 1)
                    execute_rows(kernel, bases, begin, end);
                else
                    execute_pieces(kernel, bases, begin, end);
                if (is_non_temporal) fence_non_temporal_stores();
            });
    return dnnl_success;
}

void elementwise_rows_t::copy(size_t index, addresses_t &bases, std::byte *scratchpad) const {
    const row_copy_t &copy = problem_.copies[index];
    tiled_row_args_t args{
            .rows = copy.rows, .length = copy.spec.line, .operands = {}, .pitches = {}};
    args.operands[elementwise_dst] = scratchpad + copy.place;
    args.operands[elementwise_src] = moved(bases[copy.operand], copy.offset);
    args.pitches[elementwise_dst] = problem_.operands[copy.operand].bytes(copy.spec.line);
    args.pitches[elementwise_src] = copy.pitch;
    copy_codes_[index](args);
    bases[copy.operand] = scratchpad + copy.place;
}

void elementwise_rows_t::execute_rows(const jit::executable_code_t &kernel,
        const addresses_t &bases, dim_t begin, dim_t end) const {
    rows_.for_each_run(begin, end, [&](const row_run_t &run) {
        tiled_row_args_t args = tiled_row_args(problem_.operands, rows_, bases, run, line_);
        kernel(args);
    });
}

void elementwise_rows_t::execute_pieces(const jit::executable_code_t &kernel,
        const addresses_t &bases, dim_t begin, dim_t end) const {
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

bool elementwise_rows_t::has_non_temporal_rows() const {
    constexpr dim_t many_vectors = 64; // a partial one besides costs little
    const dim_t lanes = jit::lanes_of(problem_.spec.isa);
    return fills_most_of_cache(problem_.bytes) && problem_.spec.has_non_temporal_stores()
           && (line_ % lanes == 0 || line_ >= many_vectors * lanes)
           && rows_.keeps_alignment(elementwise_dst, lanes);
}

bool elementwise_rows_t::is_aligned(const addresses_t &bases) const {
    const void *const dst =
            problem_.operands.locate(bases, elementwise_dst, rows_.offset_of(0, elementwise_dst));
    return are_aligned(dst, 0, non_temporal_alignment(problem_.spec.isa, problem_.spec.dst.type));
}

} // namespace kiln::x64
