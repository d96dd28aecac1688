// SPDX-License-Identifier: Apache-2.0
// Layer normalization backward on rows as a primitive. The rows are cut into chunks by the problem
// alone: gradients of scale and shift are bit-identical for any number of threads.

#include <algorithm>
#include <optional>
#include <utility>

#include "common/integers.hpp"
#include "common/primitive/primitive.hpp"
#include "cpu/x64/jit/code/lazy_code.hpp"
#include "cpu/x64/layer_normalization/rank_rows.hpp"
#include "cpu/x64/layer_normalization/row_backward_kernel.hpp"
#include "cpu/x64/layer_normalization/rows.hpp"
#include "cpu/x64/parallel_stores.hpp"
#include "cpu/x64/rows/half_page.hpp"
#include "cpu/x64/rows/weight_vectors.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64::layer_normalization {
namespace {

using backward_t = backward_spec_t;

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
        std::string first = text_of_length(spec.length) + "\n";
        if (!has_weight_gradients()) return first;
        return first + "sums for scale and shift in " + std::to_string(chunks()) + " chunks of "
               + std::to_string(chunk_rows) + " rows\n";
    }
    bool has_weight_gradients() const { return gradient_type != dnnl_data_type_undef; }
    dim_t chunks() const { return divide_up(rows.rows(), chunk_rows); }
    /// Floats from the sums of a chunk for diff_scale to those for diff_shift.
    dim_t sums_pitch() const { return quarter_page_pitch(weight_floats_pitch(spec.length)); }
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
               && may_bypass_caches(spec.isa, backward_t::diff_src, bases);
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
            parallel_stores(plan_.rows.rows(), plan_.chunk_rows, wanted.is_non_temporal,
                    [this, &code, &bases, sums](dim_t begin, dim_t end) {
                        execute_chunk(code, bases, sums, begin, end);
                    });
        }
        if (!wanted.weights) return dnnl_success;
        return plan_.gradients.store(ctx, *totals_,
                {sums, plan_.chunks(), plan_.chunk_sums_pitch(), plan_.sums_pitch()}, diff_scale,
                diff_shift);
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
                [this, &sum_code, &bases, sums](dim_t begin, dim_t end) {
                    execute_chunk(sum_code, bases, sums, begin, end);
                });
        KILN_TRY(plan_.ranks.combine_sums(ctx));
        if (!wanted.diff_src) return dnnl_success;
        wanted.weights = false;
        const jit::executable_code_t &code = code_for(wanted);
        parallel_stores(plan_.rows.rows(), plan_.chunk_rows, wanted.is_non_temporal,
                [&](dim_t begin, dim_t end) {
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
            float *const shift_sums = to + plan_.sums_pitch();
            for (float *const sums_of_weight : {to, shift_sums})
                std::fill_n(sums_of_weight, weight_floats_pitch(plan_.spec.length), 0.f);
            bases[backward_t::diff_scale] = to;
            bases[backward_t::diff_shift] = shift_sums;
            execute_rows(first, last);
        };
        float *const total = sums + begin / plan_.chunk_rows * plan_.chunk_sums_pitch();
        dim_t first = std::min(end, begin + rows_backward_plan_t::part_rows);
        execute_and_sum(total, begin, first);
        float *const part = total + 2 * plan_.sums_pitch();
        while (first < end) {
            const dim_t last = std::min(end, first + rows_backward_plan_t::part_rows);
            execute_and_sum(part, first, last);
            for (const dim_t weight : {dim_t(0), plan_.sums_pitch()})
                for (dim_t i = weight; i < weight + plan_.spec.length; ++i) total[i] += part[i];
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

} // namespace

refusal_t accept_rows_backward(layer_normalization_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    backward_t spec;
    operand_layouts_t layouts(pd);
    const int axis = pd.src().ndims - 1;
    if (const refusal_t refusal = add_operands(layouts, pd, axis, spec, pd.combines_statistics()))
        return refusal;
    const auto made = std::make_shared<plan_of_t<rows_backward_t, rows_backward_plan_t>>(
            layouts.operands(), row_plan_t(axis, layouts.mds()));
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
    spec.describe(pd, pd.cols(), isa);
    const dim_t footprint = footprint_of(layouts);
    spec.is_streamed = fills_half_of_cache(footprint);
    spec.splits_stores = pays_to_split_stores(footprint);
    work.spec = std::move(spec);
    const dim_t scale_size = work.has_narrow_weights() ? work.sums_pitch() : 0;
    auto scratchpad = static_cast<size_t>(work.sums_size() + scale_size) * sizeof(float);
    work.ranks = rank_rows_t(pd, scratchpad);
    work.gradients = rank_gradients_t(pd, scratchpad);
    pd.set_scratchpad_size(scratchpad);
    plan = made;
    return accepted();
}

} // namespace kiln::x64::layer_normalization
