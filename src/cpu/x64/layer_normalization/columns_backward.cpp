// SPDX-License-Identifier: Apache-2.0
// Layer normalization backward on columns as a primitive. The columns are cut into chunks by the
// problem alone: gradients of scale and shift are bit-identical for any number of threads.

#include <algorithm>
#include <cstring>
#include <optional>

#include "common/primitive/primitive.hpp"
#include "cpu/parallel.hpp"
#include "cpu/x64/columns/column_execution.hpp"
#include "cpu/x64/jit/code/lazy_code.hpp"
#include "cpu/x64/layer_normalization/column_backward_kernel.hpp"
#include "cpu/x64/layer_normalization/passes.hpp"
#include "cpu/x64/rows/chunk_sums.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64::layer_normalization {
namespace {

using spec_t = column_backward_spec_t;

dim_t divided_up(dim_t count, dim_t divisor) { return (count + divisor - 1) / divisor; }

/// Enough chunks for any number of threads that pays; few enough that adding up their sums, which
/// are as long as a vector's lanes of columns each, takes little of the time. A power of two, so
/// that few threads get equal shares.
dim_t choose_chunks(dim_t columns, dim_t steps, dim_t lanes) {
    constexpr dim_t most_chunks = 16, least_elements = 32768;
    const dim_t least_columns = std::max(4 * lanes, divided_up(least_elements, steps));
    dim_t chunks = most_chunks;
    while (chunks > 1 && columns / chunks < least_columns) chunks /= 2;
    return chunks;
}

struct columns_backward_plan_t final : plan_t {
    columns_backward_plan_t(const columns_t &of, const spec_t &kernel, data_type_t gradient)
        : columns(of)
        , spec(kernel)
        , gradient_type(gradient)
        , tiles(of.plan(), tile_width(kernel.isa, true, kernel.line))
        , lanes(jit::lanes_of(kernel.isa))
        , chunk_tiles(
                  divided_up(tiles.count(), choose_chunks(of.plan().rows(), kernel.steps, lanes))) {
    }

    std::unique_ptr<primitive_impl_t> create(const primitive_desc_t &pd) const override;

    dim_t chunks() const { return divided_up(tiles.count(), chunk_tiles); }
    /// The scratchpad has, in floats, the sums of each chunk, those of diff_scale first; then, for
    /// each chunk, the sums of each lane.
    dim_t sums() const { return 2 * spec.steps; }
    dim_t lane_sums() const { return sums() * lanes; }
    size_t scratchpad_size() const {
        return spec.has_weight_gradients
                       ? static_cast<size_t>(chunks() * (lane_sums() + sums())) * sizeof(float)
                       : 0;
    }

    const columns_t columns;
    const spec_t spec;
    const data_type_t gradient_type; // of diff_scale and diff_shift; undef: none
    const column_tiles_t tiles;
    const dim_t lanes;
    const dim_t chunk_tiles;
};

/// Four floats, which the compiler adds by one instruction.
using four_floats_t [[gnu::vector_size(16)]] = float;

four_floats_t load_four(const float *from) {
    four_floats_t four;
    std::memcpy(&four, from, sizeof(four));
    return four;
}

/// Adds up the lanes of each sum. A step has the lanes for diff_scale, then those for diff_shift.
void add_up_lanes(const float *lane_sums, dim_t lanes, dim_t steps, float *sums) {
    for (dim_t step = 0; step < steps; ++step)
        for (const dim_t first : {dim_t(0), steps}) {
            four_floats_t four = load_four(lane_sums);
            for (dim_t lane = 4; lane < lanes; lane += 4) four += load_four(lane_sums + lane);
            sums[first + step] = (four[0] + four[2]) + (four[1] + four[3]);
            lane_sums += lanes;
        }
}

class columns_backward_t final : public primitive_impl_t {
public:
    columns_backward_t(
            const columns_backward_plan_t &plan, int diff_scale_slot, int diff_shift_slot)
        : plan_(plan)
        , code_(column_backward_kernel_t(plan.spec).finish())
        , diff_scale_slot_(diff_scale_slot)
        , diff_shift_slot_(diff_shift_slot) {
        if (plan.spec.has_weight_gradients)
            totals_.emplace(plan.spec.isa, plan.spec.steps, plan.gradient_type);
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        void *const diff_scale = ctx.output(diff_scale_slot_);
        void *const diff_shift = ctx.output(diff_shift_slot_);
        const bool wants_weights = diff_scale != nullptr || diff_shift != nullptr;
        const jit::executable_code_t &code =
                wants_weights == plan_.spec.has_weight_gradients ? code_ : data_only_code();
        const operands_t &operands = plan_.columns.operands();
        const addresses_t bases = operands.bind(ctx);
        const bool non_temporal = bases[spec_t::diff_src] != nullptr
                                  && !operands.has_alias(bases, spec_t::diff_src)
                                  && fills_half_of_cache(plan_.columns.footprint());
        auto *const sums = wants_weights ? reinterpret_cast<float *>(ctx.scratchpad()) : nullptr;
        cpu::parallel_chunks(plan_.tiles.count(), plan_.chunk_tiles, [&](dim_t begin, dim_t end) {
            execute_chunk(code, bases, non_temporal, sums, begin, end);
        });
        const auto store = [&](dim_t first, void *to) {
            if (to != nullptr) totals_->store({sums + first, plan_.chunks(), plan_.sums()}, to);
        };
        store(0, diff_scale);
        store(plan_.spec.steps, diff_shift);
        return dnnl_success;
    }

private:
    const jit::executable_code_t &data_only_code() const {
        return data_only_code_.get([this] {
            spec_t spec = plan_.spec;
            spec.has_weight_gradients = false;
            return column_backward_kernel_t(spec).finish();
        });
    }

    void execute_chunk(const jit::executable_code_t &code, const addresses_t &bases,
            bool non_temporal, float *sums, dim_t begin, dim_t end) const {
        const dim_t chunk = begin / plan_.chunk_tiles;
        float *lane_sums = nullptr;
        if (sums) {
            lane_sums = sums + plan_.chunks() * plan_.sums() + chunk * plan_.lane_sums();
            std::fill_n(lane_sums, plan_.lane_sums(), 0.f);
        }
        plan_.columns.call(code, plan_.spec.isa, bases, non_temporal, plan_.tiles.begin_of(begin),
                plan_.tiles.begin_of(end), lane_sums);
        if (sums)
            add_up_lanes(lane_sums, plan_.lanes, plan_.spec.steps, sums + chunk * plan_.sums());
    }

    const columns_backward_plan_t &plan_;
    const jit::executable_code_t code_;
    // For executions that want neither diff_scale nor diff_shift.
    mutable jit::lazy_code_t data_only_code_;
    std::optional<chunk_totals_t> totals_; // if there are weight gradients
    const int diff_scale_slot_, diff_shift_slot_;
};

std::unique_ptr<primitive_impl_t> columns_backward_plan_t::create(
        const primitive_desc_t &pd) const {
    return std::make_unique<columns_backward_t>(
            *this, pd.slot_of(DNNL_ARG_DIFF_SCALE), pd.slot_of(DNNL_ARG_DIFF_SHIFT));
}

} // namespace

refusal_t accept_columns_backward(layer_normalization_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    operand_layouts_t layouts(pd);
    for (const int arg :
            {DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SRC, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE})
        layouts.add(arg);
    layouts.add_shared(DNNL_ARG_SCALE);
    const columns_t columns(layouts, pd.src().ndims - 1, spec_t::stepped_count, spec_t::held_count,
            spec_t::diff_src);
    if (const refusal_t refusal = columns.check_adjacent()) return refusal;
    spec_t spec;
    spec.isa = isa;
    spec.operands = columns.steps();
    spec.steps = pd.cols();
    spec.line = columns.plan().run_length();
    spec.is_rms = pd.is_rms();
    spec.has_constant_statistics = pd.has_global_stats();
    spec.has_weight_gradients = pd.has_weight_gradients() && (pd.uses_scale() || pd.uses_shift());
    spec.epsilon = pd.desc().epsilon;
    const auto made = std::make_shared<columns_backward_plan_t>(
            columns, spec, pd.diff_scale_shift().data_type);
    pd.set_scratchpad_size(made->scratchpad_size());
    plan = made;
    return accepted();
}

} // namespace kiln::x64::layer_normalization
