// SPDX-License-Identifier: Apache-2.0
// Layer normalization forward on rows as a primitive: shares the rows among threads and chooses how
// an execution stores its outputs.

#include <array>
#include <optional>

#include "common/primitive/primitive.hpp"
#include "cpu/parallel.hpp"
#include "cpu/x64/jit/code/lazy_code.hpp"
#include "cpu/x64/layer_normalization/passes.hpp"
#include "cpu/x64/layer_normalization/row_forward_kernel.hpp"
#include "cpu/x64/post_op_operands.hpp"
#include "cpu/x64/rows/row_calls.hpp"
#include "cpu/x64/rows/weight_floats.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64::layer_normalization {
namespace {

using spec_t = row_forward_spec_t;

/// Scratch on the stack of each task: what the first-level cache holds.
constexpr dim_t scratch_bytes = 49152;

/// Calls `body` with the scratch. It is not inlined, so that callers without scratch have a small
/// stack frame.
template <typename body_t> [[gnu::noinline]] void with_scratch(const body_t &body) {
    alignas(64) std::byte scratch[scratch_bytes];
    body(scratch);
}

/// Whether a sum that is stored with non-temporal stores fits into the scratch, and into the
/// first-level cache beside the row and its weights.
bool has_scratch_for_sum(row_forward_spec_t spec) {
    constexpr dim_t most_sum_bytes = 4096;
    const dim_t without_sum = spec.scratch_size();
    spec.is_sum_non_temporal = true;
    return spec.scratch_size() <= scratch_bytes
           && spec.scratch_size() - without_sum <= most_sum_bytes;
}

/// Which outputs are stored with non-temporal stores.
struct non_temporal_t {
    bool dst, sum;
};

struct rows_forward_plan_t final : plan_t {
    rows_forward_plan_t(const operands_t &of, const row_plan_t &over)
        : operands(of)
        , rows(over) {}

    std::unique_ptr<primitive_impl_t> create(const primitive_desc_t &pd) const override;

    operands_t operands;
    row_plan_t rows;
    row_forward_spec_t spec;                           // with ordinary stores
    data_type_t narrow_weights = dnnl_data_type_undef; // undef: weights are not converted
    dim_t row_bytes = 0;                               // of src, src_1, dst and sum
    bool can_store_sum_non_temporal = false;

    /// For the buffers of an execution. Null buffers count as aligned.
    non_temporal_t non_temporal_outputs(const addresses_t &bases) const {
        const dim_t footprint = rows.rows() * row_bytes;
        const bool is_large = spec.has(spec_t::src_1) ? fills_half_of_cache(footprint)
                                                      : fills_most_of_cache(footprint);
        if (!is_large || rows.run_length() != rows.rows()) return {false, false};
        return {is_non_temporal(spec_t::dst, bases),
                can_store_sum_non_temporal && is_non_temporal(spec_t::sum, bases)};
    }

private:
    bool is_non_temporal(size_t output, const addresses_t &bases) const {
        const bool is_in_place =
                bases[output] != nullptr
                && (bases[output] == bases[spec_t::src] || bases[output] == bases[spec_t::src_1]);
        return !is_in_place && has_non_temporal_stores(spec.type(output))
               && are_aligned(operands.locate(bases, output, rows.offset_of(0, output)),
                       spec.pitch(output), non_temporal_alignment(spec.isa, spec.type(output)));
    }
};

class rows_forward_t final : public primitive_impl_t {
public:
    explicit rows_forward_t(const rows_forward_plan_t &plan)
        : plan_(plan) {
        if (plan.narrow_weights != dnnl_data_type_undef)
            weight_floats_.emplace(plan.spec.isa, plan.spec.cols, plan.narrow_weights);
        code_for(plan.non_temporal_outputs({}));
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        addresses_t bases = plan_.operands.bind(ctx);
        const non_temporal_t non_temporal = plan_.non_temporal_outputs(bases);
        if (weight_floats_) {
            auto *floats = reinterpret_cast<float *>(ctx.scratchpad());
            for (const size_t weights : {spec_t::scale, spec_t::shift}) {
                bases[weights] = weight_floats_->convert(bases[weights], floats);
                floats += weight_floats_pitch(plan_.spec.cols);
            }
        }
        const jit::executable_code_t &code = code_for(non_temporal);
        const auto execute_rows = [&](dim_t begin, dim_t end, std::byte *scratch) {
            call_for_each_run(code, plan_.operands, plan_.rows, bases, begin, end, scratch);
        };
        const bool needs_scratch = plan_.spec.keeps_results || non_temporal.sum;
        cpu::parallel_chunks(plan_.rows.rows(), rows_per_task(), [&](dim_t begin, dim_t end) {
            if (needs_scratch)
                with_scratch([&](std::byte *scratch) { execute_rows(begin, end, scratch); });
            else
                execute_rows(begin, end, nullptr);
        });
        return dnnl_success;
    }

private:
    const jit::executable_code_t &code_for(non_temporal_t outputs) const {
        return codes_[outputs.dst][outputs.sum].get([&] {
            row_forward_spec_t spec = plan_.spec;
            spec.is_dst_non_temporal = outputs.dst;
            spec.is_sum_non_temporal = outputs.sum;
            return row_forward_kernel_t(spec).finish();
        });
    }

    dim_t rows_per_task() const {
        constexpr dim_t block = 4; // rows of a row block at most
        const dim_t rows = cpu::items_per_task(plan_.rows.rows(), plan_.row_bytes);
        return (rows + block - 1) / block * block;
    }

    const rows_forward_plan_t &plan_;
    mutable std::array<std::array<jit::lazy_code_t, 2>, 2> codes_; // by non_temporal_t
    std::optional<weight_floats_t> weight_floats_;
};

std::unique_ptr<primitive_impl_t> rows_forward_plan_t::create(const primitive_desc_t &) const {
    return std::make_unique<rows_forward_t>(*this);
}

} // namespace

refusal_t accept_rows_forward(layer_normalization_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    const int cols_axis = pd.src().ndims - 1;
    operand_layouts_t layouts(pd);
    for (const int arg : {DNNL_ARG_SRC, DNNL_ARG_DST, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE})
        layouts.add(arg);
    for (const int arg : {DNNL_ARG_SCALE, DNNL_ARG_SHIFT}) layouts.add_shared(arg);
    for (const int arg : {DNNL_ARG_SRC_1, DNNL_ARG_DST_1, DNNL_ARG_DST_2}) layouts.add(arg);
    for (const int arg : {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST,
                 DNNL_ARG_SRC_2})
        layouts.add_shared(arg);
    std::vector<jit::post_op_link_t> chain;
    if (const refusal_t refusal = add_post_ops_along(pd, cols_axis, layouts, chain)) return refusal;

    const auto made = std::make_shared<rows_forward_plan_t>(
            layouts.operands(), row_plan_t(cols_axis, layouts.mds()));
    operands_t &operands = made->operands;
    if (converts_weights(pd.scale_shift().data_type, pd.rows())) {
        made->narrow_weights = pd.scale_shift().data_type;
        for (const size_t i : {spec_t::scale, spec_t::shift})
            if (operands[i].type != dnnl_data_type_undef) operands.set_type(i, dnnl_f32);
        pd.set_scratchpad_size(
                static_cast<size_t>(2 * weight_floats_pitch(pd.cols())) * sizeof(float));
    }
    for (const size_t i : {spec_t::src, spec_t::dst, spec_t::src_1, spec_t::sum})
        made->row_bytes += operands[i].bytes(pd.cols());
    row_forward_spec_t &spec = made->spec;
    spec.isa = isa;
    spec.operands = operands.rows_of(made->rows);
    spec.post_ops = std::move(chain);
    spec.cols = pd.cols();
    spec.rows = made->rows.run_length();
    spec.is_streamed = fills_half_of_cache(pd.rows() * made->row_bytes);
    spec.statistics = statistics_of(pd);
    spec.is_rms = pd.is_rms();
    spec.epsilon = pd.desc().epsilon;
    spec.keeps_results = pd.has_row_scale();
    if (spec.scratch_size() > scratch_bytes) spec.keeps_results = false;
    made->can_store_sum_non_temporal = has_scratch_for_sum(spec);
    plan = made;
    return accepted();
}

} // namespace kiln::x64::layer_normalization
