// SPDX-License-Identifier: Apache-2.0
// Operands of a kernel as rows.

#include "cpu/x64/layout/row_plan.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <utility>

namespace kiln::x64 {

dim_t product_of_extents(const std::vector<row_mode_t> &loops) {
    dim_t product = 1;
    for (const row_mode_t &loop : loops) product *= loop.extent;
    return product;
}

bool continues(const row_mode_t &outer, const row_mode_t &inner, size_t operands) {
    for (size_t i = 0; i < operands; ++i)
        if (outer.strides[i] != inner.strides[i] * inner.extent) return false;
    return true;
}

row_mode_t loop_along(std::span<const memory_desc_t *const> tensors, int axis) {
    row_mode_t loop{tensors.front()->dims[axis], {}};
    for (size_t i = 0; i < tensors.size(); ++i)
        if (const memory_desc_t &md = *tensors[i]; md.ndims > axis && md.dims[axis] != 1)
            loop.strides[i] = md.format_desc.blocking.strides[axis];
    return loop;
}

row_plan_t::row_plan_t(int ndims, std::span<const memory_desc_t *const> operands)
    : operands_(operands.size())
    , origin_(origin_of(operands)) {
    std::vector<row_mode_t> modes;
    modes.reserve(static_cast<size_t>(ndims));
    for (int d = 0; d < ndims; ++d) modes.push_back(loop_along(operands, d));
    arrange(std::move(modes));
}

row_plan_t::row_plan_t(
        size_t operands, std::vector<row_mode_t> modes, const row_offsets_t &origin, size_t leader)
    : operands_(operands)
    , origin_(origin) {
    arrange(std::move(modes), leader);
}

void row_plan_t::arrange(std::vector<row_mode_t> modes, size_t leader) {
    rows_ = product_of_extents(modes);
    std::erase_if(modes, [](const row_mode_t &mode) { return mode.extent == 1; });
    std::ranges::stable_sort(modes, std::greater(), stride_in(leader));
    // From the innermost loop outwards; a loop that continues the one inside is joined to it.
    for (auto mode = modes.rbegin(); mode != modes.rend(); ++mode) {
        if (!outer_.empty() && continues(*mode, outer_.back(), operands_))
            outer_.back().extent *= mode->extent;
        else
            outer_.push_back(*mode);
    }
    inner_ = outer_.empty() ? row_mode_t{1, {}} : outer_.front();
    if (!outer_.empty()) outer_.erase(outer_.begin());
}

void row_plan_t::lengthen_runs(dim_t least, dim_t near) {
    if (inner_.extent >= least) return;
    const auto longer = std::ranges::find_if(
            outer_, [&](const row_mode_t &mode) { return mode.extent >= least; });
    if (longer == outer_.end()) return;
    const dim_t stride = std::max(longer->strides.front(), dim_t(1));
    dim_t part = std::clamp(near / stride, least, longer->extent);
    while (part >= least && longer->extent % part != 0) --part;
    if (part < least) part = longer->extent;
    row_mode_t run = *longer;
    run.extent = part;
    longer->extent /= part;
    for (dim_t &distance : longer->strides) distance *= part;
    if (longer->extent == 1) outer_.erase(longer);
    outer_.insert(outer_.begin(), std::exchange(inner_, run));
}

bool row_plan_t::keeps_alignment(size_t operand, dim_t elements, dim_t step) const {
    const auto is_multiple = [&](dim_t offset) { return offset % elements == 0; };
    return is_multiple(origin_[operand]) && is_multiple(inner_.strides[operand] * step)
           && std::ranges::all_of(outer_,
                   [&](const row_mode_t &mode) { return is_multiple(mode.strides[operand]); });
}

std::string row_plan_t::text() const {
    if (is_one_run()) return std::to_string(rows_) + " rows in one run";
    return std::to_string(rows_) + " rows in " + std::to_string(rows_ / inner_.extent) + " runs of "
           + std::to_string(inner_.extent);
}

row_offsets_t row_plan_t::offsets_of(dim_t row) const {
    row_offsets_t offsets = origin_;
    for_each_position(row, [&](const row_mode_t &mode, dim_t position) {
        for (size_t i = 0; i < operands_; ++i) offsets[i] += position * mode.strides[i];
    });
    return offsets;
}

dim_t row_plan_t::offset_of(dim_t row, size_t operand) const {
    dim_t offset = origin_[operand];
    for_each_position(row, [&](const row_mode_t &mode, dim_t position) {
        offset += position * mode.strides[operand];
    });
    return offset;
}

row_offsets_t origin_of(std::span<const memory_desc_t *const> tensors) {
    assert(tensors.size() <= max_row_operands);
    row_offsets_t origin{};
    for (size_t i = 0; i < tensors.size(); ++i) origin[i] = tensors[i]->offset0;
    return origin;
}

int nearest_axis(const memory_desc_t &md, int axes) {
    const auto &strides = md.format_desc.blocking.strides;
    int nearest = axes - 1;
    for (int d = nearest - 1; d >= 0; --d)
        if (md.dims[d] != 1 && (md.dims[nearest] == 1 || strides[d] < strides[nearest]))
            nearest = d;
    return nearest;
}

bool has_dense_rows(const memory_desc_t &md) {
    const int last = md.ndims - 1;
    return is_plain(md) && (md.dims[last] == 1 || md.format_desc.blocking.strides[last] == 1);
}

} // namespace kiln::x64
