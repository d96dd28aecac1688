// SPDX-License-Identifier: Apache-2.0
// Shuffle along a blocked axis: every 16 bytes of dst along the axis are picked from a few chunks
// of 16 bytes of src, by the same pattern at every position along the other axes.

#include "cpu/x64/shuffle/blocked_shuffle.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "common/primitive/primitive.hpp"
#include "cpu/parallel.hpp"
#include "cpu/x64/layout/tensor_loops.hpp"
#include "cpu/x64/shuffle/chunk_kernel.hpp"

namespace kiln::x64::shuffle {
namespace {

/// A chunk of dst along the axis, and what it is gathered from. Offsets are bytes.
struct chunk_t {
    dim_t dst;
    int count = 0; // of sources
    std::array<dim_t, most_sources> sources{};
    std::array<uint8_t, most_sources * chunk_bytes> patterns;
};

struct blocked_shuffle_plan_t {
    isa_t isa;
    dim_t size; // of an element
    std::vector<chunk_t> chunks;
    std::optional<row_plan_t> rows; // positions along the other axes; operand 0 is dst
    int sources = 1;                // of a chunk at most
    int src_slot, dst_slot;
};

class blocked_shuffle_t final : public primitive_impl_t {
public:
    explicit blocked_shuffle_t(const blocked_shuffle_plan_t &plan)
        : plan_(plan)
        , rows_(*plan.rows)
        , code_(chunk_kernel_t({plan.isa, plan.sources}).finish()) {}

    status_t execute(const exec_ctx_t &ctx) const override {
        const auto *src = static_cast<const std::byte *>(ctx.input(plan_.src_slot));
        auto *dst = static_cast<std::byte *>(ctx.output(plan_.dst_slot));
        const auto row_bytes = static_cast<dim_t>(plan_.chunks.size()) * 2 * chunk_bytes;
        cpu::parallel_chunks(rows_.rows(), cpu::items_per_task(rows_.rows(), row_bytes),
                [&](dim_t begin, dim_t end) {
                    rows_.for_each_run(begin, end, [&](const row_run_t &run) {
                        execute_run(src + run.offsets[1] * plan_.size,
                                dst + run.offsets[0] * plan_.size, run.count);
                    });
                });
        return dnnl_success;
    }

private:
    /// Part by part, so that what several chunks of dst come from stays in the first-level cache.
    void execute_run(const std::byte *src, std::byte *dst, dim_t rows) const {
        constexpr dim_t rows_of_part = 64;
        const dim_t src_pitch = rows_.pitches()[1] * plan_.size;
        const dim_t dst_pitch = rows_.pitches()[0] * plan_.size;
        for (dim_t row = 0; row < rows; row += rows_of_part)
            for (const chunk_t &chunk : plan_.chunks) {
                chunk_args_t args{.sources = {},
                        .dst = dst + row * dst_pitch + chunk.dst,
                        .patterns = chunk.patterns.data(),
                        .count = std::min(rows_of_part, rows - row),
                        .src_pitch = src_pitch,
                        .dst_pitch = dst_pitch};
                for (size_t i = 0; i < most_sources; ++i)
                    args.sources[i] = src + row * src_pitch + chunk.sources[i];
                code_(args);
            }
    }

    const blocked_shuffle_plan_t &plan_;
    const row_plan_t &rows_;
    const jit::executable_code_t code_;
};

/// Whether the elements of each block along the axis are adjacent and fill chunks. A submemory may
/// have a part of a block: what follows in memory is not its own.
bool has_chunks(const memory_desc_t &md, int axis, dim_t size) {
    const blocking_t &blocking = md.format_desc.blocking;
    const int nblks = blocking.inner_nblks;
    if (nblks == 0 || blocking.inner_idxs[nblks - 1] != axis) return false;
    const dim_t block = blocking.inner_blks[nblks - 1], padded = md.padded_dims[axis];
    const auto fills_chunks = [&](dim_t elements) { return elements * size % chunk_bytes == 0; };
    return std::count(blocking.inner_idxs, blocking.inner_idxs + nblks, axis) == 1
           && fills_chunks(block) && fills_chunks(padded)
           && (padded <= block || fills_chunks(blocking.strides[axis]))
           && md.padded_offsets[axis] == 0;
}

refusal_t find_chunks(const shuffle_pd_t &pd, blocked_shuffle_plan_t &plan) {
    const int axis = pd.axis();
    const axis_offsets_t src(pd.src(), axis), dst(pd.dst(), axis);
    const dim_t extent = pd.src().dims[axis], columns = pd.columns(), rows = extent / columns;
    const dim_t elements = chunk_bytes / plan.size;
    constexpr dim_t most_elements = 1 << 20; // there is a chunk for each few of them
    if (extent > most_elements) return refused("the axis has more than 2^20 elements");
    for (dim_t first = 0; first < pd.dst().padded_dims[axis]; first += elements) {
        chunk_t chunk{.dst = dst(first) * plan.size, .patterns = {}};
        chunk.patterns.fill(no_byte);
        for (dim_t i = 0; i < elements && first + i < extent; ++i) {
            const dim_t position = first + i;
            const dim_t from = src(position % rows * columns + position / rows) * plan.size;
            const dim_t source = from / chunk_bytes * chunk_bytes;
            auto *const end = chunk.sources.begin() + chunk.count;
            const auto index =
                    std::find(chunk.sources.begin(), end, source) - chunk.sources.begin();
            if (index == most_sources) return refused("a chunk of dst comes from many of src");
            chunk.sources[static_cast<size_t>(index)] = source;
            chunk.count = std::max(chunk.count, static_cast<int>(index) + 1);
            for (dim_t byte = 0; byte < plan.size; ++byte)
                chunk.patterns[static_cast<size_t>(index * chunk_bytes + i * plan.size + byte)] =
                        static_cast<uint8_t>(from - source + byte);
        }
        plan.sources = std::max(plan.sources, chunk.count);
        plan.chunks.push_back(chunk);
    }
    return accepted();
}

} // namespace

refusal_t blocked_shuffle_accept(shuffle_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    if (has_zero_dim(pd.src())) return refused("there are no elements");
    const auto found = std::make_shared<plan_of_t<blocked_shuffle_t, blocked_shuffle_plan_t>>();
    blocked_shuffle_plan_t &work = found->work;
    work.isa = isa;
    work.size = static_cast<dim_t>(data_type_size(pd.src().data_type));
    if (work.size > 4) return refused("elements have more than 4 bytes");
    memory_desc_t src = pd.src(), dst = pd.dst();
    if (!has_chunks(src, pd.axis(), work.size) || !has_chunks(dst, pd.axis(), work.size))
        return refused("the axis has no innermost block of a multiple of 16 bytes");
    src.dims[pd.axis()] = dst.dims[pd.axis()] = 1; // the other axes' loops
    const memory_desc_t *const tensors[] = {&dst, &src};
    auto loops = make_loops(tensors);
    if (!loops) return refused("blocks of another axis do not divide each other, or the axis");
    if (const refusal_t refusal = find_chunks(pd, work)) return refusal;
    work.rows.emplace(2, std::move(*loops), origin_of(tensors));
    work.src_slot = pd.slot_of(pd.src_arg());
    work.dst_slot = pd.slot_of(pd.dst_arg());
    dst.padded_dims[pd.axis()] = 1; // kernels write the padding along the axis
    if (!has_padding(dst)) pd.set_implementation_pads();
    plan = found;
    return accepted();
}

} // namespace kiln::x64::shuffle
