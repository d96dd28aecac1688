// SPDX-License-Identifier: Apache-2.0
// Scales, zero points or sums of an argument.

#include "cpu/reference/quantization_values.hpp"

#include "common/memory/data_type.hpp"
#include "cpu/reference/e8m0.hpp"
#include "cpu/reference/half_byte.hpp"

namespace kiln::cpu::reference {

double load_quantization(data_type_t type, const void *base, dim_t index) {
    if (is_half_byte(type)) return load_half_byte(type, base, index);
    return load_f64(type, base, index);
}

double rounded_to_type(data_type_t type, double value) {
    if (type == dnnl_e8m0) return static_cast<double>(static_cast<float>(to_e8m0(value)));
    double stored = 0;
    store_f64(type, value, &stored, 0);
    return load_f64(type, &stored, 0);
}

quantization_values_t::quantization_values_t(
        const primitive_desc_t &pd, const quantization_map_t &map, int kind, int arg) {
    const auto found = map.find(arg);
    if (found == map.end()) return;
    const quantization_t &quantization = found->second;
    const memory_desc_t &md = pd.md_of(kind | arg);
    slot_ = pd.slot_of(kind | arg);
    data_type_ = quantization.data_type;
    ndims_ = md.ndims;
    groups_.fill(1);
    const int ungrouped = ndims_ - quantization.group_ndims;
    for (int d = 0; d < ndims_; ++d) {
        const bool is_masked = (quantization.mask >> d & 1) != 0;
        strides_[d] = is_masked && md.dims[d] != 1 ? md.format_desc.blocking.strides[d] : 0;
        if (is_masked && d >= ungrouped)
            groups_[static_cast<size_t>(d)] =
                    quantization.group_dims[static_cast<size_t>(d - ungrouped)];
    }
}

dim_t quantization_values_t::offset(const dim_t *position) const {
    dim_t result = 0;
    for (int d = 0; d < ndims_; ++d)
        result += position[d] / groups_[static_cast<size_t>(d)] * strides_[d];
    return result;
}

void quantization_values_t::load(
        const exec_ctx_t &ctx, const dim_t *position, int axis, std::span<double> values) const {
    const void *const data = ctx.input(slot_);
    const dim_t stride = strides_[axis], group = groups_[static_cast<size_t>(axis)];
    const dim_t first = offset(position) - position[axis] / group * stride;
    if (stride == 0) {
        std::fill(values.begin(), values.end(), load_quantization(data_type_, data, first));
        return;
    }
    for (size_t i = 0; i < values.size(); ++i) {
        const dim_t index = (position[axis] + static_cast<dim_t>(i)) / group;
        values[i] = load_quantization(data_type_, data, first + index * stride);
    }
}

void quantization_values_t::store(
        const exec_ctx_t &ctx, const dim_t *position, double value) const {
    void *const data = ctx.output(slot_);
    if (data_type_ == dnnl_e8m0)
        store_element(to_e8m0(value), data, offset(position));
    else
        store_f64(data_type_, value, data, offset(position));
}

} // namespace kiln::cpu::reference
