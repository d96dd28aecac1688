// SPDX-License-Identifier: Apache-2.0
// Passes over nests that have one loop of stride 1 in both tensors.

#include <algorithm>

#include "common/integers.hpp"
#include "common/memory/data_type.hpp"
#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/instructions.hpp"
#include "cpu/x64/isa.hpp"
#include "cpu/x64/jit/code/lazy_code.hpp"
#include "cpu/x64/nests/nest_pass.hpp"
#include "cpu/x64/nests/run_kernel.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64::nests {
namespace {

/// Bytes of a run from which on it is read in the order of src, and prefetched a page ahead.
constexpr dim_t long_run_bytes = 1024;

/// Bytes of an item: enough to be worth a call, few enough to share items among threads.
constexpr dim_t wanted_item_bytes = 32768;
/// Elements of a run; a longer one is cut.
constexpr dim_t longest_run = 8192;
/// Bytes of a run from which on a string instruction copies it.
constexpr dim_t shortest_string = 4096;
/// wanted_item_bytes of strings, unless there would be few items: the processor starts a string
/// slowly.
constexpr dim_t wanted_string_bytes = 131072;

/// Whether elements are moved four bytes at a time.
bool are_words(const nest_t &nest, const element_types_t &types, dim_t cols) {
    if (!types.move_bits()) return false;
    if (cols * types.src_size % 4 == 0) return nest.padding * types.src_size % 4 == 0;
    // The bytes behind the last word are moved one by one.
    return types.src == types.dst && nest.padding == 0 && nest.block == 0;
}

/// Bytes that a nest reads and writes.
dim_t footprint_of(const nest_t &nest, const element_types_t &types) {
    dim_t footprint = types.src_size + types.dst_size;
    for (const loop_t &loop : nest.loops) footprint *= loop.extent;
    return footprint;
}

/// Padding that has no code is left out.
run_spec_t spec_of(isa_t isa, const nest_t &nest, const element_types_t &types, dim_t cols) {
    const bool words = are_words(nest, types, cols);
    // Bytes of an element where it is masked: in memory or in a lane.
    const dim_t size = words ? types.src_size : 4;
    run_spec_t spec{.isa = isa,
            .src_type = types.loaded(),
            .dst_type = types.dst,
            .clamp = types.clamp(),
            .cols = cols,
            .padding = nest.padding,
            .block_bytes = static_cast<int>(nest.block * size),
            .kept_bytes = static_cast<int>(nest.kept * size)};
    if (words) {
        // A few bytes are moved in general registers.
        constexpr dim_t few_bytes = 15;
        const dim_t bytes = cols * size;
        const bool is_short = bytes <= few_bytes && types.src == types.dst && nest.padding == 0
                              && nest.block == 0;
        spec.src_type = spec.dst_type = dnnl_f32;
        spec.cols = is_short ? 0 : bytes / 4;
        spec.rest_bytes = static_cast<int>(is_short ? bytes : bytes % 4);
        spec.padding = nest.padding * size / 4;
        // Half a vector needs no mask. Every second run of half lines begins within a line, which
        // wide vectors would cross.
        const isa_t half = half_width_isa(isa);
        const bool has_half_line = jit::lanes_of(isa) * 4 == cache_line_bytes
                                   && bytes % cache_line_bytes == cache_line_bytes / 2
                                   && fills_half_of_cache(footprint_of(nest, types));
        if (spec.cols + spec.padding == jit::lanes_of(half) || has_half_line) spec.isa = half;
    }
    if (!spec.has_padding()) spec.padding = 0;
    spec.fetches_next_page = types.move_bits() && cols * types.src_size >= long_run_bytes
                             && pays_to_fetch_next_page(footprint_of(nest, types));
    return spec;
}

class run_pass_t final : public nest_pass_t {
public:
    run_pass_t(isa_t isa, const nest_t &nest, const element_types_t &types)
        : nest_pass_t(nest, types) {
        std::vector<loop_t> outer = nest.loops;
        const auto run = std::ranges::find_if(outer, is_run);
        cols_ = run == outer.end() ? 1 : run->extent;
        if (run != outer.end()) outer.erase(run);
        spec_ = spec_of(isa, nest, types, cols_);
        take_steps(outer);
        choose_stores(outer);
        if (is_read_in_order()) put_nearest_src_last(outer);
        if (!outer.empty()) rows_ = taken_last(outer);
        const dim_t row_bytes = spec_.steps * cols_ * (types.src_size + types.dst_size);
        is_string_ = has_fast_strings() && types.src == types.dst && run_bytes() >= shortest_string
                     && nest.padding == 0 && nest.block == 0;
        const dim_t wanted_bytes = is_string_ ? std::clamp(rows_.extent * row_bytes / least_items,
                                           wanted_item_bytes, wanted_string_bytes)
                                              : wanted_item_bytes;
        rows_of_item_ = std::clamp<dim_t>(wanted_bytes / row_bytes, 1, rows_.extent);
        const dim_t plane_bytes = rows_.extent * row_bytes;
        if (!is_string_ && 2 * plane_bytes <= wanted_bytes && !outer.empty())
            planes_ = taken_last(outer);
        const dim_t share = std::min(wanted_bytes, footprint_of(nest, types) / least_items);
        planes_of_item_ = std::clamp<dim_t>(share / plane_bytes, 1, planes_.extent);
        set_items(outer,
                divide_up(planes_.extent, planes_of_item_) * divide_up(rows_.extent, rows_of_item_),
                planes_of_item_ * rows_of_item_ * row_bytes);
        codes_.get(spec_, false);
    }

    bool pads() const { return spec_.padding != 0; }

private:
    void execute_chunk(place_t at, dim_t chunk, bool is_non_temporal) const override {
        // There are several planes, or rows of one plane.
        const dim_t first_plane = planes_.extent == 1 ? 0 : chunk * planes_of_item_;
        const dim_t first = planes_.extent == 1 ? chunk * rows_of_item_ : 0;
        at = at_iteration(planes_, first_plane, at_iteration(rows_, first, at));
        const dim_t src_stride = rows_.src_stride * types_.src_size;
        const dim_t dst_stride = rows_.dst_stride * types_.dst_size;
        run_args_t args{.src = at.src,
                .dst = at.dst,
                .rows = std::min(rows_of_item_, rows_.extent - first),
                .src_stride = src_stride,
                .dst_stride = dst_stride,
                .src_step = step_.src_stride * types_.src_size,
                .dst_step = step_.dst_stride * types_.dst_size,
                .planes = std::min(planes_of_item_, planes_.extent - first_plane),
                .src_plane = planes_.src_stride * types_.src_size,
                .dst_plane = planes_.dst_stride * types_.dst_size};
        // Strings to other addresses are slow on some processors.
        if (is_string_ && !is_non_temporal && are_aligned(args.dst, dst_stride, cache_line_bytes))
            copy_strings(at, args);
        else
            codes_.get(spec_, is_non_temporal)(args);
    }

    dim_t run_bytes() const { return cols_ * types_.dst_size; }

    /// Copies the rows of one plane.
    void copy_strings(const place_t &at, const run_args_t &args) const {
        if (args.src_stride == run_bytes() && args.dst_stride == run_bytes())
            return copy_string(at.dst, at.src, args.rows * run_bytes());
        for (dim_t row = 0; row < args.rows; ++row)
            copy_string(
                    at.dst + row * args.dst_stride, at.src + row * args.src_stride, run_bytes());
    }

    place_t at_iteration(const loop_t &loop, dim_t index, const place_t &at) const {
        return {at.src + index * loop.src_stride * types_.src_size,
                at.dst + index * loop.dst_stride * types_.dst_size};
    }

    /// Non-temporal stores may be used if rows are whole cache lines, or if they follow each other
    /// and have a whole half, so that both halves of a line are written one after the other.
    void choose_stores(std::vector<loop_t> loops) {
        const dim_t run = cols_ + nest_.padding;
        const bool is_dense = step_.dst_stride == run || spec_.steps == 1;
        const dim_t line = is_dense ? run * spec_.steps : run;
        const dim_t vector = jit::lanes_of(spec_.isa) * 4;
        const bool is_whole = run * types_.dst_size % vector == 0 && spec_.rest_bytes == 0;
        if (!is_dense) loops.push_back(step_);
        const bool are_vectors = spec_.dst_type == dnnl_f32 || types_.dst_size > 1;
        if (!are_vectors || !is_whole) return;
        constexpr dim_t few_lines = 4;
        if (run_bytes() >= few_lines * cache_line_bytes) set_long_runs();
        has_whole_lines_ = line * types_.dst_size % cache_line_bytes == 0;
        const bool has_halves = vector == cache_line_bytes / 2 && is_dense && !loops.empty()
                                && loops.back().dst_stride == line;
        if (has_whole_lines_)
            set_non_temporal(cache_line_bytes, loops);
        else if (has_halves)
            set_non_temporal(vector, loops);
    }

    /// Loops are in the order of dst. Long runs that come from memory are read in the order of src
    /// instead, because the processor prefetches what is read, if dst's lines stay whole.
    bool is_read_in_order() const {
        return has_whole_lines_ && run_bytes() >= long_run_bytes
               && fills_most_of_cache(footprint_of(nest_, types_));
    }

    static void put_nearest_src_last(std::vector<loop_t> &loops) {
        const auto nearest = std::ranges::min_element(loops, {}, &loop_t::src_stride);
        if (nearest != loops.end()) std::rotate(nearest, nearest + 1, loops.end());
    }

    /// A few short runs that are contiguous in src or in dst make one row, so that the kernel
    /// visits each of their cache lines once.
    void take_steps(std::vector<loop_t> &loops) {
        constexpr dim_t short_bytes = 512;
        const dim_t run_bytes = cols_ * std::min(types_.src_size, types_.dst_size);
        if (run_bytes >= short_bytes) return;
        auto next = std::ranges::find(loops, cols_ + nest_.padding, &loop_t::dst_stride);
        if (next == loops.end()) next = std::ranges::find(loops, cols_, &loop_t::src_stride);
        if (next == loops.end()) return;
        constexpr dim_t most_steps = 8;
        dim_t steps = next->extent;
        if (steps > most_steps)
            for (steps = most_steps; steps > 1; steps /= 2)
                if (next->extent % steps == 0) break;
        if (steps <= 1) return;
        spec_.steps = static_cast<int>(steps);
        step_ = {steps, next->src_stride, next->dst_stride};
        *next = {next->extent / steps, next->src_stride * steps, next->dst_stride * steps};
        if (next->extent == 1) loops.erase(next);
    }

    static loop_t taken_last(std::vector<loop_t> &loops) {
        const loop_t last = loops.back();
        loops.pop_back();
        return last;
    }

    dim_t cols_;
    run_spec_t spec_;
    loop_t step_{1, 0, 0}, rows_{1, 0, 0}, planes_{1, 0, 0};
    dim_t rows_of_item_, planes_of_item_;
    bool has_whole_lines_ = false; // rows of dst do
    bool is_string_;               // runs are copied by copy_string() where dst is aligned
    const jit::store_variants_t<run_kernel_t> codes_;
};

void add_pass(
        passes_t &passes, isa_t isa, const nest_t &nest, const element_types_t &types, bool &pads) {
    auto pass = std::make_unique<run_pass_t>(isa, nest, types);
    if (nest.padding != 0 && !pass->pads()) pads = false;
    passes.push_back(std::move(pass));
}

} // namespace

bool add_run_passes(
        passes_t &passes, isa_t isa, const nest_t &nest, const element_types_t &types, bool &pads) {
    const auto run = std::ranges::find_if(nest.loops, is_run);
    if (run == nest.loops.end() && !nest.loops.empty()) return false;
    if (run == nest.loops.end() || run->extent <= 2 * longest_run) {
        add_pass(passes, isa, nest, types, pads);
        return true;
    }
    const dim_t rest = run->extent % longest_run;
    if (nest.padding != 0 && rest == 0) pads = false; // the kernel would write it behind each part
    nest_t whole = nest;
    whole.padding = 0;
    loop_t &cut = whole.loops[static_cast<size_t>(run - nest.loops.begin())];
    cut = {run->extent / longest_run, longest_run, longest_run};
    whole.loops.push_back({longest_run, 1, 1});
    add_pass(passes, isa, whole, types, pads);
    if (rest == 0) return true;
    nest_t last = nest;
    last.loops[static_cast<size_t>(run - nest.loops.begin())].extent = rest;
    last.src_offset += run->extent - rest;
    last.dst_offset += run->extent - rest;
    add_pass(passes, isa, last, types, pads);
    return true;
}

} // namespace kiln::x64::nests
