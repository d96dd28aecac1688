// SPDX-License-Identifier: Apache-2.0
// Layer normalization on columns as a primitive: which problems it takes, and how columns are
// shared among threads.

#include <algorithm>
#include <cstring>
#include <optional>

#include "common/integers.hpp"
#include "cpu/x64/columns/column_primitive.hpp"
#include "cpu/x64/jit/code/lazy_code.hpp"
#include "cpu/x64/layer_normalization/accept.hpp"
#include "cpu/x64/layer_normalization/column_kernels.hpp"
#include "cpu/x64/layer_normalization/rank_rows.hpp"
#include "cpu/x64/parallel_stores.hpp"
#include "cpu/x64/rows/weight_vectors.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64::layer_normalization {
namespace {

using forward_t = forward_spec_t;
using backward_t = backward_spec_t;

/// What both directions work out.
template <typename spec_t> struct columns_plan_t : column_plan_t<spec_t> {
    using column_plan_t<spec_t>::columns, column_plan_t<spec_t>::spec;

    refusal_t init(const layer_normalization_pd_t &pd, isa_t isa, size_t output) {
        operand_layouts_t layouts(pd);
        if (const refusal_t refusal =
                        add_operands(layouts, pd, nearest_axis(pd.src(), pd.src().ndims - 1), spec))
            return refusal;
        columns.emplace(layouts, isa, pd.src().ndims - 1, spec_t::stepped, spec_t::held, output,
                spec.needs_many_registers());
        columns->describe(spec);
        spec.describe(pd, pd.cols(), isa);
        return columns->check_adjacent();
    }
};

// ---- Forward

refusal_t accept_forward(layer_normalization_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    using work_t = columns_plan_t<forward_t>;
    using primitive_t = column_primitive_t<column_forward_kernel_t, work_t>;
    return accept_plan_of<primitive_t, work_t>(plan, [&](work_t &work) {
        const refusal_t refusal = work.init(pd, isa, forward_t::dst);
        work.spec.is_streamed = !refusal && fills_most_of_cache(work.columns->footprint());
        return refusal;
    });
}

// ---- Backward. The columns are cut into chunks by the problem alone: gradients of scale and shift
// are bit-identical for any number of threads.

/// Enough chunks for any number of threads that pays; few enough that adding up their sums, which
/// are as long as a vector's lanes of columns each, takes little of the time. A power of two, so
/// that few threads get equal shares.
dim_t choose_chunks(dim_t columns, dim_t steps, dim_t lanes) {
    constexpr dim_t most_chunks = 16, least_elements = 32768;
    const dim_t least_columns = std::max(4 * lanes, divide_up(least_elements, steps));
    dim_t chunks = most_chunks;
    while (chunks > 1 && columns / chunks < least_columns) chunks /= 2;
    return chunks;
}

struct columns_backward_plan_t : columns_plan_t<backward_t> {
    data_type_t gradient_type = dnnl_data_type_undef; // of diff_scale and diff_shift; undef: none
    dim_t lanes = 0;
    dim_t chunk_tiles = 0;
    rank_gradients_t gradients; // that ranks combine

    dim_t chunks() const { return divide_up(columns->tiles(), chunk_tiles); }
    /// The scratchpad has, in floats, the sums of each chunk, those of diff_scale first; then, for
    /// each chunk, the sums of each lane.
    dim_t sums() const { return 2 * spec.length; }
    dim_t lane_sums() const { return sums() * lanes; }
    size_t scratchpad_size() const {
        return spec.has_weight_gradients()
                       ? static_cast<size_t>(chunks() * (lane_sums() + sums())) * sizeof(float)
                       : 0;
    }
};

/// Four floats, which the compiler adds by one instruction.
using four_floats_t [[gnu::vector_size(16)]] = float;

four_floats_t load_four(const float *from) {
    four_floats_t four;
    std::memcpy(&four, from, sizeof(four));
    return four;
}

/// Adds the lanes of each sum to it. A step has the lanes for diff_scale, then those for
/// diff_shift.
void add_up_lanes(const float *lane_sums, dim_t lanes, dim_t steps, float *sums) {
    for (dim_t step = 0; step < steps; ++step)
        for (const dim_t first : {dim_t(0), steps}) {
            four_floats_t four = load_four(lane_sums);
            for (dim_t lane = 4; lane < lanes; lane += 4) four += load_four(lane_sums + lane);
            sums[first + step] += (four[0] + four[2]) + (four[1] + four[3]);
            lane_sums += lanes;
        }
}

class columns_backward_t final : public primitive_impl_t {
public:
    explicit columns_backward_t(const columns_backward_plan_t &plan)
        : plan_(plan) {
        const backward_t &spec = plan.spec;
        jit::code_batch_t batch;
        code_for(spec.has_weight_gradients());
        if (spec.has_weight_gradients())
            totals_.emplace(spec.isa, spec.length, plan.gradient_type, plan.chunks(), plan.sums());
        batch.finish();
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        const operands_t &operands = plan_.columns->operands();
        const addresses_t bases = operands.bind(ctx);
        void *const diff_scale = bases[backward_t::diff_scale];
        void *const diff_shift = bases[backward_t::diff_shift];
        const bool wants_weights = diff_scale != nullptr || diff_shift != nullptr;
        const jit::executable_code_t &code = code_for(wants_weights);
        const bool non_temporal = plan_.spec.is_streamed && bases[backward_t::diff_src] != nullptr
                                  && !operands.has_alias(bases, backward_t::diff_src);
        auto *const sums = wants_weights ? reinterpret_cast<float *>(ctx.scratchpad()) : nullptr;
        parallel_stores(plan_.columns->tiles(), plan_.chunk_tiles, non_temporal,
                [this, &code, &bases, non_temporal, sums](dim_t begin, dim_t end) {
                    execute_chunk(code, bases, non_temporal, sums, begin, end);
                });
        if (!wants_weights) return dnnl_success;
        return plan_.gradients.store(ctx, *totals_,
                {sums, plan_.chunks(), plan_.sums(), plan_.spec.length}, diff_scale, diff_shift);
    }

private:
    const jit::executable_code_t &code_for(bool weights) const {
        return codes_[weights].get([&] {
            backward_t spec = plan_.spec;
            if (!weights) spec.leave_out_weight_gradients();
            return column_backward_kernel_t(spec).finish();
        });
    }

    void execute_chunk(const jit::executable_code_t &code, const addresses_t &bases,
            bool non_temporal, float *sums, dim_t begin, dim_t end) const {
        if (!sums) return plan_.columns->call(code, bases, non_temporal, begin, end);
        // Sums of many floats one after the other lose digits.
        constexpr dim_t most_tiles = 256;
        const dim_t chunk = begin / plan_.chunk_tiles;
        float *const lane_sums = sums + plan_.chunks() * plan_.sums() + chunk * plan_.lane_sums();
        float *const totals = sums + chunk * plan_.sums();
        std::fill_n(totals, plan_.sums(), 0.f);
        for (dim_t last; begin < end; begin = last) {
            last = std::min(end, begin + most_tiles);
            std::fill_n(lane_sums, plan_.lane_sums(), 0.f);
            plan_.columns->call(code, bases, non_temporal, begin, last, lane_sums);
            add_up_lanes(lane_sums, plan_.lanes, plan_.spec.length, totals);
        }
    }

    const columns_backward_plan_t &plan_;
    mutable jit::lazy_code_t codes_[2];    // without and with weight gradients
    std::optional<chunk_totals_t> totals_; // if there are weight gradients
};

refusal_t accept_backward(layer_normalization_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    using work_t = columns_backward_plan_t;
    return accept_plan_of<columns_backward_t, work_t>(plan, [&](work_t &work) {
        if (const refusal_t refusal = work.init(pd, isa, backward_t::diff_src)) return refusal;
        work.spec.is_streamed = fills_half_of_cache(work.columns->footprint());
        work.gradient_type = pd.diff_scale_shift().data_type;
        work.lanes = jit::lanes_of(isa);
        work.chunk_tiles = divide_up(
                work.columns->tiles(), choose_chunks(work.columns->count(), pd.cols(), work.lanes));
        size_t scratchpad = work.scratchpad_size();
        work.gradients = rank_gradients_t(pd, scratchpad);
        pd.set_scratchpad_size(scratchpad);
        return accepted();
    });
}

/// What the C interface cannot ask for.
refusal_t refuse_extensions(const layer_normalization_pd_t &pd) {
    if (pd.has_src_1() || pd.has_sum()) return refused("src_1 is added to src");
    if (pd.has_row_scale()) return refused("dst has a scale for each row");
    if (pd.combines_statistics()) return refused("ranks combine statistics");
    if (!pd.is_forward() && !pd.attr().post_ops.entries.empty())
        return refused("post-ops are applied to diff_src");
    return accepted();
}

} // namespace

refusal_t accept_columns(layer_normalization_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    if (const refusal_t refusal = check_operands(pd)) return refusal;
    if (const refusal_t refusal = refuse_extensions(pd)) return refusal;
    for (const memory_desc_t *md : tensors_of(pd))
        if (!is_zero(*md) && !is_plain(*md)) return refused("a tensor has a blocked layout");
    return pd.is_forward() ? accept_forward(pd, isa, plan) : accept_backward(pd, isa, plan);
}

} // namespace kiln::x64::layer_normalization
