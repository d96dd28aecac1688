// SPDX-License-Identifier: Apache-2.0
// Any number of tensors of one shape as loops.

#include "cpu/x64/layout/tensor_loops.hpp"

#include <algorithm>

namespace kiln::x64 {
namespace {

/// Positions along an axis at which the way from neighbour to neighbour changes in a tensor.
void add_steps(const memory_desc_t &md, int axis, std::vector<dim_t> &steps) {
    const blocking_t &blocking = md.format_desc.blocking;
    dim_t step = 1;
    for (int i = blocking.inner_nblks - 1; i >= 0; --i)
        if (blocking.inner_idxs[i] == axis) steps.push_back(step *= blocking.inner_blks[i]);
}

/// From 1 to the extent; each goes into the next, or there is nothing.
std::optional<std::vector<dim_t>> steps_of(
        std::span<const memory_desc_t *const> tensors, int axis) {
    std::vector<dim_t> steps{1, tensors.front()->dims[axis]};
    for (const memory_desc_t *md : tensors) add_steps(*md, axis, steps);
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    for (size_t i = 1; i < steps.size(); ++i)
        if (steps[i] % steps[i - 1] != 0) return std::nullopt;
    return steps;
}

} // namespace

std::optional<std::vector<row_mode_t>> make_loops(std::span<const memory_desc_t *const> tensors) {
    if (std::any_of(tensors.begin(), tensors.end(),
                [](const memory_desc_t *md) { return has_padding(*md); }))
        return std::nullopt;
    std::vector<row_mode_t> loops;
    for (int d = 0; d < tensors.front()->ndims; ++d) {
        if (tensors.front()->dims[d] == 1) continue;
        const auto steps = steps_of(tensors, d);
        if (!steps) return std::nullopt;
        for (size_t level = 1; level < steps->size(); ++level) {
            const dim_t step = (*steps)[level - 1];
            row_mode_t loop{(*steps)[level] / step, {}};
            for (size_t i = 0; i < tensors.size(); ++i)
                if (tensors[i]->dims[d] != 1)
                    loop.strides[i] = axis_offsets_t(*tensors[i], d)(step);
            loops.push_back(loop);
        }
    }
    return loops;
}

} // namespace kiln::x64
