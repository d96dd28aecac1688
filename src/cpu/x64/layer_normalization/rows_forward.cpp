// SPDX-License-Identifier: Apache-2.0
// Layer normalization forward on rows as a primitive: how rows are shared among threads, and how an
// execution stores its outputs.

#include <array>
#include <optional>
#include <utility>

#include "common/one_of.hpp"
#include "common/primitive/primitive.hpp"
#include "cpu/x64/jit/code/lazy_code.hpp"
#include "cpu/x64/layer_normalization/rank_rows.hpp"
#include "cpu/x64/layer_normalization/row_forward_kernel.hpp"
#include "cpu/x64/layer_normalization/rows.hpp"
#include "cpu/x64/parallel_stores.hpp"
#include "cpu/x64/rows/stack_memory.hpp"
#include "cpu/x64/rows/weight_vectors.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64::layer_normalization {
namespace {

using forward_t = forward_spec_t;

/// Scratch on the stack of each task: what the first-level cache holds.
constexpr dim_t scratch_bytes = 49152;

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
        return text_of_length(spec.length)
               + (is_large ? ", non-temporal stores where dst is aligned\n" : "\n");
    }
    non_temporal_t non_temporal_outputs(const addresses_t &bases) const {
        if (!is_large) return {false, false};
        return {is_non_temporal(forward_t::dst, bases),
                can_store_sum && is_non_temporal(forward_t::sum, bases)};
    }

private:
    bool is_non_temporal(size_t output, const addresses_t &bases) const {
        return spec.has_non_temporal_stores(output) && may_bypass_caches(spec.isa, output, bases);
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
        const auto execute_rows = [&code, &bases, this](
                                          dim_t begin, dim_t end, std::byte *scratch) {
            call_for_each_run(code, plan_.operands, plan_.rows, bases, begin, end, scratch);
        };
        const bool needs_scratch = plan_.spec.keeps_results || non_temporal.sum;
        parallel_stores(plan_.shares_of_rows(plan_.row_bytes, plan_.spec.length),
                non_temporal.dst || non_temporal.sum,
                [execute_rows, needs_scratch](dim_t begin, dim_t end) {
                    if (needs_scratch)
                        with_stack_memory<scratch_bytes>(
                                [&](std::byte *scratch) { execute_rows(begin, end, scratch); });
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
        cpu::parallel_shares(plan_.shares_of_rows(plan_.row_bytes, plan_.spec.length),
                [&](dim_t begin, dim_t end) {
                    call_for_each_run(
                            *statistics_code_, plan_.operands, plan_.rows, bases, begin, end);
                });
        return plan_.ranks.combine_statistics(ctx);
    }

    const rows_forward_plan_t &plan_;
    mutable std::array<std::array<jit::lazy_code_t, 2>, 2> codes_; // by non_temporal_t
    std::optional<weight_floats_t> weight_floats_;
    std::optional<jit::executable_code_t> statistics_code_; // if ranks combine statistics
};

} // namespace

refusal_t accept_rows_forward(layer_normalization_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    forward_t spec;
    operand_layouts_t layouts(pd);
    const int axis = pd.src().ndims - 1;
    if (const refusal_t refusal = add_operands(layouts, pd, axis, spec, pd.combines_statistics()))
        return refusal;
    const auto made = std::make_shared<plan_of_t<rows_forward_t, rows_forward_plan_t>>(
            layouts.operands(), row_plan_t(axis, layouts.mds()));
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
    spec.describe(pd, pd.cols(), isa);
    if (work.ranks.is_used()) spec.statistics = statistics_t::given;
    spec.is_streamed = fills_half_of_cache(footprint);
    spec.keeps_results = pd.has_row_scale();
    if (scratch_size(spec) > scratch_bytes) spec.keeps_results = false;
    work.can_store_sum = has_scratch_for_sum(spec);
    work.spec = std::move(spec);
    plan = made;
    return accepted();
}

} // namespace kiln::x64::layer_normalization
