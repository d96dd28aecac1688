// SPDX-License-Identifier: Apache-2.0
// Softmax and logsoftmax forward on rows.

#include <algorithm>
#include <cmath>

#include "common/integers.hpp"
#include "common/memory/data_type.hpp"
#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/rows/half_page.hpp"
#include "cpu/x64/rows/stack_memory.hpp"
#include "cpu/x64/softmax/row_forward_kernel.hpp"
#include "cpu/x64/softmax/rows_plan.hpp"

namespace kiln::x64::softmax {
namespace {

using forward_t = forward_spec_t;

/// Interim rows up to this size are on the stack.
constexpr size_t stack_bytes = 32768;

struct rows_forward_plan_t : rows_plan_t<forward_t> {
    refusal_t init(softmax_pd_t &pd, lines_t &lines, isa_t isa) {
        spec = forward_spec_of(pd, lines);
        spec.isa = isa;
        if (const refusal_t refusal = rows_plan_t::init(pd, lines)) return refusal;
        // Short rows of narrow types are limited by arithmetic.
        const bool is_wide = !spec.is_in_registers() || spec.types[forward_t::dst] == dnnl_f32;
        choose_stores(!is_cut && is_wide && spec.post_ops.empty() && has_near_interim()
                              && fills_most_of_cache(footprint()),
                can_be_shifted());
        spec.is_non_temporal = can_be_non_temporal;
        interim_size = row_forward_kernel_t::interim_bytes(spec);
        if (interim_size != 0) spec.types[forward_t::interim] = dnnl_f32;
        if (is_cut) {
            const auto values = static_cast<size_t>(rows->rows() * chunks());
            pd.set_scratchpad_size(
                    static_cast<size_t>(rows->rows()) * interim_size + 3 * values * sizeof(float));
        } else if (interim_size > stack_bytes) {
            shares = std::min(rows->rows(), cpu::thread_count());
            pd.set_scratchpad_size(static_cast<size_t>(shares) * share_size());
        }
        return accepted();
    }
    /// Bytes of a task's memory, in which the interim row lies half a page from src.
    size_t share_size() const { return interim_size + page_bytes; }
    forward_t chunk_spec() const {
        forward_t chunk = at_stage(spec, stage_t::chunk);
        for (const size_t i : {forward_t::stats, forward_t::src_scale, forward_t::dst_scale})
            chunk.types[i] = dnnl_data_type_undef;
        if (interim_size != 0) chunk.types[forward_t::dst] = dnnl_data_type_undef;
        chunk.types[forward_t::maximum] = chunk.types[forward_t::sum] = dnnl_f32;
        chunk.post_ops.resize(spec.pre_ops);
        return chunk;
    }
    forward_t result_spec() const {
        forward_t result = at_stage(spec, stage_t::result);
        if (spec.is_log) result.types[forward_t::maximum] = dnnl_f32;
        if (spec.keeps_line()) result.types[forward_t::src] = dnnl_data_type_undef;
        result.types[forward_t::sum] = dnnl_f32;
        result.types[forward_t::stats] = dnnl_data_type_undef;
        return result;
    }

private:
    /// Ordinary stores keep f32 exponentials in dst. Non-temporal ones need an interim row for
    /// them, which must stay in the L2 cache beside src.
    bool has_near_interim() const {
        if (spec.types[forward_t::dst] != dnnl_f32) return true; // then both need it
        const size_t bytes = sizeof(float) + data_type_size(spec.types[forward_t::src]);
        return static_cast<size_t>(spec.line) * bytes <= second_level_cache_size() / 2;
    }
    bool can_be_shifted() const {
        const bool are_floats = spec.types[forward_t::dst] == dnnl_f32
                                && (!spec.is_log || spec.types[forward_t::src] == dnnl_f32);
        // What is left of a row costs as much as a short row of exponentials gains.
        constexpr dim_t many_vectors = 24;
        const bool is_long = spec.is_log ? !spec.is_in_registers()
                                         : spec.line >= many_vectors * jit::lanes_of(spec.isa);
        return has(spec.isa, feature_t::avx512_core) && are_floats && is_long;
    }
};

class rows_forward_t final : public rows_primitive_t<row_forward_kernel_t, rows_forward_plan_t> {
public:
    using rows_primitive_t::rows_primitive_t;

private:
    void execute_rows(const jit::executable_code_t &code, bool is_non_temporal,
            const addresses_t &bases, std::byte *scratchpad) const override {
        const dim_t rows = plan_.rows->rows();
        const bool has_shares = plan_.interim_size > stack_bytes;
        // An exponential takes as long as to read and write a float.
        const dim_t exponentials = cpu::bytes_as_floats(0, spec_.line);
        const cpu::shares_t shares =
                has_shares ? cpu::shares_t{rows, plan_.shares}
                           : cpu::shares_of(rows, cpu::bytes_as_floats(plan_.row_bytes, spec_.line)
                                                          + exponentials);
        parallel_stores(shares, is_non_temporal, [=, this, &code, &bases](dim_t begin, dim_t end) {
            const auto call = [&](std::byte *memory) {
                call_for_runs(code, bases, memory, begin, end);
            };
            if (has_shares)
                call(scratchpad + static_cast<size_t>(shares.task(begin)) * plan_.share_size());
            else if (plan_.interim_size != 0)
                with_stack_memory<stack_bytes + page_bytes>(call);
            else
                call(nullptr);
        });
    }

    void call_for_runs(const jit::executable_code_t &code, const addresses_t &bases,
            std::byte *memory, dim_t begin, dim_t end) const {
        plan_.rows->for_each_run(begin, end, [&](const row_run_t &run) {
            tiled_row_args_t args =
                    tiled_row_args(plan_.operands, *plan_.rows, bases, run, spec_.line);
            if (memory != nullptr)
                args.operands[forward_t::interim] =
                        half_page_from(args.operands[forward_t::src], memory);
            code(args);
        });
    }

    /// The values of a problem that is cut, in the scratchpad behind the interim rows.
    struct values_t {
        std::byte *interim;
        float *maxima, *sums, *results; // of each chunk
    };

    void execute_chunks(const jit::executable_code_t &code, const addresses_t &bases,
            std::byte *scratchpad) const override {
        const dim_t rows = plan_.rows->rows(), chunks = plan_.chunks();
        values_t v{scratchpad, {}, {}, {}};
        v.maxima = reinterpret_cast<float *>(
                scratchpad + static_cast<size_t>(rows) * plan_.interim_size);
        v.sums = v.maxima + rows * chunks;
        v.results = v.sums + rows * chunks;
        plan_.for_each_chunk(false, [&](dim_t row, dim_t chunk) {
            tiled_row_args_t args = chunk_args(bases, v, row, chunk);
            args.operands[forward_t::maximum] = v.maxima + row * chunks + chunk;
            args.operands[forward_t::sum] = v.sums + row * chunks + chunk;
            (*chunk_code_)(args);
        });
        for (dim_t row = 0; row < rows; ++row) combine(bases, v, row);
        plan_.for_each_chunk(true, [&](dim_t row, dim_t chunk) {
            tiled_row_args_t args = chunk_args(bases, v, row, chunk);
            args.operands[forward_t::maximum] = v.maxima + row * chunks;
            args.operands[forward_t::sum] = v.results + row * chunks + chunk;
            code(args);
        });
    }

    tiled_row_args_t chunk_args(
            const addresses_t &bases, const values_t &v, dim_t row, dim_t chunk) const {
        tiled_row_args_t args = plan_.chunk_args(bases, row, chunk * chunk_elements);
        args.operands[forward_t::interim] =
                v.interim + static_cast<size_t>(row) * plan_.interim_size
                + static_cast<size_t>(chunk) * chunk_elements * sizeof(float);
        return args;
    }

    /// From the chunks' maxima m and sums s: M = max(m), S = sum(s * exp(m - M)). The first maximum
    /// becomes M; results are exp(m - M) / S, or log(S).
    void combine(const addresses_t &bases, const values_t &v, dim_t row) const {
        const dim_t chunks = plan_.chunks();
        float *const maxima = v.maxima + row * chunks, *const sums = v.sums + row * chunks;
        float *const results = v.results + row * chunks;
        const float greatest = *std::max_element(maxima, maxima + chunks);
        const auto weight = [&](dim_t i) {
            return std::exp(static_cast<double>(maxima[i]) - static_cast<double>(greatest));
        };
        double sum = 0;
        for (dim_t i = 0; i < chunks; ++i) sum += weight(i) * static_cast<double>(sums[i]);
        const double log_of_sum = std::log(sum);
        for (dim_t i = 0; i < chunks; ++i)
            results[i] = static_cast<float>(spec_.is_log                    ? log_of_sum
                                            : spec_.is_inf_zero && sum == 0 ? 0
                                                                            : weight(i) / sum);
        maxima[0] = greatest;
        const size_t stats = forward_t::stats;
        if (bases[stats] == nullptr) return;
        const double stat =
                spec_.is_inf_zero && sum == 0 ? 0 : static_cast<double>(greatest) + log_of_sum;
        store_f64(
                plan_.operands[stats].type, stat, bases[stats], plan_.rows->offset_of(row, stats));
    }
};

} // namespace

refusal_t accept_forward_rows(softmax_pd_t &pd, lines_t &lines, isa_t isa, plan_ptr_t &plan) {
    return accept_plan_of<rows_forward_t, rows_forward_plan_t>(
            plan, [&](rows_forward_plan_t &work) { return work.init(pd, lines, isa); });
}

} // namespace kiln::x64::softmax
