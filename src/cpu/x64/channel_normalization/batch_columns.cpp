// SPDX-License-Identifier: Apache-2.0
// Batch normalization of channels with few elements, which are columns, as a primitive.

#include <algorithm>
#include <initializer_list>
#include <limits>

#include "common/integers.hpp"
#include "cpu/parallel.hpp"
#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/channel_normalization/channel_column_kernels.hpp"
#include "cpu/x64/channel_normalization/channels_accept.hpp"
#include "cpu/x64/columns/column_primitive.hpp"
#include "cpu/x64/layout/tensor_loops.hpp"
#include "cpu/x64/post_op_operands.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64::channel_normalization {
namespace {

/// What these kernels leave to others.
refusal_t check_columns(const batch_normalization_pd_t &pd) {
    if (has_zero_dim(pd.src())) return refused("src has no elements");
    if (!pd.attr().scales.empty()) return refused("src or dst has a scale");
    if (pd.src().dims[1] == 1) return refused("there is one channel");
    if (pd.has_add() || pd.has_relu_operand())
        return refused("src_1 is added before the ReLU, or the ReLU's operand is an argument");
    if (pd.combines_statistics() || pd.combines_weight_gradients())
        return refused("ranks combine statistics or gradients of scale and shift");
    return check_tensor_types({&pd.src(), &pd.dst(), &pd.diff_src(), &pd.diff_dst()});
}

/// In the order of the spec's enum.
refusal_t add_column_operands(const batch_normalization_pd_t &pd, operand_layouts_t &layouts,
        std::vector<jit::post_op_link_t> &post_ops) {
    layouts.add(DNNL_ARG_SRC);
    layouts.add(pd.is_forward() ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST);
    if (!pd.is_forward()) layouts.add(DNNL_ARG_DIFF_SRC);
    if (pd.has_relu_mask())
        layouts.add_mask(DNNL_ARG_WORKSPACE, pd.relu_mask());
    else
        layouts.add(DNNL_ARG_WORKSPACE); // which executions do not take
    layouts.add_shared({DNNL_ARG_MEAN, DNNL_ARG_VARIANCE, DNNL_ARG_SCALE});
    if (!pd.is_forward()) {
        layouts.add_shared({DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT});
        return pd.attr().post_ops.entries.empty() ? accepted()
                                                  : refused("post-ops are applied to a gradient");
    }
    layouts.add_shared(DNNL_ARG_SHIFT);
    return add_post_ops_along(pd, 1, layouts, post_ops);
}

/// The number of adjacent channels in tensors whose channels lie in blocks, and in no others.
/// `block`: 0 if tensors are plain.
refusal_t find_block(const operand_layouts_t &layouts, size_t stepped, dim_t &block) {
    constexpr int axis = 1;
    const memory_desc_t &src = *layouts.mds().front();
    block = is_plain(src) ? 0 : src.format_desc.blocking.inner_blks[0];
    for (size_t i = 0; i < stepped; ++i) {
        const memory_desc_t &md = *layouts.mds()[i];
        if (is_zero(md)) continue;
        const blocking_t &blocking = md.format_desc.blocking;
        const bool is_alike = block == 0
                                      ? is_plain(md)
                                      : blocking.inner_nblks == 1 && blocking.inner_idxs[0] == axis
                                                && blocking.inner_blks[0] == block;
        if (!is_alike) return refused("tensors have different channel blocks");
        if (block == 0 && blocking.strides[axis] != 1)
            return refused("channels are not the innermost axis");
        if (md.padded_offsets[axis] != 0 || md.padded_dims[axis] != src.padded_dims[axis])
            return refused("channels are padded differently");
    }
    return accepted();
}

/// What a tile asks of blocks: it is whole ones, of whole vectors.
refusal_t check_block(
        const operand_layouts_t &layouts, size_t stepped, isa_t isa, dim_t most, dim_t block) {
    constexpr int axis = 1;
    if (block % jit::lanes_of(isa) != 0 || block > most
            || layouts.mds().front()->padded_dims[axis] % block != 0)
        return refused("blocks of channels are not multiples of a vector, are wider than a tile, "
                       "or do not divide the padded channels");
    // The vectors of a tile are at displacements of 32 bits.
    constexpr dim_t most_tile_vectors = 8, most_bytes = std::numeric_limits<int32_t>::max();
    for (size_t i = 0; i < stepped; ++i)
        if (layouts.operands()[i].bytes(layouts.mds()[i]->format_desc.blocking.strides[axis])
                > most_bytes / most_tile_vectors)
            return refused("blocks of channels are more than 2^31 / 8 bytes apart");
    for (size_t i = stepped; i < layouts.mds().size(); ++i)
        if (!is_zero(*layouts.mds()[i]))
            return refused("a post-op has a tensor, which is taken for plain layouts alone");
    return accepted();
}

/// Whether a step or a block of channels begins within a byte of a mask.
bool has_unaligned_mask(
        const operands_t &operands, std::initializer_list<const row_mode_t *> loops, dim_t block) {
    for (size_t i = 0; i < operands.count(); ++i)
        for (const row_mode_t *loop : loops) {
            const bool is_line = block == 0 && loop->strides[i] == 1;
            if (operands[i].is_mask && !is_line && loop->strides[i] % bits_per_byte != 0)
                return true;
        }
    return false;
}

/// Bytes of `elements` elements of each stepped operand.
dim_t bytes_of(const operands_t &operands, size_t stepped, dim_t elements) {
    dim_t bytes = 0;
    for (size_t i = 0; i < stepped; ++i) bytes += operands[i].bytes(elements);
    return bytes;
}

/// The loop whose equal parts become tiles of their own.
row_mode_t &loop_to_cut(row_mode_t &steps, row_mode_t &outer) {
    return outer.extent == 1 ? steps : outer;
}

/// Cuts a loop into so many equal parts.
row_mode_t take_parts(row_mode_t &cut, dim_t parts) {
    cut.extent /= parts;
    row_mode_t loop{parts, cut.strides};
    for (dim_t &stride : loop.strides) stride *= cut.extent;
    return loop;
}

constexpr dim_t most_tiles_of_parts = 16; // enough for any number of threads that pays

/// Equal parts of a loop of `extent` steps, so that threads share few blocks. A call of the kernel
/// takes little of a part's time.
dim_t parts_of_block(dim_t extent, dim_t blocks, dim_t block_bytes) {
    constexpr dim_t least_bytes = 262144;
    dim_t parts =
            std::max(dim_t(1), std::min(most_tiles_of_parts / blocks, block_bytes / least_bytes));
    while (extent % parts != 0) --parts;
    return parts;
}

/// Equal parts of such a loop, one for each thread at least; 1 if there are no such parts, or if
/// they are not worth it.
dim_t parts_for_threads(dim_t extent, dim_t bytes) {
    constexpr dim_t least_bytes = 32768;
    dim_t parts = std::min({cpu::thread_count(), bytes / least_bytes, most_tiles_of_parts});
    if (parts <= 1) return 1;
    while (parts <= most_tiles_of_parts && extent % parts != 0) ++parts;
    return parts <= most_tiles_of_parts ? parts : 1;
}

/// The loop over channels, or over blocks of them. Statistics and weights are dense.
template <typename spec_t>
row_mode_t loop_over_channels(const operand_layouts_t &layouts, dim_t block) {
    row_mode_t channels = loop_along(layouts.mds(), 1);
    const dim_t step = block == 0 ? 1 : block;
    for (size_t i = spec_t::stepped; i < spec_t::held; ++i) channels.strides[i] = step;
    channels.extent = divide_up(channels.extent, step);
    return channels;
}

/// The channels as columns, which are short.
template <typename spec_t>
refusal_t plan_columns(const operand_layouts_t &layouts, isa_t isa, column_plan_t<spec_t> &work) {
    const operands_t &operands = layouts.operands();
    const memory_desc_t &src = *layouts.mds().front();
    dim_t block = 0;
    if (const refusal_t refusal = find_block(layouts, spec_t::stepped, block)) return refusal;
    const bool needs_many_registers = work.spec.needs_many_registers();
    if (block != 0)
        if (const refusal_t refusal = check_block(layouts, spec_t::stepped, isa,
                    tile_width(isa, needs_many_registers, block), block))
            return refusal;
    const row_mode_t channels = loop_over_channels<spec_t>(layouts, block);
    std::vector<row_mode_t> reduced;
    for (int d = 0; d < src.ndims; ++d)
        if (d != 1 && src.dims[d] != 1) reduced.push_back(loop_along(layouts.mds(), d));
    row_mode_t steps = take_nearest(reduced, operands.count());
    row_mode_t outer = take_nearest(reduced, operands.count());
    if (!reduced.empty()) return refused("elements of a channel are not evenly spaced");
    const bool has_post_op_tensors = operands.count() > spec_t::held;
    if (has_post_op_tensors && outer.extent != 1)
        return refused("a post-op has a tensor, which is taken for evenly spaced elements alone");
    if (has_unaligned_mask(operands, {&steps, &outer, &channels}, block))
        return refused("rows of the ReLU mask do not begin at whole bytes");
    constexpr dim_t few_steps = 8;
    const dim_t step = operands[spec_t::src].bytes(steps.strides[spec_t::src]);
    const bool is_paged = block == 0 && steps.extent >= few_steps && step % page_bytes == 0;
    // A second sweep over a tile finds it in the second-level cache, where a next tile from memory
    // is prefetched meanwhile; steps that are apart are not prefetched into the first one. A single
    // sweep is best in the order of memory. The cache of this machine does not decide which
    // implementation runs, since others add up in another order.
    constexpr dim_t common_cache = 1048576;
    const auto tile_bytes = static_cast<dim_t>(second_level_cache_size() / 4);
    const bool is_single = work.spec.reads_stats;
    const dim_t block_bytes =
            bytes_of(operands, spec_t::stepped, steps.extent * outer.extent * block);
    if (block_bytes > (is_single ? 2 * common_cache : common_cache))
        return refused("a block of channels takes more than 1 MiB in all tensors");
    const bool is_one_block = block == 0 || is_single;
    row_mode_t &cut = loop_to_cut(steps, outer);
    row_mode_t parts{1, {}};
    if (block != 0 && is_single)
        parts = take_parts(cut, parts_of_block(cut.extent, channels.extent, block_bytes));
    const dim_t line_bytes =
            bytes_of(operands, spec_t::stepped, steps.extent * outer.extent * channels.extent);
    if (is_single && is_paged && line_bytes > 4 * common_cache)
        return refused("rows of whole pages, more than 4 MiB, are faster one after another");
    // A thread that takes a part of each page uses a part of its second-level cache's sets.
    // Threads that take parts of rows that are no whole cache lines store into the same lines.
    const dim_t output_step = operands[spec_t::output].bytes(steps.strides[spec_t::output]);
    dim_t parts_of_threads = 1;
    if (is_single && is_paged && step == page_bytes && line_bytes > common_cache)
        parts = take_parts(cut, parts_of_block(cut.extent, 1, line_bytes));
    else if (is_single && block == 0 && output_step % cache_line_bytes != 0) {
        parts_of_threads = parts_for_threads(cut.extent, line_bytes);
        parts = take_parts(cut, parts_of_threads);
    }
    const row_plan_t lines(operands.count(), {channels}, origin_of(layouts.mds()));
    work.columns.emplace(operands,
            column_loops_t{.lines = lines,
                    .steps = steps,
                    .outer_steps = outer,
                    .block = block,
                    .tile_blocks = is_one_block ? 1 : std::max(dim_t(1), tile_bytes / block_bytes),
                    .is_paged = is_paged,
                    .line = src.dims[1],
                    .parts = parts},
            isa, spec_t::stepped, spec_t::held, spec_t::output, needs_many_registers);
    // The number of threads does not decide which implementation runs, either.
    if (block == 0 && work.columns->part_bytes() * parts_of_threads > common_cache / 8)
        return refused("a tile of channels takes more than 128 KiB");
    return block == 0 ? work.columns->check_adjacent() : accepted();
}

template <typename kernel_t>
refusal_t accept_direction(batch_normalization_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    using spec_t = typename kernel_t::spec_t;
    using work_t = column_plan_t<spec_t>;
    const auto made = std::make_shared<plan_of_t<column_primitive_t<kernel_t, work_t>, work_t>>();
    spec_t &spec = made->work.spec;
    operand_layouts_t layouts(pd);
    if (const refusal_t refusal = add_column_operands(pd, layouts, spec.post_ops)) return refusal;
    spec.reads_stats = pd.is_forward() && pd.reads_stats();
    if (const refusal_t refusal = plan_columns(layouts, isa, made->work)) return refusal;
    made->work.columns->describe(spec);
    spec.isa = isa;
    spec.length = made->work.columns->steps();
    spec.is_streamed = fills_most_of_cache(made->work.columns->footprint());
    spec.epsilon = pd.desc().epsilon;
    spec.writes_stats = pd.writes_stats();
    spec.has_constant_stats = pd.has_global_stats();
    spec.has_relu = pd.has_relu();
    // The last vector of channels ends with the padding of the last block.
    if (made->work.columns->fills_blocks() && spec.post_ops.empty()) pd.set_implementation_pads();
    plan = made;
    return accepted();
}

} // namespace

refusal_t accept_batch_columns(batch_normalization_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    if (const refusal_t refusal = check_columns(pd)) return refusal;
    const auto accept = pd.is_forward() ? accept_direction<channel_column_forward_kernel_t>
                                        : accept_direction<channel_column_backward_kernel_t>;
    return accept(pd, isa, plan);
}

} // namespace kiln::x64::channel_normalization
