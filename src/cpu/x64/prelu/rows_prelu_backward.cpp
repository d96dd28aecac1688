// SPDX-License-Identifier: Apache-2.0
// Both gradients of PReLU as rows, in one pass over src and diff_dst. Where several elements share
// a weight, chunks of rows add up their terms of diff_weights in floats of their own, which are
// added up in double and in order at the end. Chunks are cut by the problem alone.

#include <algorithm>
#include <array>
#include <optional>

#include "common/integers.hpp"
#include "common/memory/data_type.hpp"
#include "common/primitive/primitive.hpp"
#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/jit/code/lazy_code.hpp"
#include "cpu/x64/layout/tensor_loops.hpp"
#include "cpu/x64/parallel_stores.hpp"
#include "cpu/x64/prelu/row_backward_kernel.hpp"
#include "cpu/x64/prelu/rows_prelu.hpp"
#include "cpu/x64/rows/elementwise_padding.hpp"
#include "cpu/x64/rows/half_page.hpp"
#include "cpu/x64/rows/weight_vectors.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64 {
namespace {

/// Elements of a piece of a long row, multiples of a tile's width: of a row with one weight, and of
/// a row in which each element has its own, so that weights and sums stay in the L1 cache.
constexpr dim_t summed_up_piece = 16384;
constexpr dim_t added_piece = 2048;
/// Elements of a chunk at least.
constexpr dim_t chunk_elements = 32768;
/// Weights whose sums are added up together, one by one or by a kernel.
constexpr dim_t weights_of_block = 64, weights_of_call = 4096;

constexpr size_t row_tensors[] = {prelu_diff_src, prelu_src, prelu_diff_dst};

/// What the kernel computes, where the rows lie, and how they are cut.
struct backward_problem_t {
    prelu_backward_spec_t spec;
    operands_t operands;
    row_mode_t line;
    /// Rows of other weights, and rows of the same ones; a row is one of each.
    std::optional<row_plan_t> kept, shared;
    dim_t kept_chunk = 1, shared_chunk = 1; // rows of a chunk
    dim_t bytes = 0;                        // of all operands

    bool are_stored() const { return spec.terms == prelu_terms_t::stored; }
    bool are_summed_up() const { return spec.terms == prelu_terms_t::summed_up; }
    /// Whether rows of the same weights are runs: where these rows are nearer to each other.
    bool goes_along_shared() const {
        return kept->rows() == 1
               || (shared->rows() > 1 && shared->pitches()[prelu_src] < kept->pitches()[prelu_src]);
    }
    dim_t piece() const { return are_summed_up() ? summed_up_piece : added_piece; }
    dim_t pieces() const { return divide_up(spec.line, piece()); } // of a row
    dim_t kept_chunks() const { return divide_up(kept->rows(), kept_chunk); }
    dim_t shared_chunks() const { return divide_up(shared->rows(), shared_chunk); }
    /// Different weights along a row, and at all.
    dim_t row_weights() const { return are_summed_up() ? 1 : spec.line; }
    dim_t weights() const { return kept->rows() * row_weights(); }
    /// Successive diff_weights that are adjacent: all, or those of a row.
    dim_t adjacent_weights() const {
        const bool are_within_row = row_weights() == 1 || line.strides[prelu_diff_weights] == 1;
        if (!are_within_row) return 1;
        const bool are_rows_adjacent = kept->run_length() == kept->rows()
                                       && kept->pitches()[prelu_diff_weights] == row_weights();
        return are_rows_adjacent ? weights() : row_weights();
    }
    /// Whether adjacent diff_weights are enough for vectors.
    bool has_vectors_of_totals() const {
        return !are_stored() && adjacent_weights() >= weights_of_block;
    }
    /// Chunks with terms of the same weights: sets of floats.
    dim_t sets() const { return shared_chunks() * (are_summed_up() ? pieces() : 1); }
};

/// Chunks go along what is adjacent in memory. They are so large that the time for adding up sets
/// of floats and for starting tasks is small.
void cut(backward_problem_t &problem) {
    const dim_t piece = std::min(problem.spec.line, problem.piece());
    const dim_t least = problem.are_summed_up() ? std::max<dim_t>(64 / piece, 1) : 16;
    const dim_t kept_rows = problem.goes_along_shared() ? 1 : problem.kept->rows();
    dim_t &shared_rows = problem.shared_chunk;
    shared_rows = std::max(least, divide_up(chunk_elements, kept_rows * problem.spec.line));
    if (const dim_t run = problem.shared->run_length(); kept_rows == 1 && shared_rows > run) {
        // Where rows of the next weights follow a run in memory, a chunk goes on with these.
        const bool is_followed = problem.kept->rows() > 1 && run >= least
                                 && problem.kept->pitches()[prelu_src] == run * problem.spec.line;
        shared_rows = is_followed ? run : shared_rows - shared_rows % run;
    }
    const dim_t rows = std::min(problem.shared_chunk, problem.shared->rows());
    problem.kept_chunk = divide_up(chunk_elements, rows * piece);
}

class backward_t final : public primitive_impl_t {
public:
    explicit backward_t(const backward_problem_t &problem)
        : problem_(problem)
        , kept_(*problem.kept)
        , shared_(*problem.shared)
        , can_be_non_temporal_(has_non_temporal_rows()) {
        codes_.get(problem_.spec, can_be_non_temporal_); // as for an aligned diff_src
        if (!problem_.has_vectors_of_totals()) return;
        const dim_t adjacent = problem_.adjacent_weights();
        const auto make = [&](std::optional<chunk_totals_t> &totals, dim_t count) {
            totals.emplace(problem_.spec.isa, count, problem_.spec.weights_type, problem_.sets(),
                    problem_.weights());
        };
        if (adjacent >= weights_of_call) make(whole_totals_, weights_of_call);
        if (adjacent % weights_of_call != 0) make(last_totals_, adjacent % weights_of_call);
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        const addresses_t bases = problem_.operands.bind(ctx);
        float *const sums = sums_at(ctx.scratchpad(), bases);
        const bool is_non_temporal =
                can_be_non_temporal_
                && problem_.operands.may_bypass_caches(bases, prelu_diff_src, kept_,
                        non_temporal_alignment(problem_.spec.isa, problem_.spec.type));
        const auto &kernel = codes_.get(problem_.spec, is_non_temporal);
        const dim_t chunks = problem_.shared_chunks() * problem_.kept_chunks() * problem_.pieces();
        parallel_stores(cpu::shares_of(chunks, problem_.bytes / chunks), is_non_temporal,
                [this, &kernel, &bases, sums](dim_t begin, dim_t end) {
                    for (dim_t chunk = begin; chunk < end; ++chunk)
                        execute_chunk(kernel, bases, sums, chunk);
                });
        if (problem_.has_vectors_of_totals())
            add_up_vectors(bases, sums);
        else if (!problem_.are_stored())
            add_up(bases, sums);
        return dnnl_success;
    }

private:
    /// Half a page from diff_src, which is stored before they are loaded.
    float *sums_at(std::byte *scratchpad, const addresses_t &bases) const {
        if (problem_.are_stored()) return nullptr;
        return reinterpret_cast<float *>(half_page_from(bases[prelu_diff_src], scratchpad));
    }

    struct range_t {
        dim_t begin, end;
    };
    static range_t part(dim_t index, dim_t size, dim_t count) {
        return {index * size, std::min((index + 1) * size, count)};
    }

    void execute_chunk(const jit::executable_code_t &kernel, const addresses_t &bases, float *sums,
            dim_t chunk) const {
        const dim_t pieces = problem_.pieces(), piece = chunk % pieces;
        const dim_t kept_chunks = problem_.kept_chunks(), rest = chunk / pieces;
        const range_t kept = part(rest % kept_chunks, problem_.kept_chunk, kept_.rows());
        const range_t shared = part(rest / kept_chunks, problem_.shared_chunk, shared_.rows());
        const range_t columns = part(piece, problem_.piece(), problem_.spec.line);
        const dim_t row_weights = problem_.row_weights();
        const bool are_summed_up = problem_.are_summed_up();
        float *set = nullptr; // with the sum of row 0's element columns.begin
        if (!problem_.are_stored()) {
            const dim_t index =
                    rest / kept_chunks * (are_summed_up ? pieces : 1) + (are_summed_up ? piece : 0);
            set = sums + index * problem_.weights() + (are_summed_up ? 0 : columns.begin);
            for (dim_t row = kept.begin; row < kept.end; ++row)
                std::fill_n(set + row * row_weights,
                        are_summed_up ? 1 : columns.end - columns.begin, 0.f);
        }
        const void *const first_row =
                problem_.operands.locate(bases, prelu_diff_src, kept_.offset_of(0, prelu_diff_src));
        const auto call = [&](dim_t rows, const row_offsets_t &one, const row_offsets_t &other,
                                  const row_plan_t &plan, dim_t row) {
            row_run_t run{rows, {}};
            for (size_t i = 0; i < prelu_backward_operands; ++i)
                run.offsets[i] = one[i] + other[i] + columns.begin * problem_.line.strides[i];
            prelu_backward_args_t args{tiled_row_args(problem_.operands, plan, bases, run,
                                               columns.end - columns.begin),
                    first_row};
            if (set != nullptr) {
                args.of_rows.operands[prelu_diff_weights] = set + row * row_weights;
                args.of_rows.pitches[prelu_diff_weights] =
                        &plan == &kept_ ? row_weights * static_cast<dim_t>(sizeof(float)) : 0;
            }
            kernel(args);
        };
        if (problem_.goes_along_shared()) {
            for (dim_t row = kept.begin; row < kept.end; ++row) {
                const row_offsets_t at = kept_.offsets_of(row);
                shared_.for_each_run(shared.begin, shared.end, [&](const row_run_t &run) {
                    call(run.count, at, run.offsets, shared_, row);
                });
            }
            return;
        }
        for (dim_t i = shared.begin; i < shared.end; ++i) {
            const row_offsets_t at = shared_.offsets_of(i);
            dim_t row = kept.begin;
            kept_.for_each_run(kept.begin, kept.end, [&](const row_run_t &run) {
                call(run.count, at, run.offsets, kept_, row);
                row += run.count;
            });
        }
    }

    /// diff_weights = the sums of all sets, a part of adjacent ones after the other.
    void add_up_vectors(const addresses_t &bases, const float *sums) const {
        const dim_t adjacent = problem_.adjacent_weights();
        const dim_t parts = divide_up(adjacent, weights_of_call);
        cpu::parallel_chunks(problem_.weights() / adjacent * parts, 1, [&](dim_t begin, dim_t end) {
            for (; begin < end; ++begin) {
                const dim_t first = begin % parts * weights_of_call;
                const bool is_whole = adjacent - first >= weights_of_call;
                const dim_t weight = begin / parts * adjacent,
                            row = weight / problem_.row_weights();
                const dim_t to = kept_.offset_of(row, prelu_diff_weights) + first;
                (is_whole ? whole_totals_ : last_totals_)
                        ->store(sums + weight + first,
                                moved(bases[prelu_diff_weights],
                                        problem_.operands[prelu_diff_weights].bytes(to)));
            }
        });
    }

    /// The same where diff_weights are not adjacent.
    void add_up(const addresses_t &bases, const float *sums) const {
        constexpr dim_t weights_of_task = 4096;
        const dim_t row_weights = problem_.row_weights();
        cpu::parallel_chunks(problem_.weights(), weights_of_task, [&](dim_t begin, dim_t end) {
            while (begin < end) {
                const dim_t row_end = (begin / row_weights + 1) * row_weights;
                const dim_t count = std::min({weights_of_block, row_end - begin, end - begin});
                add_up_block(bases, sums, begin, count);
                begin += count;
            }
        });
    }

    /// The same of a few weights of a row.
    void add_up_block(const addresses_t &bases, const float *sums, dim_t begin, dim_t count) const {
        const dim_t row_weights = problem_.row_weights(), weights = problem_.weights();
        std::array<double, weights_of_block> totals{};
        for (dim_t set = 0; set < problem_.sets(); ++set)
            for (dim_t i = 0; i < count; ++i)
                totals[static_cast<size_t>(i)] +=
                        static_cast<double>(sums[set * weights + begin + i]);
        const dim_t stride =
                problem_.are_summed_up() ? 0 : problem_.line.strides[prelu_diff_weights];
        const dim_t first = kept_.offset_of(begin / row_weights, prelu_diff_weights)
                            + begin % row_weights * stride;
        with_type(problem_.spec.weights_type, [&]<class T>(std::type_identity<T>) {
            for (dim_t i = 0; i < count; ++i)
                store_element(saturate_cast<T>(totals[static_cast<size_t>(i)]),
                        bases[prelu_diff_weights], first + i * stride);
        });
    }

    bool has_non_temporal_rows() const {
        const dim_t lanes = jit::lanes_of(problem_.spec.isa);
        return fills_half_of_cache(problem_.bytes)
               && (problem_.spec.is_shifted
                       || (suits_non_temporal_stores(
                                   problem_.spec.isa, problem_.spec.type, problem_.spec.line)
                               && kept_.keeps_alignment(prelu_diff_src, lanes)
                               && shared_.keeps_alignment(prelu_diff_src, lanes)));
    }

    const backward_problem_t &problem_; // the plan's
    const row_plan_t &kept_, &shared_;
    const bool can_be_non_temporal_;
    const jit::store_variants_t<prelu_backward_kernel_t> codes_;
    std::optional<chunk_totals_t> whole_totals_, last_totals_; // of the parts of a row
};

/// Whether elements along the loop have different weights.
bool is_kept(const row_mode_t &loop) { return loop.strides[prelu_diff_weights] != 0; }

refusal_t take_line(std::vector<row_mode_t> &loops, row_mode_t &line) {
    line = {1, {}};
    if (loops.empty()) return accepted();
    const auto found = take_line(loops, prelu_backward_operands,
            [](const row_mode_t &loop) { return loop.strides[prelu_diff_src] == 1; });
    if (!found) return refused("diff_src has no axis of stride 1");
    const row_offsets_t &strides = found->strides;
    if (strides[prelu_src] != 1 || strides[prelu_diff_dst] != 1 || strides[prelu_weights] < 0
            || strides[prelu_weights] > 1)
        return refused("a tensor is strided along the innermost axis of diff_src");
    line = *found;
    return accepted();
}

/// Whether rows of floats begin within cache lines, and most of their vectors would cross lines.
bool has_shifted_rows(const backward_problem_t &problem) {
    const auto &spec = problem.spec;
    const dim_t lanes = jit::lanes_of(spec.isa);
    return problem.are_summed_up() && spec.type == dnnl_f32 && spec.line > spec.tile_width()
           && has(spec.isa, feature_t::avx512_core)
           && !(problem.kept->keeps_alignment(prelu_diff_src, lanes)
                   && problem.shared->keeps_alignment(prelu_diff_src, lanes));
}

refusal_t find_rows(prelu_pd_t &pd, isa_t isa, backward_problem_t &problem) {
    if (has_zero_dim(pd.src())) return refused("src has no elements");
    operand_layouts_t layouts(pd);
    layouts.add(DNNL_ARG_DIFF_SRC, pd.diff_src());
    layouts.add(DNNL_ARG_SRC, pd.src());
    layouts.add(DNNL_ARG_DIFF_DST, pd.diff_dst());
    layouts.add_broadcast(DNNL_ARG_WEIGHTS, pd.weights());
    layouts.add_broadcast(DNNL_ARG_DIFF_WEIGHTS, pd.diff_weights());
    auto boxes = elementwise_boxes(layouts.mds());
    if (!boxes || boxes->size() != 1)
        return refused("tensors are padded differently, or their blocks do not divide each other");
    std::vector<row_mode_t> &loops = boxes->front().loops;
    if (const refusal_t refusal = take_line(loops, problem.line)) return refusal;
    std::vector<row_mode_t> kept, shared;
    for (const row_mode_t &loop : loops) (is_kept(loop) ? kept : shared).push_back(loop);
    prelu_backward_spec_t &spec = problem.spec;
    spec = {.isa = isa,
            .line = problem.line.extent,
            .type = pd.src().data_type,
            .weights_type = pd.weights().data_type,
            .weight_per_lane = problem.line.strides[prelu_weights] != 0};
    if (!is_kept(problem.line))
        spec.terms = prelu_terms_t::summed_up;
    else if (!shared.empty() || problem.line.strides[prelu_diff_weights] != 1)
        spec.terms = prelu_terms_t::added;
    problem.operands = layouts.operands();
    problem.bytes = layouts.bytes();
    spec.fetches_next_page = pays_to_fetch_next_page(problem.bytes);
    problem.kept.emplace(prelu_backward_operands, std::move(kept), boxes->front().origin);
    problem.shared.emplace(prelu_backward_operands, std::move(shared), row_offsets_t{});
    spec.keeps_sums = spec.terms == prelu_terms_t::added && problem.goes_along_shared()
                      && spec.line <= spec.tile_width();
    spec.is_shifted = has_shifted_rows(problem);
    spec.are_adjacent = std::all_of(std::begin(row_tensors), std::end(row_tensors),
            [&](size_t operand) { return problem.shared->pitches()[operand] == spec.line; });
    cut(problem);
    // Gradients of zeros are zeros, where weights are zeros, too.
    if (are_padded_alike(layouts.mds())) pd.set_implementation_pads();
    if (!problem.are_stored())
        pd.set_scratchpad_size(
                static_cast<size_t>(problem.sets() * problem.weights()) * sizeof(float)
                + page_bytes);
    return accepted();
}

} // namespace

refusal_t rows_prelu_backward_accept(prelu_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    return accept_plan_of<backward_t, backward_problem_t>(
            plan, [&](backward_problem_t &problem) { return find_rows(pd, isa, problem); });
}

} // namespace kiln::x64
