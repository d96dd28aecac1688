// SPDX-License-Identifier: Apache-2.0
// Two layouts as nests of loops.

#include "cpu/x64/layout/nest.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

#include "cpu/x64/layout/tensor_loops.hpp"

namespace kiln::x64 {
namespace {

constexpr size_t most_nests = 16;
/// Padding of runs, in elements: kernels write it without a loop.
constexpr dim_t most_padding = 256;

/// Consecutive positions of an axis: the offsets of the first one, and loops, innermost first.
struct segment_t {
    dim_t src_offset, dst_offset;
    std::vector<loop_t> loops;
    dim_t padding = 0;
    dim_t block = 0, kept = 0;
};

/// An axis of both tensors.
class axis_t {
public:
    axis_t(const memory_desc_t &src, const memory_desc_t &dst, int axis)
        : tensors_{&src, &dst}
        , axis_(axis)
        , src_(src, axis)
        , dst_(dst, axis)
        , extent_(dst.dims[axis])
        , padding_(dst.padded_dims[axis] - extent_)
        , has_src_padding_(src.padded_dims[axis] == dst.padded_dims[axis])
        , steps_(block_steps(tensors_, axis))
        , starts_{starts_of(src, axis), starts_of(dst, axis)} {}

    /// Whether strides describe all positions between steps.
    bool is_regular() const { return divide_each_other(steps_); }

    std::vector<segment_t> segments() const {
        return starts_[0].shift == 0 && starts_[1].shift == 0 ? aligned_segments()
                                                              : shifted_segments();
    }

    /// Whether the padding follows a run of the last segment.
    bool padding_follows(const segment_t &last) const {
        return last.loops.size() <= 1 && padding_follows(dst_);
    }

    /// Whether it follows a run in src, too, and is as long there.
    bool is_padded_alike(const segment_t &last) const {
        if (!has_src_padding_) return false;
        if (!last.loops.empty() && last.loops.front().src_stride != 1) return false;
        return padding_follows(src_);
    }

    dim_t padding() const { return padding_; }

private:
    /// Where blocks begin in a tensor: before the first element there are `shift` positions of its
    /// block, and the smallest blocks have `block` elements; 0: the axis has no blocks.
    struct starts_t {
        dim_t shift, block;
        bool is_one(dim_t position) const { return block != 0 && (shift + position) % block == 0; }
    };

    static starts_t starts_of(const memory_desc_t &md, int axis) {
        const std::vector<dim_t> steps = block_steps(std::array{&md}, axis);
        return {md.padded_offsets[axis], steps.size() == 1 ? 0 : steps[1]};
    }

    /// For tensors that both begin where a block does.
    std::vector<segment_t> aligned_segments() const {
        std::vector<segment_t> result;
        for (const tensor_box_t &box : segments_along(tensors_, axis_)) {
            segment_t &segment = result.emplace_back(segment_t{box.origin[0], box.origin[1], {}});
            for (const row_mode_t &loop : box.loops)
                segment.loops.push_back({loop.extent, loop.strides[0], loop.strides[1]});
        }
        return result;
    }

    /// For others. Between two positions at which a block begins in src or in dst, neighbours are
    /// equally far apart. From the first block of dst on, such pieces repeat after the greatest
    /// step.
    std::vector<segment_t> shifted_segments() const {
        std::vector<segment_t> result;
        std::optional<segment_t> last;
        const dim_t period = steps_.back();
        const auto add = [&](dim_t begin, dim_t length, dim_t count) {
            if (length <= 0 || count <= 0) return;
            segment_t piece{src_(begin), dst_(begin), {}};
            const auto add_loop = [&](dim_t extent, dim_t step) {
                if (extent > 1)
                    piece.loops.push_back({extent, src_(begin + step) - src_(begin),
                            dst_(begin + step) - dst_(begin)});
            };
            add_loop(length, 1);
            add_loop(count, period);
            if (begin + (count - 1) * period + length == extent_)
                last = piece;
            else
                result.push_back(piece);
        };
        const dim_t origin = std::min(extent_, (period - starts_[1].shift % period) % period);
        const auto end_of_piece = [&](dim_t begin, dim_t most) {
            dim_t end = begin + 1;
            while (end < most && !starts_[0].is_one(end) && !starts_[1].is_one(end)) ++end;
            return end;
        };
        dim_t begin = 0;
        for (dim_t end; begin < origin; begin = end) {
            end = end_of_piece(begin, origin);
            add(begin, end - begin, 1);
        }
        for (dim_t end; begin < std::min(origin + period, extent_); begin = end) {
            end = end_of_piece(begin, origin + period);
            const dim_t length = end - begin;
            const dim_t whole = end <= extent_ ? (extent_ - end) / period + 1 : 0;
            const dim_t rest = begin + whole * period;
            // Padding follows the last piece only if it is alone.
            const bool is_last = whole > 1 && rest - period + length == extent_ && padding_ != 0;
            add(begin, length, whole - is_last);
            if (is_last) add(rest - period, length, 1);
            add(rest, std::min(length, extent_ - rest), 1);
        }
        result.push_back(*last);
        return result;
    }

    /// Whether all padding is adjacent to the last element and to each other. The distances between
    /// neighbours repeat after the greatest step.
    bool padding_follows(const axis_offsets_t &offset) const {
        const dim_t end = extent_ + std::min(padding_, steps_.back());
        for (dim_t i = extent_; i < end; ++i)
            if (offset(i) != offset(i - 1) + 1) return false;
        return true;
    }

    const std::array<const memory_desc_t *, 2> tensors_; // src, dst
    const int axis_;
    const axis_offsets_t src_, dst_;
    const dim_t extent_, padding_;
    const bool has_src_padding_; // as much as dst
    const std::vector<dim_t> steps_;
    const std::array<starts_t, 2> starts_;
};

/// Padding becomes part of the segment's only loop, or follows it.
void pad(segment_t &last, const axis_t &axis, int lanes) {
    const bool is_alike = axis.is_padded_alike(last);
    // Padding may follow a single element.
    if (last.loops.empty()) last.loops.push_back({1, 0, 1});
    loop_t &run = last.loops.front();
    const dim_t block = run.extent + axis.padding();
    if (lanes % block == 0 && is_alike) {
        last.block = block;
        last.kept = run.extent;
        run = {block, 1, 1};
    } else {
        last.padding = axis.padding();
    }
}

void simplify(std::vector<loop_t> &loops) {
    std::ranges::stable_sort(loops, std::greater(), &loop_t::dst_stride);
    for (size_t i = loops.size(); i-- > 1;) {
        const loop_t inner = loops[i];
        loop_t &outer = loops[i - 1];
        if (outer.src_stride != inner.extent * inner.src_stride
                || outer.dst_stride != inner.extent * inner.dst_stride)
            continue;
        outer = {outer.extent * inner.extent, inner.src_stride, inner.dst_stride};
        loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

/// If no elements of src are adjacent, a single element that padding follows counts as a run.
void begin_in_src(std::vector<loop_t> &loops) {
    const bool has_neighbours =
            std::ranges::any_of(loops, [](const loop_t &loop) { return loop.src_stride == 1; });
    for (loop_t &loop : loops)
        if (!has_neighbours && loop.extent == 1) loop.src_stride = 1;
}

} // namespace

std::string nests_t::text() const {
    std::string text;
    for (const nest_t &nest : nests) {
        text += "loops";
        for (const loop_t &loop : nest.loops) text += " " + std::to_string(loop.extent);
        text += ", innermost last\n";
    }
    return text;
}

std::optional<nests_t> make_nests(const memory_desc_t &src, const memory_desc_t &dst, int lanes) {
    nests_t result{{{src.offset0, dst.offset0, {}}}, true};
    int padded_axes = 0;
    for (int d = 0; d < dst.ndims; ++d) padded_axes += dst.padded_dims[d] != dst.dims[d];
    for (int d = 0; d < dst.ndims; ++d) {
        const axis_t axis(src, dst, d);
        if (!axis.is_regular()) return std::nullopt;
        std::vector<segment_t> segments = axis.segments();
        if (axis.padding() != 0) {
            if (padded_axes == 1 && axis.padding() <= most_padding
                    && axis.padding_follows(segments.back()))
                pad(segments.back(), axis, lanes);
            else
                result.have_all_padding = false;
        }
        std::vector<nest_t> product;
        for (const nest_t &nest : result.nests)
            for (const segment_t &segment : segments) {
                product.push_back(nest);
                nest_t &next = product.back();
                next.src_offset += segment.src_offset;
                next.dst_offset += segment.dst_offset;
                next.loops.insert(next.loops.end(), segment.loops.begin(), segment.loops.end());
                if (segment.padding != 0) next.padding = segment.padding;
                if (segment.block != 0) {
                    next.block = segment.block;
                    next.kept = segment.kept;
                }
            }
        result.nests = std::move(product);
        if (result.nests.size() > most_nests) return std::nullopt;
    }
    for (nest_t &nest : result.nests) {
        simplify(nest.loops);
        if (nest.padding != 0) begin_in_src(nest.loops);
    }
    return result;
}

} // namespace kiln::x64
