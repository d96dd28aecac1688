// SPDX-License-Identifier: Apache-2.0
// Layer normalization forward on columns as a primitive.

#include "cpu/x64/layer_normalization/columns_forward.hpp"

#include <tbb/task_arena.h>

#include "cpu/parallel.hpp"
#include "cpu/x64/layer_normalization/layer_normalization_spec.hpp"

namespace kiln::x64::layer_normalization {

namespace {

/// The kept axis along which neighbours in src lie nearest.
int line_axis_of(const layer_normalization_pd_t &pd) {
    const memory_desc_t &src = pd.src();
    int nearest = 0;
    for (int d = 0; d < src.ndims - 1; ++d) {
        const auto &strides = src.format_desc.blocking.strides;
        if (src.dims[d] != 1 && (src.dims[nearest] == 1 || strides[d] < strides[nearest]))
            nearest = d;
    }
    return nearest;
}

} // namespace

std::vector<const memory_desc_t *> columns_forward_t::operands_of(
        const layer_normalization_pd_t &pd, const post_op_operands_t &post_ops) {
    // Statistics that nobody reads or writes lie as src does.
    const bool has_stats = pd.reads_stats() || pd.writes_stats();
    std::vector<const memory_desc_t *> operands{
            &pd.src(), &pd.dst(), has_stats ? &pd.stat() : &pd.src()};
    operands.insert(operands.end(), post_ops.mds.begin(), post_ops.mds.end());
    return operands;
}

refusal_t columns_forward_t::check_operands(const layer_normalization_pd_t &pd) {
    post_op_operands_t post_ops;
    if (const refusal_t refusal = find_post_op_operands(pd, line_axis_of(pd), post_ops))
        return refusal;
    return check_adjacent(row_plan_t(pd.src().ndims - 1, operands_of(pd, post_ops)), stat_operand);
}

column_forward_spec_t columns_forward_t::spec_of(
        const layer_normalization_pd_t &pd, dim_t line, const post_op_operands_t &post_ops) {
    std::vector<dim_t> operand_steps;
    for (const memory_desc_t *md : post_ops.mds) {
        const bool is_constant = md->dims[md->ndims - 1] == 1;
        operand_steps.push_back(is_constant ? 0 : step_of(*md) * size_of(*md));
    }
    return {best_isa(), pd.cols(), line, pd.src().data_type, pd.dst().data_type, scale_type_of(pd),
            shift_type_of(pd), statistics_of(pd), pd.is_rms(), pd.desc().epsilon,
            quantization_type_of(pd, DNNL_ARG_SRC), quantization_type_of(pd, DNNL_ARG_DST),
            post_ops.chain, operand_steps};
}

columns_forward_t::columns_forward_t(const layer_normalization_pd_t &pd)
    : pd_(pd)
    , post_ops_(post_op_operands_of(pd, line_axis_of(pd)))
    , plan_(pd.src().ndims - 1, operands_of(pd, post_ops_))
    , spec_(spec_of(pd, plan_.run_length(), post_ops_))
    , units_(plan_, tile_width(spec_.isa, !spec_.post_ops.empty(), spec_.line))
    , code_(column_forward_kernel_t(spec_).finish())
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
    , dst_scale_slot_(pd.slot_of(DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST)) {}

column_forward_args_t columns_forward_t::common_args(const exec_ctx_t &ctx) const {
    column_forward_args_t args{};
    args.src = ctx.input(src_slot_);
    args.dst = ctx.output(dst_slot_);
    args.mean = ctx.output(mean_slot_);
    args.variance = ctx.output(variance_slot_);
    args.scale = ctx.input(scale_slot_);
    args.shift = ctx.input(shift_slot_);
    args.src_scale = ctx.input(src_scale_slot_);
    args.dst_scale = ctx.input(dst_scale_slot_);
    args.src_step = step_of(pd_.src()) * src_size_;
    args.src_span = args.src_step * pd_.cols();
    args.dst_step = step_of(pd_.dst()) * dst_size_;
    args.dst_span = args.dst_step * pd_.cols();
    const dim_t bytes_touched = plan_.rows() * pd_.cols() * (src_size_ + dst_size_);
    args.non_temporal = args.src != args.dst && spec_.has_non_temporal_path()
                        && fills_most_of_cache(bytes_touched);
    return args;
}

dim_t columns_forward_t::units_per_task() const {
    // Columns do not depend on each other, so they may be cut by the number of threads: a few tasks
    // a thread, each worth waking one.
    constexpr dim_t least_bytes = 65536;
    constexpr dim_t tasks_per_thread = 4;
    const dim_t unit_bytes = units_.width() * pd_.cols() * (src_size_ + dst_size_);
    const dim_t tasks = tasks_per_thread * tbb::this_task_arena::max_concurrency();
    return std::max(
            (units_.count() + tasks - 1) / tasks, (least_bytes + unit_bytes - 1) / unit_bytes);
}

status_t columns_forward_t::execute(const exec_ctx_t &ctx) const {
    const auto kernel = code_.entry<kernel_function_t>();
    const column_forward_args_t common = common_args(ctx);
    cpu::parallel_chunks(units_.count(), units_per_task(), [&](dim_t begin, dim_t end) {
        plan_.for_each_run(units_.begin_of(begin), units_.begin_of(end), [&](const row_run_t &run) {
            column_forward_args_t args = common;
            args.src = moved(common.src, run.offsets[src_operand], src_size_);
            args.dst = moved(common.dst, run.offsets[dst_operand], dst_size_);
            args.mean = moved(common.mean, run.offsets[stat_operand], stat_size_);
            args.variance = moved(common.variance, run.offsets[stat_operand], stat_size_);
            for (size_t i = 0; i < post_ops_.mds.size(); ++i)
                args.operands[i] = moved(ctx.input(post_ops_.slots[i]),
                        run.offsets[first_post_op_operand + i], size_of(*post_ops_.mds[i]));
            args.columns = run.count;
            args.non_temporal &=
                    are_aligned(args.dst, args.dst_step, spec_.non_temporal_alignment());
            kernel(&args);
        });
    });
    return dnnl_success;
}

} // namespace kiln::x64::layer_normalization
