// SPDX-License-Identifier: Apache-2.0
// The loops around a reorder's kernels.

#include "cpu/x64/reorder/reorder_pass.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>

#include "cpu/x64/cache_size.hpp"

namespace kiln::x64::reorder {
namespace {

/// The most loops of a tensor's axes and their blocks.
constexpr size_t most_loops = 3 * DNNL_MAX_NDIMS;

/// The indices of the loops and the offsets that they make, advanced step by step.
class position_t {
public:
    position_t(const std::vector<loop_t> &loops, dim_t index)
        : loops_(loops) {
        assert(loops.size() <= most_loops);
        for (size_t i = loops.size(); i-- > 0;) {
            at_[i] = index % loops[i].extent;
            index /= loops[i].extent;
            src_ += at_[i] * loops[i].src_stride;
            dst_ += at_[i] * loops[i].dst_stride;
        }
    }

    dim_t src() const { return src_; }
    dim_t dst() const { return dst_; }

    void next() {
        for (size_t i = loops_.size(); i-- > 0;) {
            const loop_t &loop = loops_[i];
            src_ += loop.src_stride;
            dst_ += loop.dst_stride;
            if (++at_[i] < loop.extent) return;
            at_[i] = 0;
            src_ -= loop.extent * loop.src_stride;
            dst_ -= loop.extent * loop.dst_stride;
        }
    }

private:
    const std::vector<loop_t> &loops_;
    std::array<dim_t, most_loops> at_;
    dim_t src_ = 0, dst_ = 0;
};

} // namespace

bool reorder_pass_t::is_non_temporal(const void *dst) const {
    if (vector_bytes_ == 0) return false;
    const auto bytes = static_cast<size_t>(items_ * item_bytes_);
    const auto begin = reinterpret_cast<uintptr_t>(dst)
                       + static_cast<uintptr_t>(nest_.dst_offset * types_.dst_size);
    return bytes >= static_cast<size_t>(caches_) * last_level_cache_size()
           && begin % static_cast<uintptr_t>(vector_bytes_) == 0;
}

void reorder_pass_t::set_items(std::vector<loop_t> outer, dim_t chunks, dim_t chunk_bytes) {
    outer_ = std::move(outer);
    chunks_ = chunks;
    item_bytes_ = chunk_bytes;
    items_ = chunks;
    for (const loop_t &loop : outer_) items_ *= loop.extent;
}

void reorder_pass_t::set_non_temporal(
        dim_t vector_bytes, dim_t caches, const std::vector<loop_t> &loops) {
    const bool is_aligned = std::all_of(loops.begin(), loops.end(), [&](const loop_t &loop) {
        return loop.dst_stride * types_.dst_size % vector_bytes == 0;
    });
    vector_bytes_ = is_aligned ? vector_bytes : 0;
    caches_ = caches;
}

void reorder_pass_t::execute(
        const place_t &tensors, dim_t begin, dim_t end, bool is_non_temporal) const {
    position_t position(outer_, begin / chunks_);
    for (dim_t item = begin; item < end;) {
        const place_t at{tensors.src + (nest_.src_offset + position.src()) * types_.src_size,
                tensors.dst + (nest_.dst_offset + position.dst()) * types_.dst_size};
        const dim_t last = std::min(end, (item / chunks_ + 1) * chunks_);
        for (; item < last; ++item) execute_chunk(at, item % chunks_, is_non_temporal);
        position.next();
    }
}

bool has_kernel(const nest_t &nest) {
    const auto has = [&](const auto &is_wanted) {
        return std::any_of(nest.loops.begin(), nest.loops.end(), is_wanted);
    };
    return nest.loops.empty() || (has([](const loop_t &loop) {
        return loop.src_stride == 1;
    }) && has([](const loop_t &loop) { return loop.dst_stride == 1; }));
}

void add_passes(
        passes_t &passes, isa_t isa, const nest_t &nest, const element_types_t &types, bool &pads) {
    if (add_cell_passes(passes, isa, nest, types)) return;
    if (add_run_passes(passes, isa, nest, types, pads)) return;
    [[maybe_unused]] const bool has_added = add_tile_passes(passes, isa, nest, types, pads);
    assert(has_added);
}

} // namespace kiln::x64::reorder
