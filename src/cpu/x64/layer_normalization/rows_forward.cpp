// SPDX-License-Identifier: Apache-2.0
// Layer normalization forward on rows as a primitive.

#include "cpu/x64/layer_normalization/rows_forward.hpp"

#include <tbb/task_arena.h>

#include "cpu/parallel.hpp"
#include "cpu/x64/layer_normalization/layer_normalization_spec.hpp"
#include "cpu/x64/rows/row_execution.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64::layer_normalization {
namespace {

/// On the stack of each task, for what a kernel keeps between sweeps: what the first-level cache
/// holds.
constexpr dim_t scratch_bytes = 49152;

/// Calls `body` with the scratch. A function of its own, lest others' stacks grow by it.
template <typename body_t> [[gnu::noinline]] void with_scratch(const body_t &body) {
    alignas(64) std::byte scratch[scratch_bytes];
    body(scratch);
}

/// Bytes of a row in all tensors that have many of them.
dim_t row_bytes(const layer_normalization_pd_t &pd) {
    dim_t size = 0;
    for (const memory_desc_t *md : {&pd.src(), &pd.dst(), &pd.src_1(), &pd.sum()})
        size += size_of(*md);
    return pd.cols() * size;
}

/// Whether the sum of rows fits into the scratch, so that it may be moved past the caches, and into
/// the first-level cache beside the row and its weights.
bool has_room_for_sum(row_forward_spec_t spec) {
    constexpr dim_t most_sum_bytes = 4096;
    const dim_t without_sum = spec.scratch_size();
    spec.is_sum_non_temporal = true;
    return spec.scratch_size() <= scratch_bytes
           && spec.scratch_size() - without_sum <= most_sum_bytes;
}

/// The descriptor of an operand that is not there lies as another one does.
const memory_desc_t *one_or_other(const memory_desc_t &one, const memory_desc_t &other) {
    return is_zero(one) ? &other : &one;
}

} // namespace

row_forward_spec_t rows_forward_t::spec_of(const layer_normalization_pd_t &pd,
        const row_plan_t &plan, const post_op_operands_t &post_ops) {
    const auto converted = [&](data_type_t type) {
        return type != dnnl_data_type_undef && scratchpad_size(pd) != 0 ? dnnl_f32 : type;
    };
    const auto pitch = [&](row_operand_t operand, const memory_desc_t &md) {
        return plan.pitches()[operand] * size_of(md);
    };
    std::vector<dim_t> operand_pitches;
    for (size_t i = 0; i < post_ops.mds.size(); ++i)
        operand_pitches.push_back(
                plan.pitches()[first_post_op_operand + i] * size_of(*post_ops.mds[i]));
    row_forward_spec_t spec{best_isa(), pd.cols(), pd.src().data_type, pd.dst().data_type,
            converted(scale_type_of(pd)), converted(shift_type_of(pd)), statistics_of(pd),
            pd.is_rms(), pd.desc().epsilon, quantization_type_of(pd, DNNL_ARG_SRC),
            quantization_type_of(pd, DNNL_ARG_DST), pitch(src_operand, pd.src()),
            pitch(dst_operand, pd.dst()), pitch(stat_operand, pd.stat()), plan.run_length(),
            fills_half_of_cache(pd.rows() * row_bytes(pd)), false};
    spec.stat_type = pd.stat().data_type;
    spec.src_1_type = pd.src_1().data_type;
    spec.src_1_pitch = pitch(src_1_operand, pd.src_1());
    spec.sum_type = pd.sum().data_type;
    spec.sum_pitch = pitch(sum_operand, pd.sum());
    spec.row_scale_type = pd.row_scale().data_type;
    spec.row_scale_pitch = pitch(row_scale_operand, pd.row_scale());
    spec.post_ops = post_ops.chain;
    spec.operand_pitches = operand_pitches;
    spec.keeps_results = pd.has_row_scale();
    if (spec.scratch_size() > scratch_bytes) spec.keeps_results = false;
    return spec;
}

std::vector<const memory_desc_t *> rows_forward_t::operands_of(
        const layer_normalization_pd_t &pd, const post_op_operands_t &post_ops) {
    std::vector<const memory_desc_t *> operands{&pd.src(), &pd.dst(), &pd.stat(),
            one_or_other(pd.src_1(), pd.src()), one_or_other(pd.sum(), pd.src()),
            one_or_other(pd.row_scale(), pd.stat())};
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
    , can_move_sum_(has_room_for_sum(spec_))
    , row_bytes_(row_bytes(pd))
    , src_size_(size_of(pd.src()))
    , dst_size_(size_of(pd.dst()))
    , stat_size_(size_of(pd.stat()))
    , src_1_size_(size_of(pd.src_1()))
    , sum_size_(size_of(pd.sum()))
    , row_scale_size_(size_of(pd.row_scale()))
    , src_slot_(pd.slot_of(DNNL_ARG_SRC))
    , dst_slot_(pd.slot_of(DNNL_ARG_DST))
    , mean_slot_(pd.slot_of(DNNL_ARG_MEAN))
    , variance_slot_(pd.slot_of(DNNL_ARG_VARIANCE))
    , scale_slot_(pd.slot_of(DNNL_ARG_SCALE))
    , shift_slot_(pd.slot_of(DNNL_ARG_SHIFT))
    , src_scale_slot_(pd.slot_of(DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC))
    , dst_scale_slot_(pd.slot_of(DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST))
    , src_1_slot_(pd.slot_of(DNNL_ARG_SRC_1))
    , sum_slot_(pd.slot_of(DNNL_ARG_DST_1))
    , row_factor_slot_(pd.slot_of(DNNL_ARG_SRC_2))
    , row_scale_slot_(pd.slot_of(DNNL_ARG_DST_2)) {
    if (scratchpad_size(pd) != 0)
        weight_floats_.emplace(best_isa(), pd.cols(), pd.scale_shift().data_type);
    code_for(non_temporal_outputs({}));
}

const jit::executable_code_t &rows_forward_t::code_for(non_temporal_t outputs) const {
    return codes_[outputs.dst][outputs.sum].get([&] {
        row_forward_spec_t spec = spec_;
        spec.is_non_temporal = outputs.dst;
        spec.is_sum_non_temporal = outputs.sum;
        return row_forward_kernel_t(spec).finish();
    });
}

bool rows_forward_t::is_non_temporal(const memory_desc_t &md, const void *data, dim_t pitch) const {
    return row_forward_spec_t::has_non_temporal_stores(md.data_type)
           && are_aligned(moved(data, md.offset0, size_of(md)), pitch,
                   spec_.non_temporal_alignment(md.data_type));
}

rows_forward_t::non_temporal_t rows_forward_t::non_temporal_outputs(
        const row_forward_args_t &args) const {
    const dim_t bytes = plan_.rows() * row_bytes_;
    const bool is_large = pd_.has_src_1() ? fills_half_of_cache(bytes) : fills_most_of_cache(bytes);
    if (!is_large || plan_.run_length() != plan_.rows()) return {false, false};
    const auto replaces_input = [&](const void *data) {
        return data != nullptr && (data == args.src || data == args.src_1);
    };
    return {!replaces_input(args.dst) && is_non_temporal(pd_.dst(), args.dst, spec_.dst_pitch),
            !replaces_input(args.sum) && can_move_sum_
                    && is_non_temporal(pd_.sum(), args.sum, spec_.sum_pitch)};
}

row_forward_args_t rows_forward_t::common_args(const exec_ctx_t &ctx) const {
    row_forward_args_t args; // a run sets the rest
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
    args.src_1 = ctx.input(src_1_slot_);
    args.sum = ctx.output(sum_slot_);
    args.row_scale = ctx.output(row_scale_slot_);
    args.row_factor = static_cast<const float *>(ctx.input(row_factor_slot_));
    return args;
}

dim_t rows_forward_t::rows_per_task() const {
    // Rows do not depend on each other, so they may be cut by the number of threads: a few tasks a
    // thread, each worth waking one.
    constexpr dim_t least_bytes = 65536;
    constexpr dim_t tasks_per_thread = 4;
    const dim_t tasks = tasks_per_thread * tbb::this_task_arena::max_concurrency();
    // Whole blocks of rows, however many a kernel takes at once.
    constexpr dim_t block = 4;
    const dim_t rows = std::max((plan_.rows() + tasks - 1) / tasks, least_bytes / row_bytes_);
    return (rows + block - 1) / block * block;
}

void rows_forward_t::move_to(const row_run_t &run, const row_forward_args_t &common,
        row_forward_args_t &args, const exec_ctx_t &ctx) const {
    args.src = moved(common.src, run.offsets[src_operand], src_size_);
    args.dst = moved(common.dst, run.offsets[dst_operand], dst_size_);
    args.mean = moved(common.mean, run.offsets[stat_operand], stat_size_);
    args.variance = moved(common.variance, run.offsets[stat_operand], stat_size_);
    args.src_1 = moved(common.src_1, run.offsets[src_1_operand], src_1_size_);
    args.sum = moved(common.sum, run.offsets[sum_operand], sum_size_);
    args.row_scale = moved(common.row_scale, run.offsets[row_scale_operand], row_scale_size_);
    for (size_t i = 0; i < post_ops_.mds.size(); ++i)
        args.operands[i] = moved(ctx.input(post_ops_.slots[i]),
                run.offsets[first_post_op_operand + i], size_of(*post_ops_.mds[i]));
    args.rows = run.count;
}

status_t rows_forward_t::execute(const exec_ctx_t &ctx) const {
    const row_forward_args_t common = common_args(ctx);
    const non_temporal_t non_temporal = non_temporal_outputs(common);
    const auto kernel = code_for(non_temporal).entry<kernel_function_t>();
    const auto execute_rows = [&](dim_t begin, dim_t end, std::byte *scratch) {
        plan_.for_each_run(begin, end, [&](const row_run_t &run) {
            row_forward_args_t args = common;
            args.scratch = scratch;
            move_to(run, common, args, ctx);
            kernel(&args);
        });
    };
    const bool needs_scratch = spec_.keeps_results || non_temporal.sum;
    cpu::parallel_chunks(plan_.rows(), rows_per_task(), [&](dim_t begin, dim_t end) {
        if (needs_scratch)
            with_scratch([&](std::byte *scratch) { execute_rows(begin, end, scratch); });
        else
            execute_rows(begin, end, nullptr);
    });
    return dnnl_success;
}

} // namespace kiln::x64::layer_normalization
