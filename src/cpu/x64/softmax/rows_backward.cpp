// SPDX-License-Identifier: Apache-2.0
// Gradients of softmax and logsoftmax on rows.

#include <optional>

#include "common/primitive/primitive.hpp"
#include "cpu/x64/jit/code/lazy_code.hpp"
#include "cpu/x64/parallel_stores.hpp"
#include "cpu/x64/softmax/row_backward_kernel.hpp"
#include "cpu/x64/softmax/rows_plan.hpp"

namespace kiln::x64::softmax {
namespace {

using backward_t = backward_spec_t;

struct rows_backward_plan_t : rows_plan_t<backward_t> {
    bool can_be_non_temporal = false; // stores to diff_src

    refusal_t init(softmax_pd_t &pd, lines_t &lines, isa_t isa) {
        spec = backward_spec_of(pd, lines);
        spec.isa = isa;
        if (const refusal_t refusal = rows_plan_t::init(pd, lines)) return refusal;
        can_be_non_temporal = !is_cut && fills_half_of_cache(footprint());
        spec.is_shifted = can_be_non_temporal && !keeps_alignment() && can_be_shifted();
        if (spec.is_shifted) spec.fetches_next_row = true; // a short row crosses pages, too
        can_be_non_temporal = can_be_non_temporal && (spec.is_shifted || keeps_alignment());
        if (is_cut)
            pd.set_scratchpad_size(static_cast<size_t>(rows->rows() * chunks()) * sizeof(float));
        return accepted();
    }
    backward_t spec_at(stage_t stage) const {
        backward_t result = at_stage(spec, stage);
        result.types[backward_t::sum] = dnnl_f32;
        if (stage == stage_t::chunk) result.types[backward_t::diff_src] = dnnl_data_type_undef;
        return result;
    }
    bool is_non_temporal(const addresses_t &bases) const {
        constexpr size_t output = backward_t::diff_src;
        return can_be_non_temporal
               && operands.may_bypass_caches(bases, output, *rows, alignment_of_stores(output));
    }

private:
    bool keeps_alignment() const {
        const dim_t lanes = jit::lanes_of(spec.isa);
        return suits_non_temporal_stores(spec.isa, spec.types[backward_t::diff_src], spec.line)
               && rows->keeps_alignment(backward_t::diff_src, lanes);
    }
    bool can_be_shifted() const {
        constexpr dim_t few_vectors = 16; // of which two are partial
        const auto is_f32 = [&](size_t i) { return !spec.has(i) || spec.types[i] == dnnl_f32; };
        const bool are_floats = is_f32(backward_t::dst) && is_f32(backward_t::diff_dst)
                                && is_f32(backward_t::diff_src);
        const bool are_paired = spec.vectors() == vectors_t::paired;
        return has(spec.isa, feature_t::avx512_core) && (are_floats || are_paired)
               && spec.line >= few_vectors * jit::lanes_of(spec.isa) * (are_paired ? 2 : 1);
    }
};

class rows_backward_t final : public primitive_impl_t {
public:
    explicit rows_backward_t(const rows_backward_plan_t &plan)
        : plan_(plan)
        , spec_(plan.is_cut ? plan.spec_at(stage_t::result) : plan.spec) {
        codes_.get(spec_, plan.can_be_non_temporal);
        if (plan.is_cut)
            chunk_code_.emplace(row_backward_kernel_t(plan.spec_at(stage_t::chunk)).finish());
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        const addresses_t bases = plan_.operands.bind(ctx);
        const bool is_non_temporal = plan_.is_non_temporal(bases);
        const auto &code = codes_.get(spec_, is_non_temporal);
        if (plan_.is_cut) {
            execute_chunks(code, bases, reinterpret_cast<float *>(ctx.scratchpad()));
            return dnnl_success;
        }
        const dim_t rows = plan_.rows->rows();
        parallel_stores(rows, cpu::items_per_task(rows, plan_.row_bytes), is_non_temporal,
                [&](dim_t begin, dim_t end) {
                    call_for_each_run(
                            code, plan_.operands, *plan_.rows, bases, begin, end, spec_.line);
                });
        return dnnl_success;
    }

private:
    void execute_chunks(
            const jit::executable_code_t &code, const addresses_t &bases, float *sums) const {
        const dim_t chunks = plan_.chunks();
        const auto call = [&](const jit::executable_code_t &kernel, dim_t row, dim_t chunk,
                                  float *sum) {
            tiled_row_args_t args = plan_.chunk_args(bases, row, chunk * chunk_elements);
            args.operands[backward_t::sum] = sum;
            kernel(args);
        };
        plan_.for_each_chunk(false, [&](dim_t row, dim_t chunk) {
            call(*chunk_code_, row, chunk, sums + row * chunks + chunk);
        });
        for (dim_t row = 0; row < plan_.rows->rows(); ++row) {
            double total = 0;
            for (dim_t i = 0; i < chunks; ++i) total += static_cast<double>(sums[row * chunks + i]);
            sums[row * chunks] = static_cast<float>(total);
        }
        plan_.for_each_chunk(
                true, [&](dim_t row, dim_t chunk) { call(code, row, chunk, sums + row * chunks); });
    }

    const rows_backward_plan_t &plan_;
    const backward_t spec_;
    const jit::store_variants_t<row_backward_kernel_t> codes_;
    std::optional<jit::executable_code_t> chunk_code_; // if rows are cut
};

} // namespace

refusal_t accept_backward_rows(softmax_pd_t &pd, lines_t &lines, isa_t isa, plan_ptr_t &plan) {
    return accept_plan_of<rows_backward_t, rows_backward_plan_t>(
            plan, [&](rows_backward_plan_t &work) { return work.init(pd, lines, isa); });
}

} // namespace kiln::x64::softmax
