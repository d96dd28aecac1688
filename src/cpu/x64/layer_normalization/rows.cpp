// SPDX-License-Identifier: Apache-2.0
// Layer normalization on rows as a primitive: which problems it takes, how rows are shared among
// threads, and how an execution stores its outputs.

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include "common/integers.hpp"
#include "common/one_of.hpp"
#include "common/primitive/primitive.hpp"
#include "cpu/parallel.hpp"
#include "cpu/x64/jit/code/lazy_code.hpp"
#include "cpu/x64/layer_normalization/accept.hpp"
#include "cpu/x64/layer_normalization/rank_rows.hpp"
#include "cpu/x64/layer_normalization/row_backward_kernel.hpp"
#include "cpu/x64/layer_normalization/row_forward_kernel.hpp"
#include "cpu/x64/rows/weight_vectors.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64::layer_normalization {
namespace {

using forward_t = forward_spec_t;
using backward_t = backward_spec_t;

/// What both directions work out.
struct rows_plan_t {
    rows_plan_t(const operand_layouts_t &layouts, int axis)
        : operands(layouts.operands())
        , rows(axis, layouts.mds()) {}

    operands_t operands;
    row_plan_t rows;
    data_type_t narrow_weights = dnnl_data_type_undef; // undef: weights are not converted

    bool has_narrow_weights() const { return narrow_weights != dnnl_data_type_undef; }
    /// Lets kernels read a vector of weights as floats, if converting it pays.
    void convert(size_t weights) {
        if (!converts_weights(operands[weights].type, rows.rows())) return;
        narrow_weights = operands[weights].type;
        operands.set_type(weights, dnnl_f32);
    }
    /// Sets operands and runs of rows that are cut at multiples of `cut` rows.
    void describe(kernel_spec_t &spec, dim_t cut) const {
        spec.operands = operands.rows_of(rows);
        spec.run_length = rows.run_length();
        spec.rows_unit = std::gcd(rows.run_length(), cut);
    }
    /// Whether all rows of an output are aligned for non-temporal stores if they are one run. Null
    /// buffers count as aligned.
    bool is_aligned(const kernel_spec_t &spec, size_t output, const addresses_t &bases) const {
        return are_aligned(operands.locate(bases, output, rows.offset_of(0, output)),
                spec.pitch(output), non_temporal_alignment(spec.isa, spec.type(output)));
    }
};

// ---- Forward

/// Scratch on the stack of each task: what the first-level cache holds.
constexpr dim_t scratch_bytes = 49152;

/// Calls `body` with the scratch. It is not inlined, so that callers without scratch have a small
/// stack frame.
template <typename body_t> [[gnu::noinline]] void with_scratch(const body_t &body) {
    alignas(64) std::byte scratch[scratch_bytes];
    body(scratch);
}

/// Whether a sum that is stored with non-temporal stores fits into the scratch, and into the
/// first-level cache beside the row and its weights.
bool has_scratch_for_sum(forward_t spec) {
    if (!spec.has(forward_t::sum)) return false;
    constexpr dim_t most_sum_bytes = 4096;
    const dim_t without_sum = scratch_size(spec);
    spec.is_sum_non_temporal = true;
    return scratch_size(spec) <= scratch_bytes
           && scratch_size(spec) - without_sum <= most_sum_bytes;
}

constexpr dim_t most_block_rows = 4;

/// Which outputs are stored with non-temporal stores.
struct non_temporal_t {
    bool dst, sum;
};

struct rows_forward_plan_t : rows_plan_t {
    using rows_plan_t::rows_plan_t;

    forward_t spec;             // with ordinary stores
    dim_t row_bytes = 0;        // of src, src_1, dst and sum
    bool is_large = false;      // too large for the cache, and all rows are one run
    bool can_store_sum = false; // with non-temporal stores
    rank_rows_t ranks;          // whose statistics the kernel is given

    /// The kernel that computes a rank's part of them.
    forward_t statistics_spec() const {
        forward_t only = spec;
        only.statistics = statistics_t::computed_and_stored;
        only.is_streamed = false;
        only.post_ops.clear();
        for (size_t i = 0; i < only.operands.size(); ++i)
            if (!one_of(static_cast<int>(i),
                        {forward_t::src, forward_t::mean, forward_t::variance, forward_t::rest}))
                only.operands[i] = {};
        return only;
    }
    std::string text() const {
        return rows.text() + " of " + std::to_string(spec.length) + " elements"
               + (is_large ? ", non-temporal stores where dst is aligned\n" : "\n");
    }
    non_temporal_t non_temporal_outputs(const addresses_t &bases) const {
        if (!is_large) return {false, false};
        return {is_non_temporal(forward_t::dst, bases),
                can_store_sum && is_non_temporal(forward_t::sum, bases)};
    }

private:
    bool is_non_temporal(size_t output, const addresses_t &bases) const {
        const bool is_in_place = bases[output] != nullptr
                                 && (bases[output] == bases[forward_t::src]
                                         || bases[output] == bases[forward_t::src_1]);
        return !is_in_place && spec.has_non_temporal_stores(output)
               && is_aligned(spec, output, bases);
    }
};

class rows_forward_t final : public primitive_impl_t {
public:
    explicit rows_forward_t(const rows_forward_plan_t &plan)
        : plan_(plan) {
        jit::code_batch_t batch;
        if (plan.has_narrow_weights())
            weight_floats_.emplace(plan.spec.isa, plan.spec.length, plan.narrow_weights);
        code_for(plan.non_temporal_outputs({}));
        if (plan.ranks.is_used())
            statistics_code_.emplace(row_forward_kernel_t(plan.statistics_spec()).finish());
        batch.finish();
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        addresses_t bases = plan_.operands.bind(ctx);
        if (plan_.ranks.is_used()) KILN_TRY(find_statistics(ctx, bases));
        const non_temporal_t non_temporal = plan_.non_temporal_outputs(bases);
        if (weight_floats_) {
            auto *floats = reinterpret_cast<float *>(ctx.scratchpad());
            for (const size_t weights : {forward_t::scale, forward_t::shift}) {
                bases[weights] = weight_floats_->convert(bases[weights], floats);
                floats += weight_floats_pitch(plan_.spec.length);
            }
        }
        const jit::executable_code_t &code = code_for(non_temporal);
        const auto execute_rows = [&](dim_t begin, dim_t end, std::byte *scratch) {
            call_for_each_run(code, plan_.operands, plan_.rows, bases, begin, end, scratch);
        };
        const bool needs_scratch = plan_.spec.keeps_results || non_temporal.sum;
        cpu::parallel_chunks(plan_.rows.rows(), rows_per_task(), [&](dim_t begin, dim_t end) {
            if (needs_scratch)
                with_scratch([&](std::byte *scratch) { execute_rows(begin, end, scratch); });
            else
                execute_rows(begin, end, nullptr);
        });
        return dnnl_success;
    }

private:
    const jit::executable_code_t &code_for(non_temporal_t outputs) const {
        return codes_[outputs.dst][outputs.sum].get([&] {
            forward_t spec = plan_.spec;
            spec.is_dst_non_temporal = outputs.dst;
            spec.is_sum_non_temporal = outputs.sum;
            return row_forward_kernel_t(spec).finish();
        });
    }

    /// Statistics over all ranks, which `bases` has then.
    status_t find_statistics(const exec_ctx_t &ctx, addresses_t &bases) const {
        const rank_rows_t::arrays_t arrays = plan_.ranks.arrays(ctx);
        bases[forward_t::mean] = arrays.center;
        bases[forward_t::rest] = arrays.rest;
        bases[forward_t::variance] = arrays.variance;
        cpu::parallel_chunks(plan_.rows.rows(), rows_per_task(), [&](dim_t begin, dim_t end) {
            call_for_each_run(*statistics_code_, plan_.operands, plan_.rows, bases, begin, end);
        });
        return plan_.ranks.combine_statistics(ctx);
    }

    dim_t rows_per_task() const {
        return round_up(cpu::items_per_task(plan_.rows.rows(), plan_.row_bytes), most_block_rows);
    }

    const rows_forward_plan_t &plan_;
    mutable std::array<std::array<jit::lazy_code_t, 2>, 2> codes_; // by non_temporal_t
    std::optional<weight_floats_t> weight_floats_;
    std::optional<jit::executable_code_t> statistics_code_; // if ranks combine statistics
};

refusal_t accept_forward(layer_normalization_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    forward_t spec;
    operand_layouts_t layouts(pd);
    const int axis = pd.src().ndims - 1;
    if (const refusal_t refusal = add_operands(layouts, pd, axis, spec, pd.combines_statistics()))
        return refusal;
    const auto made =
            std::make_shared<plan_of_t<rows_forward_t, rows_forward_plan_t>>(layouts, axis);
    rows_forward_plan_t &work = made->work;
    for (const size_t weights : {forward_t::scale, forward_t::shift}) work.convert(weights);
    size_t scratchpad = 0;
    if (work.has_narrow_weights())
        scratchpad = static_cast<size_t>(2 * weight_floats_pitch(pd.cols())) * sizeof(float);
    work.ranks = rank_rows_t(pd, scratchpad);
    pd.set_scratchpad_size(scratchpad);
    for (const size_t i : {forward_t::src, forward_t::dst, forward_t::src_1, forward_t::sum})
        work.row_bytes += work.operands[i].bytes(pd.cols());
    const dim_t footprint = pd.rows() * work.row_bytes;
    work.is_large =
            work.rows.is_one_run()
            && (pd.has_src_1() ? fills_half_of_cache(footprint) : fills_most_of_cache(footprint));
    work.describe(spec, most_block_rows);
    spec.describe(pd, isa);
    if (work.ranks.is_used()) spec.statistics = statistics_t::given;
    spec.is_streamed = fills_half_of_cache(footprint);
    spec.keeps_results = pd.has_row_scale();
    if (scratch_size(spec) > scratch_bytes) spec.keeps_results = false;
    work.can_store_sum = has_scratch_for_sum(spec);
    work.spec = std::move(spec);
    plan = made;
    return accepted();
}

// ---- Backward. The rows are cut into chunks by the problem alone: gradients of scale and shift
// are bit-identical for any number of threads.

/// Enough chunks for any number of threads that pays. Each has enough elements to be worth a
/// thread, and enough rows that clearing its sums and adding them to the others' takes little of
/// the time.
dim_t choose_chunk_rows(dim_t rows, dim_t cols) {
    constexpr dim_t most_chunks = 16, least_elements = 16384, least_rows = 8;
    const dim_t wanted = std::min({most_chunks, rows * cols / least_elements, rows / least_rows});
    const dim_t chunks = std::max(dim_t(1), wanted);
    return divide_up(rows, chunks);
}

/// What an execution asks for.
struct outputs_t {
    bool diff_src;
    bool weights;         // diff_scale or diff_shift
    bool is_non_temporal; // diff_src is stored with non-temporal stores
};

struct rows_backward_plan_t : rows_plan_t {
    using rows_plan_t::rows_plan_t;

    backward_t spec;                                  // with all outputs, and ordinary stores
    data_type_t gradient_type = dnnl_data_type_undef; // of diff_scale and diff_shift; undef: none
    dim_t chunk_rows = 1;
    rank_rows_t ranks;          // that combine the sums of rows,
    rank_gradients_t gradients; // or those for scale and shift

    std::string text() const {
        std::string first = rows.text() + " of " + std::to_string(spec.length) + " elements\n";
        if (!has_weight_gradients()) return first;
        return first + "sums for scale and shift in " + std::to_string(chunks()) + " chunks of "
               + std::to_string(chunk_rows) + " rows\n";
    }
    bool has_weight_gradients() const { return gradient_type != dnnl_data_type_undef; }
    dim_t chunks() const { return divide_up(rows.rows(), chunk_rows); }
    /// Floats from the sums of a chunk for diff_scale to those for diff_shift.
    dim_t sums_pitch() const { return weight_floats_pitch(spec.length); }
    /// Long chunks are summed in parts of so many rows, whose sums are added to the chunk's: sums
    /// of many floats one after the other lose digits.
    static constexpr dim_t part_rows = 256;
    bool has_parts() const { return chunk_rows > part_rows; }
    /// Floats from a chunk's sums, which those of its current part follow, to the next chunk's.
    dim_t chunk_sums_pitch() const { return (has_parts() ? 4 : 2) * sums_pitch(); }
    /// Floats of all chunks' sums. They come first in the scratchpad, the converted scale follows.
    dim_t sums_size() const { return has_weight_gradients() ? chunks() * chunk_sums_pitch() : 0; }
    /// Whether diff_src is stored with non-temporal stores.
    bool is_non_temporal(const addresses_t &bases) const {
        return spec.is_streamed && rows.is_one_run()
               && !operands.has_alias(bases, backward_t::diff_src)
               && is_aligned(spec, backward_t::diff_src, bases);
    }
};

class rows_backward_t final : public primitive_impl_t {
public:
    explicit rows_backward_t(const rows_backward_plan_t &plan)
        : plan_(plan) {
        const backward_t &spec = plan.spec;
        jit::code_batch_t batch;
        const bool is_split = plan.ranks.is_used();
        code_for({.diff_src = true,
                .weights = plan.has_weight_gradients() && !is_split,
                .is_non_temporal = plan.is_non_temporal({})});
        if (is_split)
            code_for({.diff_src = false,
                    .weights = plan.has_weight_gradients(),
                    .is_non_temporal = false});
        if (plan.has_narrow_weights())
            weight_floats_.emplace(spec.isa, spec.length, plan.narrow_weights);
        if (plan.has_weight_gradients())
            totals_.emplace(spec.isa, spec.length, plan.gradient_type, plan.chunks(),
                    plan.chunk_sums_pitch());
        batch.finish();
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        addresses_t bases = plan_.operands.bind(ctx);
        void *const diff_scale = bases[backward_t::diff_scale];
        void *const diff_shift = bases[backward_t::diff_shift];
        const bool wants_diff_src = bases[backward_t::diff_src] != nullptr;
        const outputs_t wanted{.diff_src = wants_diff_src,
                .weights = diff_scale != nullptr || diff_shift != nullptr,
                .is_non_temporal = wants_diff_src && plan_.is_non_temporal(bases)};
        if (!wanted.diff_src && !wanted.weights) return dnnl_success;
        auto *const sums = reinterpret_cast<float *>(ctx.scratchpad());
        if (weight_floats_)
            bases[backward_t::scale] =
                    weight_floats_->convert(bases[backward_t::scale], sums + plan_.sums_size());
        if (plan_.ranks.is_used()) {
            KILN_TRY(execute_split(ctx, wanted, bases, sums));
        } else {
            const jit::executable_code_t &code = code_for(wanted);
            cpu::parallel_chunks(plan_.rows.rows(), plan_.chunk_rows,
                    [&](dim_t begin, dim_t end) { execute_chunk(code, bases, sums, begin, end); });
        }
        if (!wanted.weights) return dnnl_success;
        if (plan_.gradients.is_used())
            return plan_.gradients.store(ctx,
                    {sums, plan_.chunks(), plan_.chunk_sums_pitch(), plan_.sums_pitch()},
                    diff_scale, diff_shift);
        totals_->store(sums, diff_scale);
        totals_->store(sums + plan_.sums_pitch(), diff_shift);
        return dnnl_success;
    }

private:
    const jit::executable_code_t &code_for(outputs_t outputs) const {
        jit::lazy_code_t &code = codes_[outputs.diff_src][outputs.weights][outputs.is_non_temporal];
        return code.get([&] {
            backward_t spec = plan_.spec;
            if (!outputs.diff_src) spec.operands[backward_t::diff_src] = {};
            if (!outputs.weights) spec.leave_out_weight_gradients();
            spec.is_non_temporal = outputs.is_non_temporal;
            return row_backward_kernel_t(spec).finish();
        });
    }

    /// A sweep for the sums, which ranks combine; another one for diff_src.
    status_t execute_split(
            const exec_ctx_t &ctx, outputs_t wanted, addresses_t bases, float *sums) const {
        const rank_rows_t::arrays_t arrays = plan_.ranks.arrays(ctx);
        bases[backward_t::sum_g] = arrays.first;
        bases[backward_t::sum_gd] = arrays.second;
        const jit::executable_code_t &sum_code =
                code_for({.diff_src = false, .weights = wanted.weights, .is_non_temporal = false});
        cpu::parallel_chunks(plan_.rows.rows(), plan_.chunk_rows,
                [&](dim_t begin, dim_t end) { execute_chunk(sum_code, bases, sums, begin, end); });
        KILN_TRY(plan_.ranks.combine_sums(ctx));
        if (!wanted.diff_src) return dnnl_success;
        wanted.weights = false;
        const jit::executable_code_t &code = code_for(wanted);
        cpu::parallel_chunks(plan_.rows.rows(), plan_.chunk_rows, [&](dim_t begin, dim_t end) {
            call_for_each_run(code, plan_.operands, plan_.rows, bases, begin, end);
        });
        return dnnl_success;
    }

    void execute_chunk(const jit::executable_code_t &code, addresses_t bases, float *sums,
            dim_t begin, dim_t end) const {
        const auto execute_rows = [&](dim_t first, dim_t last) {
            call_for_each_run(code, plan_.operands, plan_.rows, bases, first, last);
        };
        if (!plan_.has_weight_gradients()) return execute_rows(begin, end);
        const auto execute_and_sum = [&](float *to, dim_t first, dim_t last) {
            std::fill_n(to, 2 * plan_.sums_pitch(), 0.f);
            bases[backward_t::diff_scale] = to;
            bases[backward_t::diff_shift] = to + plan_.sums_pitch();
            execute_rows(first, last);
        };
        float *const total = sums + begin / plan_.chunk_rows * plan_.chunk_sums_pitch();
        dim_t first = std::min(end, begin + rows_backward_plan_t::part_rows);
        execute_and_sum(total, begin, first);
        float *const part = total + 2 * plan_.sums_pitch();
        while (first < end) {
            const dim_t last = std::min(end, first + rows_backward_plan_t::part_rows);
            execute_and_sum(part, first, last);
            for (dim_t i = 0; i < 2 * plan_.sums_pitch(); ++i) total[i] += part[i];
            first = last;
        }
    }

    const rows_backward_plan_t &plan_;
    mutable jit::lazy_code_t codes_[2][2][2];      // by outputs_t
    std::optional<chunk_totals_t> totals_;         // if there are weight gradients
    std::optional<weight_floats_t> weight_floats_; // if scale is converted
};

/// Bytes that a call reads and writes, statistics and weights aside.
dim_t footprint_of(const operand_layouts_t &layouts) {
    dim_t bytes = 0;
    for (size_t i = 0; i < layouts.mds().size(); ++i)
        if (i < backward_t::stepped || i >= backward_t::first_post_op)
            bytes += layouts.operands()[i].bytes(element_count(*layouts.mds()[i]));
    return bytes;
}

refusal_t accept_backward(layer_normalization_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    backward_t spec;
    operand_layouts_t layouts(pd);
    const int axis = pd.src().ndims - 1;
    if (const refusal_t refusal = add_operands(layouts, pd, axis, spec, pd.combines_statistics()))
        return refusal;
    const auto made =
            std::make_shared<plan_of_t<rows_backward_t, rows_backward_plan_t>>(layouts, axis);
    rows_backward_plan_t &work = made->work;
    // Chunks have sums for both of diff_scale and diff_shift if either is an output.
    for (const size_t i : {backward_t::diff_scale, backward_t::diff_shift})
        if (work.operands[i].type != dnnl_data_type_undef) {
            work.gradient_type = work.operands[i].type;
            work.operands.set_type(i, dnnl_f32);
        }
    work.convert(backward_t::scale);
    work.chunk_rows = choose_chunk_rows(pd.rows(), pd.cols());
    work.describe(spec, work.chunk_rows);
    spec.describe(pd, isa);
    spec.is_streamed = fills_half_of_cache(footprint_of(layouts));
    work.spec = std::move(spec);
    const dim_t scale_size = work.has_narrow_weights() ? work.sums_pitch() : 0;
    auto scratchpad = static_cast<size_t>(work.sums_size() + scale_size) * sizeof(float);
    work.ranks = rank_rows_t(pd, scratchpad);
    work.gradients = rank_gradients_t(pd, scratchpad);
    pd.set_scratchpad_size(scratchpad);
    plan = made;
    return accepted();
}

} // namespace

refusal_t accept_rows(layer_normalization_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    if (const refusal_t refusal = check_operands(pd)) return refusal;
    constexpr dim_t most_cols = dim_t(1) << 28; // a displacement of 32 bits reaches their floats
    if (pd.cols() > most_cols) return refused("rows of more than 2^28 elements");
    for (const memory_desc_t *md : tensors_of(pd))
        if (!is_zero(*md) && !has_dense_rows(*md))
            return refused("the normalized axis is not innermost in every tensor");
    if (pd.has_row_scale() && !is_plain(pd.row_scale()))
        return refused("the scales of rows in a blocked layout");
    return pd.is_forward() ? accept_forward(pd, isa, plan) : accept_backward(pd, isa, plan);
}

} // namespace kiln::x64::layer_normalization
