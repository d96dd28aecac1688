// SPDX-License-Identifier: Apache-2.0
// Shuffle along an axis whose elements are adjacent, all of them or those of a block: every chunk
// of dst along the axis is picked from a few chunks of src, by the same pattern at every position
// along the other axes.

#include "cpu/x64/shuffle/blocked_shuffle.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "common/integers.hpp"
#include "common/primitive/primitive.hpp"
#include "cpu/x64/jit/code/lazy_code.hpp"
#include "cpu/x64/layout/tensor_loops.hpp"
#include "cpu/x64/parallel_stores.hpp"
#include "cpu/x64/shuffle/chunk_kernel.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64::shuffle {
namespace {

/// The chunks of one or two adjacent positions, as the kernel reads them.
struct described_chunks_t {
    chunk_spec_t spec;
    bool are_aligned; // chunks of dst, to their size, if the first one is
    dim_t count;
    std::vector<std::byte> descriptions;

    described_chunks_t(const chunk_spec_t &made, const std::vector<chunk_t> &all)
        : spec(made)
        , are_aligned(std::ranges::all_of(
                  all, [&](const chunk_t &chunk) { return chunk.dst % made.bytes == 0; }))
        , count(static_cast<dim_t>(all.size())) {
        const auto size = static_cast<size_t>(spec.description_bytes());
        descriptions.resize(all.size() * size);
        for (size_t i = 0; i < all.size(); ++i) all[i].write(spec, descriptions.data() + i * size);
    }
};

struct blocked_shuffle_plan_t {
    isa_t isa;
    dim_t size;             // of an element
    dim_t tensor_bytes;     // of dst
    bool are_lines = false; // all chunks of a position are adjacent in both tensors
    std::optional<described_chunks_t> chunks; // of a position
    // Of two positions, if these are adjacent in both tensors: chunks of twice as many bytes.
    std::optional<described_chunks_t> pairs;
    std::optional<row_plan_t> rows; // positions along the other axes; operand 0 is dst
    int src_slot, dst_slot;

    dim_t row_bytes() const { return chunks->count * chunks->spec.bytes; }
    dim_t footprint() const { return 2 * rows->rows() * row_bytes(); }
    /// Positions whose chunks are written before those of the next positions, so that what several
    /// chunks of dst come from stays in the first-level cache. Where all chunks of a position are
    /// adjacent, more than one position pays only while the caches hold the tensors: memory is read
    /// in its order.
    dim_t rows_of_part() const {
        if (!are_lines) return 64;
        return fills_half_of_cache(2 * footprint()) ? 1 : 8;
    }
    std::string text() const {
        return rows->text() + " of " + std::to_string(chunks->count) + " chunks of "
               + std::to_string(chunks->spec.bytes) + " bytes, each from at most "
               + std::to_string(chunks->spec.sources) + " of src\n";
    }
};

class blocked_shuffle_t final : public primitive_impl_t {
public:
    explicit blocked_shuffle_t(const blocked_shuffle_plan_t &plan)
        : plan_(plan)
        , rows_(*plan.rows)
        , can_be_non_temporal_(has_aligned_chunks()) {
        if (plan_.pairs) pair_code_.emplace(chunk_kernel_t(plan_.pairs->spec).finish());
        if (!plan_.pairs || rows_.run_length() % 2 != 0)
            codes_.get(plan_.chunks->spec, can_be_non_temporal_);
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        const auto *src = static_cast<const std::byte *>(ctx.input(plan_.src_slot));
        auto *dst = static_cast<std::byte *>(ctx.output(plan_.dst_slot));
        const bool is_non_temporal =
                can_be_non_temporal_
                && are_aligned(dst + rows_.offset_of(0, 0) * plan_.size, 0, most_chunk_bytes);
        const dim_t unit = plan_.pairs ? 2 : 1;
        parallel_stores(cpu::shares_of(rows_.rows(), 2 * plan_.row_bytes(), unit), is_non_temporal,
                [=, this](dim_t begin, dim_t end) {
                    rows_.for_each_run(begin, end, [&](const row_run_t &run) {
                        execute_run(src + run.offsets[1] * plan_.size,
                                dst + run.offsets[0] * plan_.size, run.count, is_non_temporal);
                    });
                });
        return dnnl_success;
    }

private:
    /// Whether non-temporal stores pay, and every chunk of dst is aligned if the first one is.
    bool has_aligned_chunks() const {
        const dim_t bytes = plan_.chunks->spec.bytes;
        return bytes == most_chunk_bytes && fills_most_of_cache(plan_.footprint())
               && rows_.keeps_alignment(0, bytes / plan_.size) && plan_.chunks->are_aligned;
    }

    void execute_run(const std::byte *src, std::byte *dst, dim_t rows, bool is_non_temporal) const {
        if (const dim_t pairs = rows / 2; plan_.pairs && pairs != 0) {
            const dim_t bytes = plan_.pairs->spec.bytes;
            call(*pair_code_, *plan_.pairs, src, dst, {.rows = pairs, .src = bytes, .dst = bytes});
            rows %= 2;
            src += pairs * bytes;
            dst += pairs * bytes;
        }
        if (rows == 0) return;
        const auto &pitches = rows_.pitches();
        call(codes_.get(plan_.chunks->spec, is_non_temporal), *plan_.chunks, src, dst,
                {.rows = rows, .src = pitches[1] * plan_.size, .dst = pitches[0] * plan_.size});
    }

    struct positions_t {
        dim_t rows, src, dst; // how many, and bytes from each to the next
    };
    void call(const jit::executable_code_t &code, const described_chunks_t &chunks,
            const std::byte *src, std::byte *dst, const positions_t &positions) const {
        chunk_args_t args{.src = src,
                .dst = dst,
                .chunks = chunks.descriptions.data(),
                .count = chunks.count,
                .rows = positions.rows,
                .rows_of_part = plan_.rows_of_part(),
                .src_pitch = positions.src,
                .dst_pitch = positions.dst};
        code(args);
    }

    const blocked_shuffle_plan_t &plan_;
    const row_plan_t &rows_;
    const bool can_be_non_temporal_;
    const jit::store_variants_t<chunk_kernel_t> codes_;
    std::optional<jit::executable_code_t> pair_code_;
};

/// Whether all elements along the axis are adjacent, and there is a chunk of them.
bool is_line(const memory_desc_t &md, int axis, dim_t size, dim_t chunk_bytes) {
    const blocking_t &blocking = md.format_desc.blocking;
    return blocking.inner_nblks == 0 && blocking.strides[axis] == 1
           && md.padded_dims[axis] == md.dims[axis] && md.dims[axis] * size >= chunk_bytes;
}

/// Whether the elements of each block along the axis are adjacent and fill chunks. A submemory may
/// have a part of a block: what follows in memory is not its own.
bool has_chunks(const memory_desc_t &md, int axis, dim_t size, dim_t chunk_bytes) {
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

/// Whether both tensors consist of chunks of this size.
bool has_chunks(const shuffle_pd_t &pd, dim_t size, dim_t bytes) {
    const auto fits = [&](const memory_desc_t &md) {
        return is_line(md, pd.axis(), size, bytes) || has_chunks(md, pd.axis(), size, bytes);
    };
    return fits(pd.src()) && fits(pd.dst());
}

/// Makes the pattern of a chunk of so many adjacent positions.
class pattern_t {
public:
    pattern_t(chunk_t &chunk, dim_t bytes, dim_t size, dim_t positions)
        : chunk_(chunk)
        , bytes_(bytes)
        , size_(size)
        , elements_(bytes / size)
        , positions_(positions) {
        for (dim_t source = 0; source < most_sources; ++source)
            for (dim_t i = 0; i < elements_ * positions; ++i) set(source, i, i, true);
    }

    int sources() const { return count_; }

    /// Element i of each position comes from this place in bytes. `source_of(place)` is where a
    /// chunk of src that has it begins. False: it would be one source too many.
    template <typename source_of_t> bool add(dim_t i, dim_t place, const source_of_t &source_of) {
        auto *const end = chunk_.sources.begin() + count_;
        auto *const found = std::find_if(chunk_.sources.begin(), end,
                [&](dim_t source) { return source <= place && place < source + bytes_; });
        const dim_t index = found - chunk_.sources.begin();
        if (index == most_sources) return false;
        if (found == end) {
            *found = source_of(place);
            ++count_;
        }
        const dim_t from = (place - *found) / size_;
        for (dim_t first = 0; first < elements_ * positions_; first += elements_) {
            set(index, first + i, first + from + elements_ * positions_, false);
            chunk_.kept |= uint64_t{1} << (first + i);
        }
        return true;
    }

private:
    /// `from`: what the pattern of a chunk of more than 16 bytes says (chunk_t).
    void set(dim_t source, dim_t i, dim_t from, bool is_none) {
        auto &pattern = chunk_.patterns[static_cast<size_t>(source)];
        if (bytes_ * positions_ > most_bytes_by_byte) {
            pattern[static_cast<size_t>(i)] = static_cast<uint8_t>(from);
            return;
        }
        for (dim_t byte = 0; byte < size_; ++byte)
            pattern[static_cast<size_t>(i * size_ + byte)] =
                    is_none ? no_byte
                            : static_cast<uint8_t>((from - elements_ * positions_) * size_ + byte);
    }

    chunk_t &chunk_;
    int count_ = 0; // of sources
    const dim_t bytes_, size_, elements_, positions_;
};

/// Describes the chunks of `bytes` bytes a position, for so many adjacent positions.
refusal_t describe(const shuffle_pd_t &pd, blocked_shuffle_plan_t &plan, dim_t bytes,
        dim_t positions, std::optional<described_chunks_t> &described) {
    std::vector<chunk_t> chunks;
    const int axis = pd.axis();
    const axis_offsets_t src(pd.src(), axis), dst(pd.dst(), axis);
    const dim_t extent = pd.src().dims[axis], columns = pd.columns(), rows = extent / columns;
    const dim_t elements = bytes / plan.size;
    // Chunks are described once and read for every few positions.
    constexpr dim_t most_bytes_of_chunks = 1 << 20;
    const dim_t count = divide_up(pd.dst().padded_dims[axis], elements);
    if (count * dim_t{sizeof(chunk_t)} > std::max(most_bytes_of_chunks, plan.tensor_bytes))
        return refused("the patterns along the axis need more memory than the tensor");
    const bool is_src_line = is_line(pd.src(), axis, plan.size, bytes);
    const bool is_dst_line = is_line(pd.dst(), axis, plan.size, bytes);
    plan.are_lines = is_src_line && is_dst_line;
    const auto source_of = [&](dim_t place) {
        return is_src_line ? std::min(place, extent * plan.size - bytes) : place / bytes * bytes;
    };
    int sources = 1; // of a chunk at most
    for (dim_t at = 0; at < pd.dst().padded_dims[axis]; at += elements) {
        // The last chunk of a line begins within the one before.
        const dim_t first = is_dst_line ? std::min(at, extent - elements) : at;
        chunk_t chunk{.dst = dst(first) * plan.size, .patterns = {}};
        pattern_t pattern(chunk, bytes, plan.size, positions);
        for (dim_t i = 0; i < elements && first + i < extent; ++i) {
            const dim_t position = first + i;
            const dim_t from = position % rows * columns + position / rows;
            if (!pattern.add(i, src(from) * plan.size, source_of))
                return refused("a chunk of dst comes from more than 8 chunks of src");
        }
        sources = std::max(sources, pattern.sources());
        chunks.push_back(chunk);
    }
    described.emplace(chunk_spec_t{plan.isa, sources, bytes * positions, plan.size}, chunks);
    return accepted();
}

/// Whether kernels take chunks of this size.
bool have_kernel(const blocked_shuffle_plan_t &plan, dim_t bytes) {
    const bool has_wide = has(plan.isa, feature_t::avx512_core) && plan.size > 1;
    return bytes <= (has_wide ? most_chunk_bytes : most_bytes_by_byte);
}

/// Describes the largest chunks that come from few others.
refusal_t find_chunks(const shuffle_pd_t &pd, blocked_shuffle_plan_t &plan) {
    refusal_t refusal = refused("the axis is neither dense and innermost with 8 bytes or more, "
                                "nor has it an innermost block of a multiple of 8 bytes");
    for (dim_t bytes = most_chunk_bytes; bytes >= least_chunk_bytes; bytes /= 2) {
        if (!have_kernel(plan, bytes) || !has_chunks(pd, plan.size, bytes)) continue;
        refusal = describe(pd, plan, bytes, 1, plan.chunks);
        if (!refusal) break;
    }
    return refusal;
}

/// Describes pairs, where positions are adjacent.
refusal_t find_pairs(const shuffle_pd_t &pd, blocked_shuffle_plan_t &plan) {
    const dim_t bytes = plan.chunks->spec.bytes;
    const auto &pitches = plan.rows->pitches();
    const bool are_adjacent = plan.rows->run_length() > 1 && pitches[0] * plan.size == bytes
                              && pitches[1] == pitches[0];
    return are_adjacent && have_kernel(plan, 2 * bytes) ? describe(pd, plan, bytes, 2, plan.pairs)
                                                        : accepted();
}

/// Whether lines are copied, or are matrices that tiles of nests transpose.
bool suits_nests(const shuffle_pd_t &pd) {
    constexpr dim_t least_of_tile = 8;
    const dim_t columns = pd.columns(), rows = pd.src().dims[pd.axis()] / columns;
    return std::min(rows, columns) == 1 || std::min(rows, columns) >= least_of_tile;
}

} // namespace

refusal_t blocked_shuffle_accept(shuffle_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    if (has_zero_dim(pd.src())) return refused("src has no elements");
    const auto found = std::make_shared<plan_of_t<blocked_shuffle_t, blocked_shuffle_plan_t>>();
    blocked_shuffle_plan_t &work = found->work;
    work.isa = isa;
    work.size = static_cast<dim_t>(data_type_size(pd.src().data_type));
    if (work.size > 4) return refused("elements have more than 4 bytes");
    memory_desc_t src = pd.src(), dst = pd.dst();
    work.tensor_bytes = element_count(dst, true) * work.size;
    src.dims[pd.axis()] = dst.dims[pd.axis()] = 1; // the other axes' loops
    const memory_desc_t *const tensors[] = {&dst, &src};
    auto loops = make_loops(tensors);
    if (!loops)
        return refused(
                "the blocks of an axis that is not shuffled do not divide each other or the axis");
    if (const refusal_t refusal = find_chunks(pd, work)) return refusal;
    if (work.are_lines && suits_nests(pd)) return refused("nests move such lines faster");
    work.rows.emplace(2, std::move(*loops), origin_of(tensors));
    if (const refusal_t refusal = find_pairs(pd, work)) return refusal;
    work.src_slot = pd.slot_of(pd.src_arg());
    work.dst_slot = pd.slot_of(pd.dst_arg());
    dst.padded_dims[pd.axis()] = 1; // kernels write the padding along the axis
    if (!has_padding(dst)) pd.set_implementation_pads();
    plan = found;
    return accepted();
}

} // namespace kiln::x64::shuffle
