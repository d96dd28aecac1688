// SPDX-License-Identifier: Apache-2.0
// The loops around the kernels that move elements.

#include "cpu/x64/nests/nest_pass.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>

#include "common/memory/data_type.hpp"
#include "common/memory/type_set.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64::nests {

element_types_t types_of(const memory_desc_t &src, const memory_desc_t &dst) {
    return {src.data_type, dst.data_type, static_cast<dim_t>(data_type_size(src.data_type)),
            static_cast<dim_t>(data_type_size(dst.data_type))};
}

bool element_types_t::have_kernels() const {
    if (is_half_byte(src) || is_half_byte(dst)) return false;
    if (src == dst) return src_size <= 4;
    constexpr type_set_t exact_in_f32 = float_types | f8_types | int8_types;
    // s32 values would be rounded to f32, then to 16-bit floats.
    if (src == dnnl_s32) return contains(type_set({dnnl_f32}) | int8_types, dst);
    return contains(exact_in_f32, src) && contains(exact_in_f32, dst);
}

bool element_types_t::clamps() const {
    return src != dst && contains(int8_types, src) && contains(int8_types, dst);
}

bool nest_pass_t::is_non_temporal(const void *dst, dim_t bytes) const {
    if (vector_bytes_ == 0) return false;
    const auto begin = reinterpret_cast<uintptr_t>(dst)
                       + static_cast<uintptr_t>(nest_.dst_offset * types_.dst_size);
    const bool pays = has_long_runs_ ? fills_most_of_cache(bytes) : copy_fills_most_of_cache(bytes);
    return pays && begin % static_cast<uintptr_t>(vector_bytes_) == 0;
}

void nest_pass_t::set_items(const std::vector<loop_t> &outer, dim_t chunks, dim_t chunk_bytes) {
    std::vector<row_mode_t> loops;
    for (const loop_t &loop : outer)
        loops.push_back({loop.extent, {loop.dst_stride, loop.src_stride}});
    outer_.emplace(2, std::move(loops), row_offsets_t{nest_.dst_offset, nest_.src_offset});
    chunks_ = chunks;
    item_bytes_ = chunk_bytes;
    items_ = outer_->rows() * chunks;
}

void nest_pass_t::set_non_temporal(dim_t vector_bytes, const std::vector<loop_t> &loops) {
    const bool is_aligned = std::ranges::all_of(loops, [&](const loop_t &loop) {
        return loop.dst_stride * types_.dst_size % vector_bytes == 0;
    });
    vector_bytes_ = is_aligned ? vector_bytes : 0;
}

void nest_pass_t::execute(
        const place_t &tensors, dim_t begin, dim_t end, bool is_non_temporal) const {
    const dim_t dst_pitch = outer_->pitches()[0], src_pitch = outer_->pitches()[1];
    dim_t item = begin;
    outer_->for_each_run(begin / chunks_, (end - 1) / chunks_ + 1, [&](const row_run_t &run) {
        for (dim_t i = 0; i < run.count; ++i) {
            const place_t at{tensors.src + (run.offsets[1] + i * src_pitch) * types_.src_size,
                    tensors.dst + (run.offsets[0] + i * dst_pitch) * types_.dst_size};
            const dim_t last = std::min(end, (item / chunks_ + 1) * chunks_);
            for (; item < last; ++item) execute_chunk(at, item % chunks_, is_non_temporal);
        }
    });
}

bool execute_share(const passes_t &passes, const place_t &tensors, const pass_share_t &share,
        dim_t bytes, bool may_be_non_temporal) {
    bool needs_fence = false;
    for (const auto &pass : passes) {
        const dim_t begin = pass->items() * share.begin / share.parts;
        const dim_t end = pass->items() * share.end / share.parts;
        if (begin == end) continue;
        const bool is_non_temporal =
                may_be_non_temporal && pass->is_non_temporal(tensors.dst, bytes);
        needs_fence |= is_non_temporal;
        pass->execute(tensors, begin, end, is_non_temporal);
    }
    return needs_fence;
}

bool has_kernel(const nest_t &nest) {
    const auto has = [&](dim_t loop_t::*stride) {
        return std::ranges::find(nest.loops, 1, stride) != nest.loops.end();
    };
    return nest.loops.empty() || (has(&loop_t::src_stride) && has(&loop_t::dst_stride));
}

void split_into_elements(nest_t &nest) {
    if (!has_kernel(nest)) nest.loops.push_back({1, 1, 1});
}

void add_passes(
        passes_t &passes, isa_t isa, const nest_t &nest, const element_types_t &types, bool &pads) {
    if (add_cell_passes(passes, isa, nest, types)) return;
    if (add_run_passes(passes, isa, nest, types, pads)) return;
    [[maybe_unused]] const bool has_added = add_tile_passes(passes, isa, nest, types, pads);
    assert(has_added);
}

} // namespace kiln::x64::nests
