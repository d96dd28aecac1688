// SPDX-License-Identifier: Apache-2.0
// Layer normalization backward on columns as a primitive.

#include "cpu/x64/layer_normalization/columns_backward.hpp"

#include <algorithm>

#include <xmmintrin.h> // every x86-64 processor has it

#include "cpu/parallel.hpp"
#include "cpu/x64/rows/chunk_sums.hpp"

namespace kiln::x64::layer_normalization {
namespace {

dim_t in_parts_of(dim_t count, dim_t part) { return (count + part - 1) / part; }

} // namespace

columns_backward_t::chunks_t::chunks_t(
        const layer_normalization_pd_t &pd, const row_plan_t &plan, isa_t isa)
    : units(plan, tile_width(isa, true, plan.run_length()))
    , cols(pd.cols())
    , lanes(jit::lanes_of(isa)) {
    // Enough chunks for any number of threads that pays; few enough that adding up their sums,
    // which are as long as `lanes` columns each, does not show. A power of two of them, so that few
    // threads get equal shares.
    constexpr dim_t most_chunks = 16;
    constexpr dim_t least_elements = 32768;
    const dim_t least_columns = std::max(4 * lanes, in_parts_of(least_elements, cols));
    dim_t chunks = most_chunks;
    while (chunks > 1 && plan.rows() / chunks < least_columns) chunks /= 2;
    units_per_chunk = in_parts_of(units.count(), chunks);
}

column_backward_spec_t columns_backward_t::spec_of(
        const layer_normalization_pd_t &pd, dim_t line, bool weight_gradients) {
    const auto scale_type = pd.uses_scale() ? pd.scale_shift().data_type : dnnl_data_type_undef;
    return {best_isa(), pd.cols(), line, pd.src().data_type, pd.diff_dst().data_type,
            pd.diff_src().data_type, scale_type, pd.is_rms(), pd.has_global_stats(),
            weight_gradients, pd.desc().epsilon};
}

std::array<const memory_desc_t *, columns_backward_t::operand_count>
columns_backward_t::operands_of(const layer_normalization_pd_t &pd) {
    return {&pd.src(), &pd.diff_dst(), &pd.diff_src(), &pd.stat()};
}

row_plan_t columns_backward_t::plan_of(const layer_normalization_pd_t &pd) {
    return row_plan_t(pd.src().ndims - 1, operands_of(pd));
}

refusal_t columns_backward_t::check_adjacent(const layer_normalization_pd_t &pd) {
    return x64::check_adjacent(plan_of(pd), stat_operand);
}

size_t columns_backward_t::scratchpad_size(const layer_normalization_pd_t &pd) {
    if (!pd.has_weight_gradients() || !(pd.uses_scale() || pd.uses_shift())) return 0;
    const chunks_t chunks(pd, plan_of(pd), best_isa());
    return static_cast<size_t>(chunks.count() * (chunks.lane_sums() + chunks.sums()))
           * sizeof(float);
}

columns_backward_t::columns_backward_t(const layer_normalization_pd_t &pd)
    : pd_(pd)
    , plan_(plan_of(pd))
    , chunks_(pd, plan_, best_isa())
    , spec_(spec_of(pd, plan_.run_length(), scratchpad_size(pd) != 0))
    , code_(column_backward_kernel_t(spec_).finish())
    , src_size_(size_of(pd.src()))
    , diff_dst_size_(size_of(pd.diff_dst()))
    , diff_src_size_(size_of(pd.diff_src()))
    , stat_size_(size_of(pd.stat()))
    , src_slot_(pd.slot_of(DNNL_ARG_SRC))
    , diff_dst_slot_(pd.slot_of(DNNL_ARG_DIFF_DST))
    , mean_slot_(pd.slot_of(DNNL_ARG_MEAN))
    , variance_slot_(pd.slot_of(DNNL_ARG_VARIANCE))
    , scale_slot_(pd.slot_of(DNNL_ARG_SCALE))
    , diff_src_slot_(pd.slot_of(DNNL_ARG_DIFF_SRC))
    , diff_scale_slot_(pd.slot_of(DNNL_ARG_DIFF_SCALE))
    , diff_shift_slot_(pd.slot_of(DNNL_ARG_DIFF_SHIFT)) {
    if (pd.scratchpad_size() != 0)
        totals_.emplace(best_isa(), pd.cols(), pd.diff_scale_shift().data_type);
}

const jit::executable_code_t &columns_backward_t::code_without_weight_gradients() const {
    return data_only_code_.get([this] {
        return column_backward_kernel_t(spec_of(pd_, plan_.run_length(), false)).finish();
    });
}

column_backward_args_t columns_backward_t::common_args(const exec_ctx_t &ctx) const {
    column_backward_args_t args{};
    args.src = ctx.input(src_slot_);
    args.diff_dst = ctx.input(diff_dst_slot_);
    args.diff_src = ctx.output(diff_src_slot_);
    args.mean = ctx.input(mean_slot_);
    args.variance = ctx.input(variance_slot_);
    args.scale = ctx.input(scale_slot_);
    args.src_step = step_of(pd_.src()) * src_size_;
    args.src_span = args.src_step * pd_.cols();
    args.diff_dst_step = step_of(pd_.diff_dst()) * diff_dst_size_;
    args.diff_dst_span = args.diff_dst_step * pd_.cols();
    args.diff_src_step = step_of(pd_.diff_src()) * diff_src_size_;
    args.diff_src_span = args.diff_src_step * pd_.cols();
    const dim_t bytes_touched =
            plan_.rows() * pd_.cols() * (src_size_ + diff_dst_size_ + diff_src_size_);
    const bool in_place = args.diff_src == args.diff_dst || args.diff_src == args.src;
    args.non_temporal = args.diff_src != nullptr && !in_place && fills_half_of_cache(bytes_touched);
    return args;
}

status_t columns_backward_t::execute(const exec_ctx_t &ctx) const {
    const bool wants_weights = ctx.has(diff_scale_slot_) || ctx.has(diff_shift_slot_);
    const jit::executable_code_t &code =
            wants_weights || pd_.scratchpad_size() == 0 ? code_ : code_without_weight_gradients();
    const column_backward_args_t common = common_args(ctx);
    cpu::parallel_chunks(chunks_.units.count(), chunks_.units_per_chunk,
            [&](dim_t begin, dim_t end) { execute_chunk(ctx, code, common, begin, end); });
    const auto *sums = reinterpret_cast<const float *>(ctx.scratchpad());
    const auto store = [&](int slot, dim_t first) {
        if (ctx.has(slot))
            totals_->store({sums + first, chunks_.count(), chunks_.sums()}, ctx.output(slot));
    };
    store(diff_scale_slot_, 0);
    store(diff_shift_slot_, pd_.cols());
    return dnnl_success;
}

void columns_backward_t::execute_chunk(const exec_ctx_t &ctx, const jit::executable_code_t &code,
        const column_backward_args_t &common, dim_t begin, dim_t end) const {
    using kernel_function_t = void (*)(const column_backward_args_t *);
    const auto kernel = code.entry<kernel_function_t>();
    const bool has_sums = pd_.scratchpad_size() != 0;
    column_backward_args_t args = common;
    // The sums of all chunks come first, then what each keeps while it works.
    auto *sums = reinterpret_cast<float *>(ctx.scratchpad());
    if (has_sums) {
        const dim_t chunk = chunks_.of_unit(begin);
        args.weight_sums = sums + chunks_.count() * chunks_.sums() + chunk * chunks_.lane_sums();
        sums += chunk * chunks_.sums();
        std::fill_n(args.weight_sums, chunks_.lane_sums(), 0.f);
    }
    const column_units_t &units = chunks_.units;
    plan_.for_each_run(units.begin_of(begin), units.begin_of(end), [&](const row_run_t &run) {
        args.src = moved(common.src, run.offsets[src_operand], src_size_);
        args.diff_dst = moved(common.diff_dst, run.offsets[diff_dst_operand], diff_dst_size_);
        args.diff_src = moved(common.diff_src, run.offsets[diff_src_operand], diff_src_size_);
        args.mean = moved(common.mean, run.offsets[stat_operand], stat_size_);
        args.variance = moved(common.variance, run.offsets[stat_operand], stat_size_);
        args.columns = run.count;
        args.non_temporal =
                common.non_temporal
                && are_aligned(args.diff_src, args.diff_src_step, spec_.non_temporal_alignment());
        kernel(&args);
    });
    if (has_sums) add_up_lanes(args.weight_sums, sums);
}

void columns_backward_t::add_up_lanes(const float *lane_sums, float *sums) const {
    const dim_t lanes = chunks_.lanes;
    for (dim_t c = 0; c < pd_.cols(); ++c)
        for (const dim_t which : {dim_t(0), dim_t(1)}) {
            __m128 four = _mm_loadu_ps(lane_sums);
            for (dim_t lane = 4; lane < lanes; lane += 4)
                four = _mm_add_ps(four, _mm_loadu_ps(lane_sums + lane));
            const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
            const __m128 one = _mm_add_ss(two, _mm_shuffle_ps(two, two, 1));
            _mm_store_ss(sums + which * pd_.cols() + c, one);
            lane_sums += lanes;
        }
}

} // namespace kiln::x64::layer_normalization
