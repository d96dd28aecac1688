// SPDX-License-Identifier: Apache-2.0
// Tensors of reference implementations: a layout, a data type, and access to runs of elements along
// one axis in double.
#pragma once

#include <span>

#include "common/memory/data_type.hpp"
#include "common/memory/memory_desc.hpp"
#include "cpu/reference/e8m0.hpp"
#include "cpu/reference/half_byte.hpp"

namespace kiln::cpu::reference {

class tensor_t {
public:
    explicit tensor_t(const memory_desc_t &md)
        : layout_(md)
        , data_type_(md.data_type) {}

    data_type_t data_type() const { return data_type_; }
    const layout_t &layout() const { return layout_; }

    /// Elements [begin, begin + values.size()) of axis `d`; `offset` is that of the axis' first
    /// element.
    void load(const void *data, dim_t offset, int d, dim_t begin, std::span<double> values) const {
        const axis_offsets_t &axis = layout_.axis(d);
        if (is_encoded()) {
            for (size_t i = 0; i < values.size(); ++i)
                values[i] = load(data, offset + axis(begin + static_cast<dim_t>(i)));
            return;
        }
        with_type(data_type_, [&]<typename T>(std::type_identity<T>) {
            for (size_t i = 0; i < values.size(); ++i)
                values[i] = static_cast<double>(
                        load_element<T>(data, offset + axis(begin + static_cast<dim_t>(i))));
        });
    }
    void store(void *data, dim_t offset, int d, dim_t begin, std::span<const double> values) const {
        const axis_offsets_t &axis = layout_.axis(d);
        if (is_encoded()) {
            for (size_t i = 0; i < values.size(); ++i)
                store(data, offset + axis(begin + static_cast<dim_t>(i)), values[i]);
            return;
        }
        with_type(data_type_, [&]<typename T>(std::type_identity<T>) {
            for (size_t i = 0; i < values.size(); ++i)
                store_element<T>(saturate_cast<T>(values[i]), data,
                        offset + axis(begin + static_cast<dim_t>(i)));
        });
    }
    double load(const void *data, dim_t offset) const {
        if (is_half_byte(data_type_)) return load_half_byte(data_type_, data, offset);
        return load_f64(data_type_, data, offset);
    }
    void store(void *data, dim_t offset, double value) const {
        if (is_half_byte(data_type_)) return store_half_byte(data_type_, value, data, offset);
        if (data_type_ == dnnl_e8m0) return store_element(to_e8m0(value), data, offset);
        store_f64(data_type_, value, data, offset);
    }

private:
    /// Whether elements are not numbers of a C++ type.
    bool is_encoded() const { return is_half_byte(data_type_) || data_type_ == dnnl_e8m0; }

    layout_t layout_;
    data_type_t data_type_;
};

/// Walks the positions of the first `ndims` axes in logical order, from any index on.
class odometer_t {
public:
    odometer_t(int ndims, const dim_t *dims, dim_t index)
        : ndims_(ndims)
        , dims_(dims) {
        if (index == 0) return; // also where an extent is 0
        for (int d = ndims - 1; d >= 0; --d) {
            position_[d] = index % dims[d];
            index /= dims[d];
        }
    }
    const dim_t *position() const { return position_; }
    void next() {
        for (int d = ndims_ - 1; d >= 0; --d) {
            if (++position_[d] < dims_[d]) return;
            position_[d] = 0;
        }
    }
    /// Offset of the position in a layout; the position along further axes is 0.
    dim_t offset(const layout_t &layout) const {
        dim_t result = layout.offset0();
        for (int d = 0; d < ndims_; ++d) result += layout.axis(d)(position_[d]);
        return result;
    }

private:
    int ndims_;
    const dim_t *dims_;
    dims_t position_{};
};

} // namespace kiln::cpu::reference
