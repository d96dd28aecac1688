// SPDX-License-Identifier: Apache-2.0
// Layer normalization backward on rows as a primitive. The rows are cut into chunks by the problem
// alone: gradients of scale and shift are bit-identical for any number of threads.

#include <algorithm>
#include <optional>

#include "common/primitive/primitive.hpp"
#include "cpu/parallel.hpp"
#include "cpu/x64/jit/code/lazy_code.hpp"
#include "cpu/x64/layer_normalization/passes.hpp"
#include "cpu/x64/layer_normalization/row_backward_kernel.hpp"
#include "cpu/x64/post_op_operands.hpp"
#include "cpu/x64/rows/chunk_sums.hpp"
#include "cpu/x64/rows/row_calls.hpp"
#include "cpu/x64/rows/weight_floats.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64::layer_normalization {
namespace {

using spec_t = row_backward_spec_t;

/// Enough chunks for any number of threads that pays. Each has enough elements to be worth a
/// thread, and enough rows that clearing its sums and adding them to the others' takes little of
/// the time.
dim_t choose_chunk_rows(dim_t rows, dim_t cols) {
    constexpr dim_t most_chunks = 16, least_elements = 16384, least_rows = 8;
    const dim_t wanted = std::min({most_chunks, rows * cols / least_elements, rows / least_rows});
    const dim_t chunks = std::max(dim_t(1), wanted);
    return (rows + chunks - 1) / chunks;
}

/// What an execution asks for.
struct outputs_t {
    bool diff_src;
    bool weights;         // diff_scale or diff_shift
    bool is_non_temporal; // diff_src is stored with non-temporal stores
};

struct rows_backward_plan_t final : plan_t {
    rows_backward_plan_t(const operands_t &of, const row_plan_t &over)
        : operands(of)
        , rows(over) {}

    std::unique_ptr<primitive_impl_t> create(const primitive_desc_t &pd) const override;

    operands_t operands;
    row_plan_t rows;
    row_backward_spec_t spec;                         // with all outputs, and ordinary stores
    data_type_t narrow_scale = dnnl_data_type_undef;  // undef: scale is not converted
    data_type_t gradient_type = dnnl_data_type_undef; // of diff_scale and diff_shift; undef: none
    dim_t chunk_rows = 1;

    bool has_weight_gradients() const { return gradient_type != dnnl_data_type_undef; }
    dim_t chunks() const { return (rows.rows() + chunk_rows - 1) / chunk_rows; }
    /// Floats from the sums of a chunk for diff_scale to those for diff_shift.
    dim_t sums_pitch() const { return weight_floats_pitch(spec.cols); }
    /// Floats of all chunks' sums. They come first in the scratchpad, the converted scale follows.
    dim_t sums_size() const { return has_weight_gradients() ? chunks() * 2 * sums_pitch() : 0; }

    /// Whether diff_src is stored with non-temporal stores. Null buffers count as aligned.
    bool is_non_temporal(const addresses_t &bases) const {
        return spec.is_streamed && rows.run_length() == rows.rows()
               && !operands.has_alias(bases, spec_t::diff_src)
               && are_aligned(operands.locate(
                                      bases, spec_t::diff_src, rows.offset_of(0, spec_t::diff_src)),
                       spec.pitch(spec_t::diff_src),
                       non_temporal_alignment(spec.isa, spec.type(spec_t::diff_src)));
    }
};

class rows_backward_t final : public primitive_impl_t {
public:
    explicit rows_backward_t(const rows_backward_plan_t &plan)
        : plan_(plan) {
        const row_backward_spec_t &spec = plan.spec;
        code_for({.diff_src = true,
                .weights = plan.has_weight_gradients(),
                .is_non_temporal = plan.is_non_temporal({})});
        if (plan.narrow_scale != dnnl_data_type_undef)
            weight_floats_.emplace(spec.isa, spec.cols, plan.narrow_scale);
        if (plan.has_weight_gradients()) totals_.emplace(spec.isa, spec.cols, plan.gradient_type);
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        const addresses_t buffers = plan_.operands.bind(ctx);
        void *const diff_scale = buffers[spec_t::diff_scale];
        void *const diff_shift = buffers[spec_t::diff_shift];
        const bool wants_diff_src = buffers[spec_t::diff_src] != nullptr;
        const outputs_t wanted{.diff_src = wants_diff_src,
                .weights = diff_scale != nullptr || diff_shift != nullptr,
                .is_non_temporal = wants_diff_src && plan_.is_non_temporal(buffers)};
        if (!wanted.diff_src && !wanted.weights) return dnnl_success;
        auto *const sums = reinterpret_cast<float *>(ctx.scratchpad());
        addresses_t bases = buffers;
        if (weight_floats_)
            bases[spec_t::scale] =
                    weight_floats_->convert(bases[spec_t::scale], sums + plan_.sums_size());
        const jit::executable_code_t &code = code_for(wanted);
        cpu::parallel_chunks(plan_.rows.rows(), plan_.chunk_rows,
                [&](dim_t begin, dim_t end) { execute_chunk(code, bases, sums, begin, end); });
        store_totals(sums, 0, diff_scale);
        store_totals(sums, plan_.sums_pitch(), diff_shift);
        return dnnl_success;
    }

private:
    const jit::executable_code_t &code_for(outputs_t outputs) const {
        jit::lazy_code_t &code = codes_[outputs.diff_src][outputs.weights][outputs.is_non_temporal];
        return code.get([&] {
            row_backward_spec_t spec = plan_.spec;
            if (!outputs.diff_src) spec.operands[spec_t::diff_src] = {};
            if (!outputs.weights)
                spec.operands[spec_t::diff_scale] = spec.operands[spec_t::diff_shift] = {};
            spec.is_non_temporal = outputs.is_non_temporal;
            return row_backward_kernel_t(spec).finish();
        });
    }

    void execute_chunk(const jit::executable_code_t &code, addresses_t bases, float *sums,
            dim_t begin, dim_t end) const {
        if (plan_.has_weight_gradients()) {
            float *at = sums + begin / plan_.chunk_rows * 2 * plan_.sums_pitch();
            for (const size_t weights : {spec_t::diff_scale, spec_t::diff_shift}) {
                std::fill_n(at, plan_.spec.cols, 0.f);
                bases[weights] = at;
                at += plan_.sums_pitch();
            }
        }
        call_for_each_run(code, plan_.operands, plan_.rows, bases, begin, end);
    }

    void store_totals(const float *sums, dim_t first, void *to) const {
        if (to == nullptr) return;
        totals_->store({sums + first, plan_.chunks(), 2 * plan_.sums_pitch()}, to);
    }

    const rows_backward_plan_t &plan_;
    mutable jit::lazy_code_t codes_[2][2][2];      // by outputs_t
    std::optional<chunk_totals_t> totals_;         // if there are weight gradients
    std::optional<weight_floats_t> weight_floats_; // if scale is converted
};

std::unique_ptr<primitive_impl_t> rows_backward_plan_t::create(const primitive_desc_t &) const {
    return std::make_unique<rows_backward_t>(*this);
}

/// Bytes that a call reads and writes, statistics and weights aside.
dim_t footprint_of(const operand_layouts_t &layouts) {
    dim_t bytes = 0;
    for (size_t i = 0; i < layouts.mds().size(); ++i)
        if (i < spec_t::element_operands || i >= spec_t::first_post_op)
            bytes += layouts.operands()[i].bytes(element_count(*layouts.mds()[i]));
    return bytes;
}

} // namespace

refusal_t accept_rows_backward(layer_normalization_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    const int cols_axis = pd.src().ndims - 1;
    operand_layouts_t layouts(pd);
    for (const int arg :
            {DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SRC, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE})
        layouts.add(arg);
    for (const int arg : {DNNL_ARG_SCALE, DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT})
        layouts.add_shared(arg);
    std::vector<jit::post_op_link_t> chain;
    if (const refusal_t refusal = add_post_ops_along(pd, cols_axis, layouts, chain)) return refusal;

    const auto made = std::make_shared<rows_backward_plan_t>(
            layouts.operands(), row_plan_t(cols_axis, layouts.mds()));
    operands_t &operands = made->operands;
    // Chunks have sums for both of diff_scale and diff_shift if either is an output.
    for (const size_t i : {spec_t::diff_scale, spec_t::diff_shift})
        if (operands[i].type != dnnl_data_type_undef) {
            made->gradient_type = operands[i].type;
            operands.set_type(i, dnnl_f32);
        }
    if (converts_weights(operands[spec_t::scale].type, pd.rows())) {
        made->narrow_scale = operands[spec_t::scale].type;
        operands.set_type(spec_t::scale, dnnl_f32);
    }
    made->chunk_rows = choose_chunk_rows(pd.rows(), pd.cols());
    row_backward_spec_t &spec = made->spec;
    spec.isa = isa;
    spec.operands = operands.rows_of(made->rows);
    spec.post_ops = std::move(chain);
    spec.cols = pd.cols();
    spec.rows = made->rows.run_length();
    spec.is_streamed = fills_half_of_cache(footprint_of(layouts));
    spec.is_rms = pd.is_rms();
    spec.has_constant_statistics = pd.has_global_stats();
    spec.epsilon = pd.desc().epsilon;
    const dim_t scale_size = made->narrow_scale == dnnl_data_type_undef ? 0 : made->sums_pitch();
    pd.set_scratchpad_size(static_cast<size_t>(made->sums_size() + scale_size) * sizeof(float));
    plan = made;
    return accepted();
}

} // namespace kiln::x64::layer_normalization
