// SPDX-License-Identifier: Apache-2.0
// Nests whose innermost loop in src is that in dst.

#include <algorithm>
#include <array>

#include "common/data_type.hpp"
#include "cpu/x64/jit/lazy_code.hpp"
#include "cpu/x64/reorder/reorder_pass.hpp"
#include "cpu/x64/reorder/run_kernel.hpp"

namespace kiln::x64::reorder {
namespace {

constexpr dim_t cache_line = 64;
/// What an item should move to be worth its call, and few enough to share them among threads.
constexpr dim_t wanted_item_bytes = 32768;
/// Longer runs are cut.
constexpr dim_t longest_run = 8192;

bool is_run(const loop_t &loop) { return loop.src_stride == 1 && loop.dst_stride == 1; }

/// Bits that are moved as they are count as f32, four bytes each. Padding that is not whole vectors
/// is left out.
run_spec_t spec_of(const nest_t &nest, const element_types_t &types, dim_t cols) {
    run_spec_t spec{isa_t::avx2, types.src, types.dst, cols, 0, nest.padding, 1, false};
    if (types.src == types.dst) {
        const dim_t bytes = cols * types.src_size, zeros = nest.padding * types.src_size;
        if (zeros == 0 || (bytes % 4 == 0 && zeros % 4 == 0)) {
            spec.src_type = spec.dst_type = dnnl_f32;
            spec.cols = bytes / 4;
            spec.rest_bytes = static_cast<int>(bytes % 4);
            spec.padding = zeros / 4;
        } else if (types.src_size == 1) {
            spec.src_type = spec.dst_type = dnnl_u8; // goes through float and back unharmed
        } else {
            nest_t unpadded = nest;
            unpadded.padding = 0;
            return spec_of(unpadded, types, cols);
        }
    }
    if (spec.cols + spec.padding > jit::lanes_of(spec.isa)) spec.isa = exact_isa();
    if (!spec.has_padding()) spec.padding = 0;
    return spec;
}

class run_pass_t final : public reorder_pass_t {
public:
    run_pass_t(const nest_t &nest, const element_types_t &types)
        : reorder_pass_t(nest, types) {
        std::vector<loop_t> outer = nest.loops;
        const auto run = std::find_if(outer.begin(), outer.end(), is_run);
        cols_ = run == outer.end() ? 1 : run->extent;
        if (run != outer.end()) outer.erase(run);
        spec_ = spec_of(nest, types, cols_);
        choose_vector_bytes(outer);
        take_steps(outer);
        take_rows(outer);
        const dim_t row_bytes = spec_.steps * cols_ * (types.src_size + types.dst_size);
        rows_of_item_ = std::clamp<dim_t>(wanted_item_bytes / row_bytes, 1, rows_.extent);
        set_items(std::move(outer), (rows_.extent + rows_of_item_ - 1) / rows_of_item_,
                rows_of_item_ * row_bytes);
        code_for(false);
    }

    bool pads() const { return spec_.padding != 0; }

private:
    void execute_chunk(place_t at, dim_t chunk, bool is_non_temporal) const override {
        const dim_t first = chunk * rows_of_item_;
        const dim_t src_stride = rows_.src_stride * types_.src_size;
        const dim_t dst_stride = rows_.dst_stride * types_.dst_size;
        run_args_t args{at.src + first * src_stride, at.dst + first * dst_stride,
                std::min(rows_of_item_, rows_.extent - first), src_stride, dst_stride,
                step_.src_stride * types_.src_size, step_.dst_stride * types_.dst_size};
        code_for(is_non_temporal).entry<void (*)(run_args_t *)>()(&args);
    }

    const jit::executable_code_t &code_for(bool is_non_temporal) const {
        return codes_[is_non_temporal ? 1 : 0].get([&] {
            run_spec_t spec = spec_;
            spec.is_non_temporal = is_non_temporal;
            return run_kernel_t(spec).finish();
        });
    }

    void choose_vector_bytes(const std::vector<loop_t> &loops) {
        const auto size = static_cast<dim_t>(data_type_size(spec_.dst_type));
        const bool is_whole = (spec_.cols + spec_.padding) % jit::lanes_of(spec_.isa) == 0;
        if (size > 1 && is_whole && spec_.rest_bytes == 0)
            set_vector_bytes(jit::lanes_of(spec_.isa) * size, loops);
    }

    /// A few short runs that follow one another in src or in dst go together, so that a cache line
    /// is met once.
    void take_steps(std::vector<loop_t> &loops) {
        const dim_t run_bytes = cols_ * std::min(types_.src_size, types_.dst_size);
        if (run_bytes >= cache_line) return;
        const auto next = std::find_if(loops.begin(), loops.end(), [&](const loop_t &loop) {
            return loop.src_stride == cols_ || loop.dst_stride == cols_ + nest_.padding;
        });
        if (next == loops.end()) return;
        constexpr dim_t most_steps = 8;
        dim_t steps = next->extent;
        if (steps > most_steps)
            for (steps = std::min(most_steps, cache_line / run_bytes); steps > 1; steps /= 2)
                if (next->extent % steps == 0) break;
        if (steps <= 1) return;
        spec_.steps = static_cast<int>(steps);
        step_ = {steps, next->src_stride, next->dst_stride};
        *next = {next->extent / steps, next->src_stride * steps, next->dst_stride * steps};
        if (next->extent == 1) loops.erase(next);
    }

    void take_rows(std::vector<loop_t> &loops) {
        if (loops.empty()) return;
        rows_ = loops.back();
        loops.pop_back();
    }

    dim_t cols_;
    run_spec_t spec_;
    loop_t step_{1, 0, 0}, rows_{1, 0, 0};
    dim_t rows_of_item_;
    mutable std::array<jit::lazy_code_t, 2> codes_;
};

void add_pass(passes_t &passes, const nest_t &nest, const element_types_t &types, bool &pads) {
    auto pass = std::make_unique<run_pass_t>(nest, types);
    if (nest.padding != 0 && !pass->pads()) pads = false;
    passes.push_back(std::move(pass));
}

} // namespace

bool add_run_passes(
        passes_t &passes, const nest_t &nest, const element_types_t &types, bool &pads) {
    const auto run = std::find_if(nest.loops.begin(), nest.loops.end(), is_run);
    if (run == nest.loops.end() && !nest.loops.empty()) return false;
    if (run == nest.loops.end() || run->extent <= 2 * longest_run) {
        add_pass(passes, nest, types, pads);
        return true;
    }
    const dim_t rest = run->extent % longest_run;
    nest_t whole = nest;
    loop_t &cut = whole.loops[static_cast<size_t>(run - nest.loops.begin())];
    cut = {run->extent / longest_run, longest_run, longest_run};
    whole.loops.push_back({longest_run, 1, 1});
    add_pass(passes, whole, types, pads);
    if (rest == 0) return true;
    nest_t last = nest;
    last.loops[static_cast<size_t>(run - nest.loops.begin())].extent = rest;
    last.src_offset += run->extent - rest;
    last.dst_offset += run->extent - rest;
    add_pass(passes, last, types, pads);
    return true;
}

} // namespace kiln::x64::reorder
