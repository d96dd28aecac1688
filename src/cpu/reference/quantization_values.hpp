// SPDX-License-Identifier: Apache-2.0
// Scales, zero points or sums of an argument: one for all elements, or one for each index or group
// of indices of the axes in a mask.
#pragma once

#include <array>
#include <span>

#include "common/primitive/primitive.hpp"

namespace kiln::cpu::reference {

class quantization_values_t {
public:
    /// `kind` is the flag of the argument: DNNL_ARG_ATTR_SCALES or DNNL_ARG_ATTR_ZERO_POINTS.
    quantization_values_t(
            const primitive_desc_t &pd, const quantization_map_t &map, int kind, int arg);

    bool is_given() const { return slot_ >= 0; }
    data_type_t data_type() const { return data_type_; }
    /// Values of the elements along `axis` of the tensor, from `position` on.
    void load(
            const exec_ctx_t &ctx, const dim_t *position, int axis, std::span<double> values) const;
    /// Stores the value of the group that the element at `position` belongs to.
    void store(const exec_ctx_t &ctx, const dim_t *position, double value) const;

private:
    dim_t offset(const dim_t *position) const;

    int slot_ = -1;
    data_type_t data_type_ = dnnl_f32;
    int ndims_ = 0;
    dims_t strides_{};                    // 0: one value along the axis
    std::array<dim_t, max_ndims> groups_; // elements that share a value
};

/// Element `index` of an array of a type that scales and zero points may have: those of elements,
/// half bytes, and e8m0.
double load_quantization(data_type_t type, const void *base, dim_t index);
/// The value as it is after it was stored with this type: e8m0 takes the power of two at or below,
/// others the nearest value.
double rounded_to_type(data_type_t type, double value);

} // namespace kiln::cpu::reference
