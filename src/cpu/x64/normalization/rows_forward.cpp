// SPDX-License-Identifier: Apache-2.0
// Layer normalization forward on rows as a primitive.

#include "cpu/x64/normalization/rows_forward.hpp"

#include <tbb/task_arena.h>

#include "cpu/parallel.hpp"
#include "cpu/x64/normalization/layer_normalization_spec.hpp"
#include "cpu/x64/row_execution.hpp"

namespace kiln::x64::normalization {
row_forward_spec_t rows_forward_t::spec_of(const layer_normalization_pd_t &pd,
        const row_plan_t &plan, const post_op_operands_t &post_ops) {
    const auto converted = [&](data_type_t type) {
        return type != dnnl_data_type_undef && scratchpad_size(pd) != 0 ? dnnl_f32 : type;
    };
    const dim_t bytes = pd.rows() * pd.cols() * (size_of(pd.src()) + size_of(pd.dst()));
    const auto pitch = [&](row_operand_t operand, const memory_desc_t &md) {
        return plan.pitches()[operand] * size_of(md);
    };
    std::vector<dim_t> operand_pitches;
    for (size_t i = 0; i < post_ops.mds.size(); ++i)
        operand_pitches.push_back(
                plan.pitches()[first_post_op_operand + i] * size_of(*post_ops.mds[i]));
    return {best_isa(), pd.cols(), pd.src().data_type, pd.dst().data_type,
            converted(scale_type_of(pd)), converted(shift_type_of(pd)), statistics_of(pd),
            pd.is_rms(), pd.desc().epsilon, quantization_type_of(pd, DNNL_ARG_SRC),
            quantization_type_of(pd, DNNL_ARG_DST), pitch(src_operand, pd.src()),
            pitch(dst_operand, pd.dst()), pitch(stat_operand, pd.stat()), plan.run_length(),
            exceeds_caches(bytes), false, post_ops.chain, operand_pitches};
}

std::vector<const memory_desc_t *> rows_forward_t::operands_of(
        const layer_normalization_pd_t &pd, const post_op_operands_t &post_ops) {
    std::vector<const memory_desc_t *> operands{&pd.src(), &pd.dst(), &pd.stat()};
    operands.insert(operands.end(), post_ops.mds.begin(), post_ops.mds.end());
    return operands;
}

size_t rows_forward_t::scratchpad_size(const layer_normalization_pd_t &pd) {
    if (!pd.uses_scale() && !pd.uses_shift()) return 0;
    if (!converts_weights(pd.scale_shift().data_type, pd.rows())) return 0;
    return static_cast<size_t>(2 * weight_floats_pitch(pd.cols())) * sizeof(float);
}

rows_forward_t::rows_forward_t(const layer_normalization_pd_t &pd)
    : pd_(pd)
    , post_ops_(post_op_operands_of(pd, pd.dst().ndims - 1))
    , plan_(pd.src().ndims - 1, operands_of(pd, post_ops_))
    , spec_(spec_of(pd, plan_, post_ops_))
    , src_size_(size_of(pd.src()))
    , dst_size_(size_of(pd.dst()))
    , stat_size_(size_of(pd.stat()))
    , src_slot_(pd.slot_of(DNNL_ARG_SRC))
    , dst_slot_(pd.slot_of(DNNL_ARG_DST))
    , mean_slot_(pd.slot_of(DNNL_ARG_MEAN))
    , variance_slot_(pd.slot_of(DNNL_ARG_VARIANCE))
    , scale_slot_(pd.slot_of(DNNL_ARG_SCALE))
    , shift_slot_(pd.slot_of(DNNL_ARG_SHIFT))
    , src_scale_slot_(pd.slot_of(DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC))
    , dst_scale_slot_(pd.slot_of(DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST)) {
    if (scratchpad_size(pd) != 0)
        weight_floats_.emplace(best_isa(), pd.cols(), pd.scale_shift().data_type);
    code_for(is_non_temporal(nullptr)); // as for aligned tensors
}

const jit::executable_code_t &rows_forward_t::code_for(bool is_non_temporal) const {
    return codes_[is_non_temporal ? 1 : 0].get([&] {
        row_forward_spec_t spec = spec_;
        spec.is_non_temporal = is_non_temporal;
        return row_forward_kernel_t(spec).finish();
    });
}

bool rows_forward_t::is_non_temporal(const void *dst) const {
    const dim_t bytes = plan_.rows() * pd_.cols() * (src_size_ + dst_size_);
    return overflows_caches(bytes) && spec_.has_non_temporal_stores()
           && plan_.run_length() == plan_.rows()
           && are_aligned(moved(dst, pd_.dst().offset0, dst_size_), spec_.dst_pitch,
                   spec_.non_temporal_alignment());
}

row_forward_args_t rows_forward_t::common_args(const exec_ctx_t &ctx) const {
    row_forward_args_t args{};
    args.src = ctx.input(src_slot_);
    args.dst = ctx.output(dst_slot_);
    args.mean = ctx.output(mean_slot_);
    args.variance = ctx.output(variance_slot_);
    args.scale = ctx.input(scale_slot_);
    args.shift = ctx.input(shift_slot_);
    if (weight_floats_) {
        auto *const floats = reinterpret_cast<float *>(ctx.scratchpad());
        args.scale = weight_floats_->convert(args.scale, floats);
        args.shift = weight_floats_->convert(args.shift, floats + weight_floats_pitch(pd_.cols()));
    }
    args.src_scale = ctx.input(src_scale_slot_);
    args.dst_scale = ctx.input(dst_scale_slot_);
    return args;
}

dim_t rows_forward_t::rows_per_task() const {
    // Rows do not depend on each other, so they may be cut by the number of threads: a few tasks a
    // thread, each worth waking one.
    constexpr dim_t least_bytes = 65536;
    constexpr dim_t tasks_per_thread = 4;
    const dim_t row_bytes = pd_.cols() * (src_size_ + dst_size_);
    const dim_t tasks = tasks_per_thread * tbb::this_task_arena::max_concurrency();
    // Whole blocks of rows, however many a kernel takes at once.
    constexpr dim_t block = 4;
    const dim_t rows = std::max((plan_.rows() + tasks - 1) / tasks, least_bytes / row_bytes);
    return (rows + block - 1) / block * block;
}

status_t rows_forward_t::execute(const exec_ctx_t &ctx) const {
    const row_forward_args_t common = common_args(ctx);
    const bool is_in_place = common.src == common.dst;
    const auto kernel =
            code_for(!is_in_place && is_non_temporal(common.dst)).entry<kernel_function_t>();
    cpu::parallel_chunks(plan_.rows(), rows_per_task(), [&](dim_t begin, dim_t end) {
        plan_.for_each_run(begin, end, [&](const row_run_t &run) {
            row_forward_args_t args = common;
            args.src = moved(common.src, run.offsets[src_operand], src_size_);
            args.dst = moved(common.dst, run.offsets[dst_operand], dst_size_);
            args.mean = moved(common.mean, run.offsets[stat_operand], stat_size_);
            args.variance = moved(common.variance, run.offsets[stat_operand], stat_size_);
            for (size_t i = 0; i < post_ops_.mds.size(); ++i)
                args.operands[i] = moved(ctx.input(post_ops_.slots[i]),
                        run.offsets[first_post_op_operand + i], size_of(*post_ops_.mds[i]));
            args.rows = run.count;
            kernel(&args);
        });
    });
    return dnnl_success;
}

} // namespace kiln::x64::normalization
