// SPDX-License-Identifier: Apache-2.0
// Scales or zero points of a factor.
#include "common/products/quantities.hpp"

#include "common/tensor/data_type.hpp"

namespace benchdnn {

quantities_t::quantities_t(const quantization_t &quantization, int kind, int argument,
        const arguments_t &arguments, const dims_t &dims, int channel_axis)
    : dims_(dims) {
    const quantization_entry_t *const entry = quantization.find(argument);
    if (!entry) return;
    is_given_ = true;
    single_ = rounded_to(entry->data_type, entry->value);
    if (entry->broadcast.is_single_value()) return;
    values_ = &arguments.original(kind | argument);
    // The values have the axes of the mask, or all.
    const dims_t &given = values_->layout().dims();
    const int mask = entry->broadcast.mask(static_cast<int>(dims.size()), channel_axis);
    size_t next = 0;
    for (size_t d = 0; d < dims.size(); ++d) {
        const bool is_kept = given.size() == dims.size() || (mask >> d & 1);
        extents_.push_back(is_kept && next < given.size() ? given[next++] : 1);
    }
}

double quantities_t::at(const dims_t &position) const {
    if (!values_) return single_;
    dim_t index = 0;
    for (size_t axis = 0; axis < dims_.size(); ++axis) {
        const dim_t group = dims_[axis] / extents_[axis];
        index = index * extents_[axis] + position[axis] / group;
    }
    return values_->load(index);
}

} // namespace benchdnn
