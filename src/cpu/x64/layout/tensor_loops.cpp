// SPDX-License-Identifier: Apache-2.0
// Any number of tensors of one shape as loops.

#include "cpu/x64/layout/tensor_loops.hpp"

#include <algorithm>

namespace kiln::x64 {
namespace {

/// Whether an axis along which the tensor has several elements is padded, or has padding in front.
bool is_padded_between(const memory_desc_t &md) {
    for (int d = 0; d < md.ndims; ++d)
        if ((md.dims[d] != 1 && md.padded_dims[d] != md.dims[d]) || md.padded_offsets[d] != 0)
            return true;
    return false;
}

} // namespace

std::vector<dim_t> block_steps(std::span<const memory_desc_t *const> tensors, int axis) {
    std::vector<dim_t> steps{1};
    for (const memory_desc_t *md : tensors) {
        if (is_zero(*md)) continue;
        const blocking_t &blocking = md->format_desc.blocking;
        dim_t step = 1;
        for (int i = blocking.inner_nblks - 1; i >= 0; --i)
            if (blocking.inner_idxs[i] == axis) steps.push_back(step *= blocking.inner_blks[i]);
    }
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    return steps;
}

bool divide_each_other(const std::vector<dim_t> &numbers) {
    for (size_t i = 1; i < numbers.size(); ++i)
        if (numbers[i] % numbers[i - 1] != 0) return false;
    return true;
}

std::optional<std::vector<row_mode_t>> make_loops(std::span<const memory_desc_t *const> tensors) {
    if (std::any_of(tensors.begin(), tensors.end(),
                [](const memory_desc_t *md) { return is_padded_between(*md); }))
        return std::nullopt;
    std::vector<row_mode_t> loops;
    for (int d = 0; d < tensors.front()->ndims; ++d) {
        if (tensors.front()->dims[d] == 1) continue;
        std::vector<const memory_desc_t *> moving;
        for (const memory_desc_t *md : tensors)
            if (!is_zero(*md) && md->dims[d] != 1) moving.push_back(md);
        std::vector<dim_t> steps = block_steps(moving, d);
        // A block is not longer than an axis without padding.
        if (steps.back() != tensors.front()->dims[d]) steps.push_back(tensors.front()->dims[d]);
        if (!divide_each_other(steps)) return std::nullopt;
        for (size_t level = 1; level < steps.size(); ++level) {
            const dim_t step = steps[level - 1];
            row_mode_t loop{steps[level] / step, {}};
            for (size_t i = 0; i < tensors.size(); ++i)
                if (!is_zero(*tensors[i]) && tensors[i]->dims[d] != 1)
                    loop.strides[i] = axis_offsets_t(*tensors[i], d)(step);
            loops.push_back(loop);
        }
    }
    return loops;
}

std::optional<row_mode_t> take_line(std::vector<row_mode_t> &loops, size_t tensors,
        const function_ref_t<bool(const row_mode_t &)> &is_innermost) {
    const auto innermost = std::find_if(loops.begin(), loops.end(), is_innermost);
    if (innermost == loops.end()) return std::nullopt;
    row_mode_t line = *innermost;
    loops.erase(innermost);
    const auto next = [&] {
        return std::find_if(loops.begin(), loops.end(),
                [&](const row_mode_t &loop) { return continues(loop, line, tensors); });
    };
    for (auto loop = next(); loop != loops.end(); loop = next()) {
        line.extent *= loop->extent;
        loops.erase(loop);
    }
    return line;
}

} // namespace kiln::x64
