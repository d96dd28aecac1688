// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization by generated kernels where the normalized axis lies innermost: what
// is taken, how the rows are shared among threads, and which store path an execution uses.

#include "cpu/x64/normalization/layer_normalization_rows.hpp"

#include <array>
#include <tbb/task_arena.h>

#include "common/data_type.hpp"
#include "common/one_of.hpp"
#include "common/primitive.hpp"
#include "cpu/parallel.hpp"
#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/normalization/row_forward_kernel.hpp"
#include "cpu/x64/normalization/row_plan.hpp"

namespace kiln::x64::normalization {
namespace {

/// The operands of the plan, in order.
enum row_operand_t : size_t { src_operand, dst_operand, stat_operand, operand_count };

class rows_forward_t : public primitive_impl_t {
public:
    explicit rows_forward_t(const layer_normalization_pd_t &pd);
    status_t execute(const exec_ctx_t &ctx) const override;

private:
    using kernel_function_t = void (*)(const row_forward_args_t *);

    static row_forward_spec_t spec_of(const layer_normalization_pd_t &pd);
    static std::array<const memory_desc_t *, operand_count> operands_of(
            const layer_normalization_pd_t &pd);
    row_forward_args_t common_args(const exec_ctx_t &ctx) const;
    bool stores_past_caches(const row_forward_args_t &args) const;
    dim_t rows_per_task() const;

    const layer_normalization_pd_t &pd_;
    const row_forward_spec_t spec_;
    const row_plan_t plan_;
    const jit::executable_code_t code_;
    dim_t src_size_, dst_size_, stat_size_; // of an element
    int src_slot_, dst_slot_, mean_slot_, variance_slot_, scale_slot_, shift_slot_;
    int src_scale_slot_, dst_scale_slot_;
};

row_forward_spec_t rows_forward_t::spec_of(const layer_normalization_pd_t &pd) {
    const auto vector_type = [&](bool used) {
        return used ? pd.scale_shift().data_type : dnnl_data_type_undef;
    };
    const auto statistics = pd.reads_stats()    ? statistics_t::given
                            : pd.writes_stats() ? statistics_t::computed_and_stored
                                                : statistics_t::computed;
    const auto is_scaled = [&](int arg) { return pd.attr().scales.count(arg) != 0; };
    return {best_isa(), pd.cols(), pd.src().data_type, pd.dst().data_type,
            vector_type(pd.uses_scale()), vector_type(pd.uses_shift()), statistics, pd.is_rms(),
            pd.desc().epsilon, is_scaled(DNNL_ARG_SRC), is_scaled(DNNL_ARG_DST)};
}

std::array<const memory_desc_t *, operand_count> rows_forward_t::operands_of(
        const layer_normalization_pd_t &pd) {
    return {&pd.src(), &pd.dst(), &pd.stat()};
}

rows_forward_t::rows_forward_t(const layer_normalization_pd_t &pd)
    : pd_(pd)
    , spec_(spec_of(pd))
    , plan_(pd.src().ndims - 1, operands_of(pd))
    , code_(row_forward_kernel_t(spec_).finish())
    , src_size_(static_cast<dim_t>(data_type_size(pd.src().data_type)))
    , dst_size_(static_cast<dim_t>(data_type_size(pd.dst().data_type)))
    , stat_size_(static_cast<dim_t>(data_type_size(pd.stat().data_type)))
    , src_slot_(pd.slot_of(DNNL_ARG_SRC))
    , dst_slot_(pd.slot_of(DNNL_ARG_DST))
    , mean_slot_(pd.slot_of(DNNL_ARG_MEAN))
    , variance_slot_(pd.slot_of(DNNL_ARG_VARIANCE))
    , scale_slot_(pd.slot_of(DNNL_ARG_SCALE))
    , shift_slot_(pd.slot_of(DNNL_ARG_SHIFT))
    , src_scale_slot_(pd.slot_of(DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC))
    , dst_scale_slot_(pd.slot_of(DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST)) {}

row_forward_args_t rows_forward_t::common_args(const exec_ctx_t &ctx) const {
    row_forward_args_t args{};
    args.src = ctx.input(src_slot_);
    args.dst = ctx.output(dst_slot_);
    args.mean = ctx.output(mean_slot_);
    args.variance = ctx.output(variance_slot_);
    args.scale = ctx.input(scale_slot_);
    args.shift = ctx.input(shift_slot_);
    args.src_scale = static_cast<const float *>(ctx.input(src_scale_slot_));
    args.dst_scale = static_cast<const float *>(ctx.input(dst_scale_slot_));
    const row_offsets_t &pitches = plan_.pitches();
    args.src_pitch = pitches[src_operand] * src_size_;
    args.dst_pitch = pitches[dst_operand] * dst_size_;
    args.stat_pitch = pitches[stat_operand] * stat_size_;
    // Far enough ahead to hide a trip to memory, near enough to be still cached when its turn
    // comes.
    constexpr dim_t fetch_ahead = 8192;
    const dim_t row_bytes = pd_.cols() * src_size_;
    args.prefetch_distance = (fetch_ahead + row_bytes - 1) / row_bytes * args.src_pitch;
    args.non_temporal = stores_past_caches(args);
    return args;
}

bool rows_forward_t::stores_past_caches(const row_forward_args_t &args) const {
    if (!spec_.has_non_temporal_path() || args.src == args.dst) return false;
    const dim_t bytes = plan_.rows() * pd_.cols() * (src_size_ + dst_size_);
    if (static_cast<size_t>(bytes) < last_level_cache_size()) return false;
    const size_t alignment = spec_.non_temporal_alignment();
    const auto address = reinterpret_cast<uintptr_t>(args.dst)
                         + static_cast<uintptr_t>(pd_.dst().offset0 * dst_size_);
    return (address | static_cast<uintptr_t>(args.dst_pitch)) % alignment == 0
           && plan_.run_length() == plan_.rows();
}

dim_t rows_forward_t::rows_per_task() const {
    // Rows do not depend on each other, so they may be cut by the number of threads: a few tasks a
    // thread, each worth waking one.
    constexpr dim_t least_bytes = 65536;
    constexpr dim_t tasks_per_thread = 4;
    const dim_t row_bytes = pd_.cols() * (src_size_ + dst_size_);
    const dim_t tasks = tasks_per_thread * tbb::this_task_arena::max_concurrency();
    return std::max((plan_.rows() + tasks - 1) / tasks, (least_bytes + row_bytes - 1) / row_bytes);
}

status_t rows_forward_t::execute(const exec_ctx_t &ctx) const {
    const auto kernel = code_.entry<kernel_function_t>();
    const row_forward_args_t common = common_args(ctx);
    const auto moved = [](const void *base, dim_t elements, dim_t size) {
        return base ? static_cast<std::byte *>(const_cast<void *>(base)) + elements * size
                    : nullptr;
    };
    cpu::parallel_chunks(plan_.rows(), rows_per_task(), [&](dim_t begin, dim_t end) {
        plan_.for_each_run(begin, end, [&](const row_run_t &run) {
            row_forward_args_t args = common;
            args.src = moved(common.src, run.offsets[src_operand], src_size_);
            args.dst = moved(common.dst, run.offsets[dst_operand], dst_size_);
            args.mean = moved(common.mean, run.offsets[stat_operand], stat_size_);
            args.variance = moved(common.variance, run.offsets[stat_operand], stat_size_);
            args.rows = run.count;
            kernel(&args);
        });
    });
    return dnnl_success;
}

bool is_kernel_type(data_type_t type) {
    return one_of(type, {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8});
}

} // namespace

refusal_t layer_normalization_rows_accept(layer_normalization_pd_t &pd) {
    if (!has_isa(isa_t::avx2)) return refused("the processor has no AVX2");
    if (has_zero_dim(pd.src())) return refused("src has no elements");
    if (!pd.is_forward()) return refused("backward propagation");
    if (!is_kernel_type(pd.src().data_type) || !is_kernel_type(pd.dst().data_type)
            || pd.stat().data_type != dnnl_f32)
        return refused("unsupported datatype");
    if (!has_dense_rows(pd.src()) || !has_dense_rows(pd.dst()))
        return refused("the normalized axis is not innermost in src and dst");
    if (!is_plain(pd.stat())) return refused("statistics in a blocked layout");
    if (!pd.attr().post_ops.entries.empty()) return refused("post-ops");
    for (const auto &[arg, scale] : pd.attr().scales)
        if (scale.data_type != dnnl_f32)
            return refused("quantization scales in another type than f32");
    return accepted();
}

status_t layer_normalization_rows_create(
        const layer_normalization_pd_t &pd, std::unique_ptr<primitive_impl_t> &impl) {
    impl = std::make_unique<rows_forward_t>(pd);
    return dnnl_success;
}

} // namespace kiln::x64::normalization
