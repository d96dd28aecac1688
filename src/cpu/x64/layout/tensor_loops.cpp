// SPDX-License-Identifier: Apache-2.0
// Any number of tensors of one shape as loops.

#include "cpu/x64/layout/tensor_loops.hpp"

#include <algorithm>
#include <utility>

namespace kiln::x64 {

std::vector<dim_t> block_steps(std::span<const memory_desc_t *const> tensors, int axis) {
    std::vector<dim_t> steps{1};
    for (const memory_desc_t *md : tensors) {
        if (is_zero(*md)) continue;
        const blocking_t &blocking = md->format_desc.blocking;
        dim_t step = 1;
        for (int i = blocking.inner_nblks - 1; i >= 0; --i)
            if (blocking.inner_idxs[i] == axis) steps.push_back(step *= blocking.inner_blks[i]);
    }
    std::ranges::sort(steps);
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    return steps;
}

bool divide_each_other(const std::vector<dim_t> &numbers) {
    for (size_t i = 1; i < numbers.size(); ++i)
        if (numbers[i] % numbers[i - 1] != 0) return false;
    return true;
}

namespace {

constexpr size_t most_boxes = 16;

bool varies(const memory_desc_t &md, int axis) { return !is_zero(md) && md.dims[axis] != 1; }

/// An axis of a tensor in which groups of neighbours share an element.
struct grouped_axis_t {
    size_t tensor;
    dim_t group;
    axis_offsets_t offsets;

    dim_t offset(dim_t position) const { return offsets(position / group); }
};

/// An axis of all tensors.
class shared_axis_t {
public:
    shared_axis_t(std::span<const memory_desc_t *const> tensors, int axis)
        : extent_(tensors.front()->dims[axis]) {
        std::vector<const memory_desc_t *> varying;
        varying.reserve(tensors.size());
        offsets_.reserve(tensors.size());
        std::vector<dim_t> groups;
        for (size_t i = 0; i < tensors.size(); ++i) {
            if (!varies(*tensors[i], axis)) continue;
            const dim_t own = tensors[i]->dims[axis], group = own == extent_ ? 1 : extent_ / own;
            offsets_.push_back({i, group, axis_offsets_t(*tensors[i], axis)});
            if (group == 1)
                varying.push_back(tensors[i]);
            else
                groups.push_back(group); // of a plain tensor
        }
        steps_ = block_steps(varying, axis);
        for (const dim_t group : groups)
            steps_.insert(std::lower_bound(steps_.begin(), steps_.end(), group), group);
        steps_.erase(std::unique(steps_.begin(), steps_.end()), steps_.end());
    }

    /// Whether strides describe all positions between steps.
    bool is_regular() const { return divide_each_other(steps_); }

    std::vector<tensor_box_t> segments() const {
        std::vector<tensor_box_t> result;
        dim_t begin = 0;
        for (size_t level = steps_.size(); level-- > 0;) {
            const dim_t count = (extent_ - begin) / steps_[level];
            if (count == 0) continue;
            tensor_box_t &segment = result.emplace_back(tensor_box_t{distances(0, begin), {}});
            const auto add = [&](dim_t extent, dim_t step) {
                if (extent > 1) segment.loops.push_back({extent, distances(begin, begin + step)});
            };
            for (size_t i = 0; i < level; ++i) add(steps_[i + 1] / steps_[i], steps_[i]);
            add(count, steps_[level]);
            begin += count * steps_[level];
        }
        return result;
    }

private:
    row_offsets_t distances(dim_t from, dim_t to) const {
        row_offsets_t result{};
        for (const grouped_axis_t &axis : offsets_)
            result[axis.tensor] = axis.offset(to) - axis.offset(from);
        return result;
    }

    const dim_t extent_;
    std::vector<grouped_axis_t> offsets_; // of the tensors that vary
    std::vector<dim_t> steps_;
};

} // namespace

std::vector<tensor_box_t> segments_along(std::span<const memory_desc_t *const> tensors, int axis) {
    return shared_axis_t(tensors, axis).segments();
}

std::optional<std::vector<tensor_box_t>> make_boxes(std::span<const memory_desc_t *const> tensors) {
    std::vector<tensor_box_t> boxes{{origin_of(tensors), {}}};
    for (int d = 0; d < tensors.front()->ndims; ++d) {
        for (const memory_desc_t *md : tensors)
            if (!is_zero(*md) && md->padded_offsets[d] != 0) return std::nullopt;
        const shared_axis_t axis(tensors, d);
        if (!axis.is_regular()) return std::nullopt;
        std::vector<tensor_box_t> product;
        for (const tensor_box_t &box : boxes)
            for (const tensor_box_t &segment : axis.segments()) {
                tensor_box_t &next = product.emplace_back(box);
                for (size_t i = 0; i < tensors.size(); ++i) next.origin[i] += segment.origin[i];
                next.loops.insert(next.loops.end(), segment.loops.begin(), segment.loops.end());
            }
        boxes = std::move(product);
        if (boxes.size() > most_boxes) return std::nullopt;
    }
    return boxes;
}

std::optional<std::vector<row_mode_t>> make_loops(std::span<const memory_desc_t *const> tensors) {
    auto boxes = make_boxes(tensors);
    if (!boxes || boxes->size() != 1) return std::nullopt;
    return std::move(boxes->front().loops);
}

std::optional<row_mode_t> take_line(std::vector<row_mode_t> &loops, size_t tensors,
        const function_ref_t<bool(const row_mode_t &)> &is_innermost) {
    const auto innermost = std::ranges::find_if(loops, is_innermost);
    if (innermost == loops.end()) return std::nullopt;
    row_mode_t line = *innermost;
    loops.erase(innermost);
    const auto next = [&] {
        return std::ranges::find_if(
                loops, [&](const row_mode_t &loop) { return continues(loop, line, tensors); });
    };
    for (auto loop = next(); loop != loops.end(); loop = next()) {
        line.extent *= loop->extent;
        loops.erase(loop);
    }
    return line;
}

row_mode_t take_nearest(std::vector<row_mode_t> &loops, size_t tensors, size_t leader) {
    if (loops.empty()) return {1, {}};
    dim_t least = 0;
    for (const row_mode_t &loop : loops)
        if (const dim_t stride = loop.strides[leader]; stride != 0)
            least = least == 0 ? stride : std::min(least, stride);
    return *take_line(
            loops, tensors, [&](const row_mode_t &loop) { return loop.strides[leader] == least; });
}

} // namespace kiln::x64
