// SPDX-License-Identifier: Apache-2.0
// Layer normalization backward on rows as a primitive.

#include "cpu/x64/layer_normalization/rows_backward.hpp"

#include <algorithm>

#include "cpu/parallel.hpp"
#include "cpu/x64/rows/chunk_sums.hpp"
#include "cpu/x64/rows/row_execution.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64::layer_normalization {

row_backward_spec_t rows_backward_t::spec_of(const layer_normalization_pd_t &pd,
        const row_plan_t &plan, const post_op_operands_t &post_ops) {
    const auto scale_type = !pd.uses_scale()     ? dnnl_data_type_undef
                            : converts_scale(pd) ? dnnl_f32
                                                 : pd.scale_shift().data_type;
    dim_t bytes = pd.rows() * pd.cols()
                  * (size_of(pd.src()) + size_of(pd.diff_dst()) + size_of(pd.diff_src()));
    const row_offsets_t &pitches = plan.pitches();
    std::vector<dim_t> operand_pitches;
    for (size_t i = 0; i < post_ops.mds.size(); ++i) {
        const memory_desc_t &md = *post_ops.mds[i];
        operand_pitches.push_back(pitches[first_post_op_operand + i] * size_of(md));
        bytes += element_count(md) * size_of(md);
    }
    const bool has_weights = pd.has_weight_gradients();
    return {best_isa(), pd.cols(), pd.src().data_type, pd.diff_dst().data_type,
            pd.diff_src().data_type, scale_type, pd.stat().data_type, pd.is_rms(),
            pd.has_global_stats(), true, has_weights && pd.uses_scale(),
            has_weights && pd.uses_shift(), pd.desc().epsilon,
            pitches[src_operand] * size_of(pd.src()),
            pitches[diff_dst_operand] * size_of(pd.diff_dst()),
            pitches[diff_src_operand] * size_of(pd.diff_src()),
            pitches[stat_operand] * size_of(pd.stat()), plan.run_length(),
            fills_half_of_cache(bytes), false, post_ops.chain, operand_pitches};
}

std::vector<const memory_desc_t *> rows_backward_t::operands_of(
        const layer_normalization_pd_t &pd, const post_op_operands_t &post_ops) {
    // Statistics that are not given have no layout, and move nothing.
    std::vector<const memory_desc_t *> operands{
            &pd.src(), &pd.diff_dst(), &pd.diff_src(), &pd.stat()};
    operands.insert(operands.end(), post_ops.mds.begin(), post_ops.mds.end());
    return operands;
}

dim_t rows_backward_t::rows_per_chunk(const layer_normalization_pd_t &pd) {
    // Enough chunks for any number of threads that pays; each with work enough to wake a thread
    // for, and with rows enough that clearing its sums and adding them to the others' does not
    // show.
    constexpr dim_t most_chunks = 16, least_elements = 16384, least_rows = 8;
    const dim_t rows = pd.rows();
    const dim_t wanted =
            std::min({most_chunks, rows * pd.cols() / least_elements, rows / least_rows});
    const dim_t chunks = std::max(dim_t(1), wanted);
    return (rows + chunks - 1) / chunks;
}

bool rows_backward_t::has_weight_sums(const layer_normalization_pd_t &pd) {
    return pd.has_weight_gradients() && (pd.uses_scale() || pd.uses_shift());
}

bool rows_backward_t::converts_scale(const layer_normalization_pd_t &pd) {
    return pd.uses_scale() && converts_weights(pd.scale_shift().data_type, pd.rows());
}

dim_t rows_backward_t::sums_size(const layer_normalization_pd_t &pd) {
    if (!has_weight_sums(pd)) return 0;
    const dim_t chunk_rows = rows_per_chunk(pd);
    return (pd.rows() + chunk_rows - 1) / chunk_rows * 2 * weight_floats_pitch(pd.cols());
}

size_t rows_backward_t::scratchpad_size(const layer_normalization_pd_t &pd) {
    const dim_t scale = converts_scale(pd) ? weight_floats_pitch(pd.cols()) : 0;
    return static_cast<size_t>(sums_size(pd) + scale) * sizeof(float);
}

rows_backward_t::rows_backward_t(const layer_normalization_pd_t &pd)
    : pd_(pd)
    , post_ops_(post_op_operands_of(pd, pd.diff_src().ndims - 1))
    , plan_(pd.src().ndims - 1, operands_of(pd, post_ops_))
    , spec_(spec_of(pd, plan_, post_ops_))
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
    const bool has_weights = has_weight_sums(pd);
    code_for({true, has_weights, is_non_temporal(nullptr)}); // as for aligned tensors
    if (converts_scale(pd))
        weight_floats_.emplace(best_isa(), pd.cols(), pd.scale_shift().data_type);
    if (has_weights) totals_.emplace(best_isa(), pd.cols(), pd.diff_scale_shift().data_type);
}

const jit::executable_code_t &rows_backward_t::code_for(outputs_t outputs) const {
    jit::lazy_code_t &code = codes_[outputs.diff_src][outputs.weights][outputs.is_non_temporal];
    return code.get([&] {
        row_backward_spec_t spec = spec_;
        spec.has_diff_src = outputs.diff_src;
        spec.has_diff_scale &= outputs.weights;
        spec.has_diff_shift &= outputs.weights;
        spec.is_non_temporal = outputs.is_non_temporal;
        return row_backward_kernel_t(spec).finish();
    });
}

bool rows_backward_t::is_non_temporal(const void *diff_src) const {
    return spec_.is_streamed && plan_.run_length() == plan_.rows()
           && are_aligned(moved(diff_src, pd_.diff_src().offset0, diff_src_size_),
                   spec_.diff_src_pitch, spec_.non_temporal_alignment());
}

bool rows_backward_t::is_in_place(const exec_ctx_t &ctx, const row_backward_args_t &common) const {
    return common.diff_src == common.diff_dst || common.diff_src == common.src
           || std::any_of(post_ops_.slots.begin(), post_ops_.slots.end(),
                   [&](int slot) { return ctx.input(slot) == common.diff_src; });
}

row_backward_args_t rows_backward_t::common_args(const exec_ctx_t &ctx) const {
    row_backward_args_t args{};
    args.src = ctx.input(src_slot_);
    args.diff_dst = ctx.input(diff_dst_slot_);
    args.diff_src = ctx.output(diff_src_slot_);
    args.mean = ctx.input(mean_slot_);
    args.variance = ctx.input(variance_slot_);
    args.scale = ctx.input(scale_slot_);
    if (weight_floats_)
        args.scale = weight_floats_->convert(
                args.scale, reinterpret_cast<float *>(ctx.scratchpad()) + sums_size(pd_));
    return args;
}

status_t rows_backward_t::execute(const exec_ctx_t &ctx) const {
    const row_backward_args_t common = common_args(ctx);
    const outputs_t wanted{common.diff_src != nullptr,
            has_weight_sums(pd_) && (ctx.has(diff_scale_slot_) || ctx.has(diff_shift_slot_)),
            common.diff_src != nullptr && !is_in_place(ctx, common)
                    && is_non_temporal(common.diff_src)};
    if (!wanted.diff_src && !wanted.weights) return dnnl_success;
    const jit::executable_code_t &code = code_for(wanted);
    cpu::parallel_chunks(plan_.rows(), rows_per_chunk(pd_),
            [&](dim_t begin, dim_t end) { execute_chunk(ctx, code, common, begin, end); });
    if (wanted.weights) {
        store_totals(ctx, diff_scale_slot_, 0);
        store_totals(ctx, diff_shift_slot_, 1);
    }
    return dnnl_success;
}

void rows_backward_t::execute_chunk(const exec_ctx_t &ctx, const jit::executable_code_t &code,
        const row_backward_args_t &common, dim_t begin, dim_t end) const {
    using kernel_function_t = void (*)(row_backward_args_t *);
    const auto kernel = code.entry<kernel_function_t>();
    row_backward_args_t args = common;
    if (has_weight_sums(pd_)) {
        const auto [diff_scale, diff_shift] = sums_of_chunk(ctx, begin / rows_per_chunk(pd_));
        for (float *sums : {diff_scale, diff_shift}) std::fill_n(sums, pd_.cols(), 0.f);
        args.diff_scale = diff_scale;
        args.diff_shift = diff_shift;
    }
    plan_.for_each_run(begin, end, [&](const row_run_t &run) {
        args.src = moved(common.src, run.offsets[src_operand], src_size_);
        args.diff_dst = moved(common.diff_dst, run.offsets[diff_dst_operand], diff_dst_size_);
        args.diff_src = moved(common.diff_src, run.offsets[diff_src_operand], diff_src_size_);
        args.mean = moved(common.mean, run.offsets[stat_operand], stat_size_);
        args.variance = moved(common.variance, run.offsets[stat_operand], stat_size_);
        for (size_t i = 0; i < post_ops_.mds.size(); ++i)
            args.operands[i] = moved(ctx.input(post_ops_.slots[i]),
                    run.offsets[first_post_op_operand + i], size_of(*post_ops_.mds[i]));
        args.rows = run.count;
        kernel(&args);
    });
}

dim_t rows_backward_t::chunks() const {
    const dim_t chunk_rows = rows_per_chunk(pd_);
    return (plan_.rows() + chunk_rows - 1) / chunk_rows;
}

std::array<float *, 2> rows_backward_t::sums_of_chunk(const exec_ctx_t &ctx, dim_t chunk) const {
    const dim_t pitch = weight_floats_pitch(pd_.cols());
    float *const sums = reinterpret_cast<float *>(ctx.scratchpad()) + chunk * 2 * pitch;
    return {sums, sums + pitch};
}

void rows_backward_t::store_totals(const exec_ctx_t &ctx, int slot, dim_t which) const {
    if (!ctx.has(slot)) return;
    const float *const first = sums_of_chunk(ctx, 0)[static_cast<size_t>(which)];
    totals_->store({first, chunks(), 2 * weight_floats_pitch(pd_.cols())}, ctx.output(slot));
}

} // namespace kiln::x64::layer_normalization
