// SPDX-License-Identifier: Apache-2.0
// Softmax on rows: what both directions plan, and how chunks of rows are shared among threads.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "common/integers.hpp"
#include "common/operations/softmax_pd.hpp"
#include "common/primitive/primitive.hpp"
#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/jit/code/lazy_code.hpp"
#include "cpu/x64/parallel_stores.hpp"
#include "cpu/x64/rows/tiled_row_kernel.hpp"
#include "cpu/x64/softmax/lines.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64::softmax {

/// Elements of a chunk; a multiple of a tile's width.
constexpr dim_t chunk_elements = 32768;

/// Few long rows are cut into chunks, so that threads share a row. It depends on the problem alone.
inline bool are_cut(dim_t rows, dim_t line) {
    constexpr dim_t few_rows = 16;
    return rows < few_rows && line >= 2 * chunk_elements;
}

/// What both directions work out.
template <typename spec_t> struct rows_plan_t {
    spec_t spec; // of whole rows
    operands_t operands;
    std::optional<row_plan_t> rows;
    row_offsets_t strides{}; // of the elements of a row
    dim_t row_bytes = 0;
    bool is_cut = false;
    bool can_be_non_temporal = false; // stores of the output
    dim_t shares = 1;                 // forward, with interim rows: tasks, each with an interim row
    size_t interim_size = 0; // bytes of an interim row, or of those of all rows if these are cut

    std::string text() const {
        const std::string elements = std::to_string(spec.line) + " elements";
        return rows->text() + " of " + elements
               + (is_cut ? " in " + std::to_string(chunks()) + " chunks\n" : "\n");
    }
    dim_t chunks() const { return divide_up(spec.line, chunk_elements); }
    dim_t footprint() const { return rows->rows() * row_bytes; }

    refusal_t init(const softmax_pd_t &pd, lines_t &lines) {
        for (size_t i = 0; i < spec_t::stepped; ++i) {
            if (lines.operands[i].type == dnnl_data_type_undef) continue;
            if (lines.axis.extent != 1 && lines.axis.strides[i] != 1)
                return refused("the elements along the axis are not adjacent in every tensor");
            row_bytes += lines.operands[i].bytes(pd.length());
        }
        operands = lines.operands;
        strides = lines.axis.strides;
        spec.line = pd.length();
        rows.emplace(lines.count(), std::move(lines.others), lines.origin);
        is_cut = are_cut(rows->rows(), spec.line);
        // The processor prefetches within a page by itself. Very long rows would leave the L2
        // cache.
        spec.fetches_next_row = fills_half_of_cache(footprint())
                                && operands[0].bytes(spec.line) >= page_bytes
                                && static_cast<size_t>(row_bytes) <= second_level_cache_size() / 2;
        return accepted();
    }

    /// Non-temporal stores, if they pay, where rows are aligned or can be shifted.
    void choose_stores(bool pay, bool can_be_shifted) {
        constexpr size_t output = spec_t::output;
        const bool keeps_alignment =
                suits_non_temporal_stores(spec.isa, spec.types[output], spec.line)
                && rows->keeps_alignment(output, jit::lanes_of(spec.isa));
        spec.is_shifted = pay && !keeps_alignment && can_be_shifted;
        can_be_non_temporal = pay && (spec.is_shifted || keeps_alignment);
    }
    bool is_non_temporal(const addresses_t &bases) const {
        constexpr size_t output = spec_t::output;
        const data_type_t type = spec.types[output];
        return can_be_non_temporal
               && operands.may_bypass_caches(bases, output, *rows,
                       spec.is_shifted ? data_type_size(type)
                                       : non_temporal_alignment(spec.isa, type));
    }

    /// The arguments for elements from `first` on of one row.
    tiled_row_args_t chunk_args(const addresses_t &bases, dim_t row, dim_t first) const {
        row_run_t run{1, rows->offsets_of(row)};
        for (size_t i = 0; i < operands.count(); ++i) run.offsets[i] += first * strides[i];
        return tiled_row_args(
                operands, *rows, bases, run, std::min(chunk_elements, spec.line - first));
    }

    /// Calls `body(row, chunk)` for all chunks, in tasks. A second sweep goes backwards: it finds
    /// in the caches what the first one left there.
    template <typename body_t> void for_each_chunk(bool goes_backwards, const body_t &body) const {
        const dim_t items = rows->rows() * chunks();
        const dim_t chunk_bytes = row_bytes / spec.line * chunk_elements;
        cpu::parallel_shares(
                cpu::shares_of(items, chunk_bytes), [=, this, &body](dim_t begin, dim_t end) {
                    for (dim_t n = begin; n < end; ++n) {
                        const dim_t i = goes_backwards ? begin + end - 1 - n : n;
                        body(i / chunks(), i % chunks());
                    }
                });
    }
};

/// The kernel for one of the stages of rows that are cut.
template <typename spec_t> spec_t at_stage(spec_t spec, stage_t stage) {
    spec.stage = stage;
    return spec;
}

/// Executes rows, or the chunks of rows that are cut.
template <typename kernel_t, typename work_t> class rows_primitive_t : public primitive_impl_t {
public:
    explicit rows_primitive_t(const work_t &plan)
        : plan_(plan)
        , spec_(plan.is_cut ? plan.result_spec() : plan.spec) {
        codes_.get(spec_, plan.can_be_non_temporal); // as for an aligned output
        if (plan.is_cut) chunk_code_.emplace(kernel_t(plan.chunk_spec()).finish());
    }

    status_t execute(const exec_ctx_t &ctx) const final {
        const addresses_t bases = plan_.operands.bind(ctx);
        const bool is_non_temporal = plan_.is_non_temporal(bases);
        const auto &code = codes_.get(spec_, is_non_temporal);
        if (plan_.is_cut)
            execute_chunks(code, bases, ctx.scratchpad());
        else
            execute_rows(code, is_non_temporal, bases, ctx.scratchpad());
        return dnnl_success;
    }

protected:
    virtual void execute_rows(const jit::executable_code_t &code, bool is_non_temporal,
            const addresses_t &bases, std::byte *scratchpad) const = 0;
    virtual void execute_chunks(const jit::executable_code_t &code, const addresses_t &bases,
            std::byte *scratchpad) const = 0;

    const work_t &plan_;
    const decltype(work_t::spec) spec_;
    std::optional<jit::executable_code_t> chunk_code_; // if rows are cut

private:
    const jit::store_variants_t<kernel_t> codes_;
};

/// Problems whose axis no blocks cut.
refusal_t accept_forward_rows(softmax_pd_t &pd, lines_t &lines, isa_t isa, plan_ptr_t &plan);
refusal_t accept_backward_rows(softmax_pd_t &pd, lines_t &lines, isa_t isa, plan_ptr_t &plan);

} // namespace kiln::x64::softmax
