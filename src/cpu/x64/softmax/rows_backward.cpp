// SPDX-License-Identifier: Apache-2.0
// Gradients of softmax and logsoftmax on rows.

#include "cpu/x64/softmax/row_backward_kernel.hpp"
#include "cpu/x64/softmax/rows_plan.hpp"

namespace kiln::x64::softmax {
namespace {

using backward_t = backward_spec_t;

struct rows_backward_plan_t : rows_plan_t<backward_t> {
    refusal_t init(softmax_pd_t &pd, lines_t &lines, isa_t isa) {
        spec = backward_spec_of(pd, lines);
        spec.isa = isa;
        if (const refusal_t refusal = rows_plan_t::init(pd, lines)) return refusal;
        const bool threads_share_rows = is_cut;
        is_cut |= exceeds_a_cache();
        spec.sweeps_twice = !is_cut && pays_to_sweep_twice();
        choose_stores(!threads_share_rows && fills_half_of_cache(footprint()),
                !is_cut && suits_shifted_stores() && !spec.is_in_registers());
        if (spec.is_shifted) spec.fetches_next_row = true; // a short row crosses pages, too
        if (is_cut)
            pd.set_scratchpad_size(static_cast<size_t>(rows->rows() * chunks()) * sizeof(float));
        return accepted();
    }
    /// Whether one thread computes all chunks of a row.
    bool has_rows_of_one_thread() const { return is_cut && !are_cut(rows->rows(), spec.line); }

    backward_t result_spec() const {
        backward_t result = at_stage(spec, stage_t::result);
        result.types[backward_t::sum] = dnnl_f32;
        return result;
    }
    backward_t chunk_spec() const {
        backward_t chunk = at_stage(result_spec(), stage_t::chunk);
        chunk.types[backward_t::diff_src] = dnnl_data_type_undef;
        return chunk;
    }

private:
    /// Whether dst and diff_dst of a row fill the second-level cache of most cores. The limit is
    /// the same on every processor, since the order of additions depends on it.
    bool exceeds_a_cache() const {
        constexpr dim_t cache_bytes = 1000000;
        const dim_t written = operands[backward_t::diff_src].bytes(spec.line);
        return row_bytes - written >= cache_bytes && spec.line >= 2 * chunk_elements;
    }
    /// Whether rows that registers hold, and that begin within cache lines, gain more by shifted
    /// non-temporal stores than a second sweep costs: in memory. The limit is the same on every
    /// processor for the same reason.
    bool pays_to_sweep_twice() const {
        constexpr dim_t memory_bytes = 1 << 24;
        return spec.types[backward_t::diff_src] == dnnl_f32 && footprint() >= memory_bytes
               && spec.line % jit::lanes_of(spec.isa) != 0 && suits_shifted_stores();
    }
    bool suits_shifted_stores() const {
        constexpr dim_t few_vectors = 12; // of which two are partial
        const auto is_f32 = [&](size_t i) { return !spec.has(i) || spec.types[i] == dnnl_f32; };
        const bool are_floats = is_f32(backward_t::dst) && is_f32(backward_t::diff_dst)
                                && is_f32(backward_t::diff_src);
        const bool are_paired = spec.vectors() == vectors_t::paired;
        return has(spec.isa, feature_t::avx512_core) && (are_floats || are_paired)
               && spec.line >= few_vectors * jit::lanes_of(spec.isa) * (are_paired ? 2 : 1);
    }
};

class rows_backward_t final : public rows_primitive_t<row_backward_kernel_t, rows_backward_plan_t> {
public:
    using rows_primitive_t::rows_primitive_t;

private:
    void execute_rows(const jit::executable_code_t &code, bool is_non_temporal,
            const addresses_t &bases, std::byte *) const override {
        const dim_t rows = plan_.rows->rows();
        parallel_stores(cpu::shares_of(rows, plan_.row_bytes), is_non_temporal,
                [&](dim_t begin, dim_t end) {
                    call_for_each_run(
                            code, plan_.operands, *plan_.rows, bases, begin, end, spec_.line);
                });
    }

    void execute_chunks(const jit::executable_code_t &code, const addresses_t &bases,
            std::byte *scratchpad) const override {
        auto *const sums = reinterpret_cast<float *>(scratchpad);
        const dim_t chunks = plan_.chunks();
        const auto call = [&](const jit::executable_code_t &kernel, dim_t row, dim_t chunk,
                                  float *sum) {
            tiled_row_args_t args = plan_.chunk_args(bases, row, chunk * chunk_elements);
            args.operands[backward_t::sum] = sum;
            kernel(args);
        };
        const auto add = [&](dim_t row, dim_t chunk) {
            call(*chunk_code_, row, chunk, sums + row * chunks + chunk);
        };
        const auto add_chunks = [&](dim_t row) {
            double total = 0;
            for (dim_t i = 0; i < chunks; ++i) total += static_cast<double>(sums[row * chunks + i]);
            sums[row * chunks] = static_cast<float>(total);
        };
        const auto finish = [&](dim_t row, dim_t chunk) {
            call(code, row, chunk, sums + row * chunks);
        };
        const dim_t rows = plan_.rows->rows();
        if (plan_.has_rows_of_one_thread()) {
            parallel_stores(cpu::shares_of(rows, plan_.row_bytes), plan_.can_be_non_temporal,
                    [&](dim_t begin, dim_t end) {
                        for (dim_t row = begin; row < end; ++row) {
                            for (dim_t chunk = 0; chunk < chunks; ++chunk) add(row, chunk);
                            add_chunks(row);
                            // Backwards: the caches have what was read last.
                            for (dim_t chunk = chunks; chunk-- > 0;) finish(row, chunk);
                        }
                    });
            return;
        }
        plan_.for_each_chunk(false, add);
        for (dim_t row = 0; row < rows; ++row) add_chunks(row);
        plan_.for_each_chunk(true, finish);
    }
};

} // namespace

refusal_t accept_backward_rows(softmax_pd_t &pd, lines_t &lines, isa_t isa, plan_ptr_t &plan) {
    return accept_plan_of<rows_backward_t, rows_backward_plan_t>(
            plan, [&](rows_backward_plan_t &work) { return work.init(pd, lines, isa); });
}

} // namespace kiln::x64::softmax
