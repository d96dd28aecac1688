// SPDX-License-Identifier: Apache-2.0
// The addresses of a tensor's elements.
#include "common/tensor/layout.hpp"

#include <algorithm>
#include <utility>

#include "common/tensor/data_type.hpp"
#include "common/tensor/handles.hpp"

namespace benchdnn {

namespace {

template <typename value_t>
value_t queried(const_dnnl_memory_desc_t descriptor, dnnl_query_t what) {
    value_t value{};
    require_success(dnnl_memory_desc_query(descriptor, what, &value), "dnnl_memory_desc_query");
    return value;
}

dims_t queried_dims(const_dnnl_memory_desc_t descriptor, dnnl_query_t what, int count) {
    const dim_t *values = queried<const dim_t *>(descriptor, what);
    return dims_t(values, values + count);
}

layout_fields_t read_fields(const_dnnl_memory_desc_t descriptor) {
    layout_fields_t fields;
    const int ndims = queried<int>(descriptor, dnnl_query_ndims_s32);
    fields.data_type = queried<dnnl_data_type_t>(descriptor, dnnl_query_data_type);
    fields.bytes = dnnl_memory_desc_get_size(descriptor);
    if (ndims == 0) return fields;
    fields.dims = queried_dims(descriptor, dnnl_query_dims, ndims);
    fields.padded_dims = queried_dims(descriptor, dnnl_query_padded_dims, ndims);
    fields.strides = queried_dims(descriptor, dnnl_query_strides, ndims);
    fields.offset0 = queried<dim_t>(descriptor, dnnl_query_submemory_offset_s64);
    const int blocks = queried<int>(descriptor, dnnl_query_inner_nblks_s32);
    if (blocks == 0) return fields;
    const dims_t sizes = queried_dims(descriptor, dnnl_query_inner_blks, blocks);
    const dims_t axes = queried_dims(descriptor, dnnl_query_inner_idxs, blocks);
    for (int b = 0; b < blocks; ++b) fields.blocks.push_back({static_cast<int>(axes[b]), sizes[b]});
    return fields;
}

// Calls visit(offset, inside) for every position of the padded tensor.
template <typename visitor_t>
void for_each_padded(const layout_fields_t &fields, const std::vector<std::vector<dim_t>> &offsets,
        visitor_t &&visit) {
    const int ndims = static_cast<int>(fields.dims.size());
    if (product(fields.padded_dims) == 0) return;
    dims_t position(ndims, 0);
    for (;;) {
        dim_t offset = fields.offset0;
        bool inside = true;
        for (int axis = 0; axis < ndims; ++axis) {
            offset += offsets[axis][position[axis]];
            inside = inside && position[axis] < fields.dims[axis];
        }
        visit(offset, inside);
        int axis = ndims - 1;
        while (axis >= 0 && ++position[axis] == fields.padded_dims[axis]) position[axis--] = 0;
        if (axis < 0) return;
    }
}

} // namespace

layout_t::layout_t(layout_fields_t fields)
    : fields_(std::move(fields)) {
    fill_tables();
}

layout_t::layout_t(const_dnnl_memory_desc_t descriptor)
    : layout_t(read_fields(descriptor)) {}

void layout_t::fill_tables() {
    tables_.assign(fields_.dims.size(), {});
    if (product(fields_.dims) == 0) return;
    for (int axis = 0; axis < ndims(); ++axis) {
        dim_t block = 1; // elements of this axis inside one outer block
        for (const auto &b : fields_.blocks)
            if (b.axis == axis) block *= b.size;
        if (block == 1) continue;
        tables_[axis].resize(fields_.padded_dims[axis]);
        for (dim_t i = 0; i < fields_.padded_dims[axis]; ++i) {
            dim_t offset = i / block * fields_.strides[axis];
            dim_t rest = i % block, inner_stride = 1;
            for (size_t b = fields_.blocks.size(); b-- > 0;) {
                const auto &inner = fields_.blocks[b];
                if (inner.axis == axis) {
                    offset += rest % inner.size * inner_stride;
                    rest /= inner.size;
                }
                inner_stride *= inner.size;
            }
            tables_[axis][i] = offset;
        }
    }
}

bool layout_t::repeats() const {
    for (int axis = 0; axis < ndims(); ++axis)
        if (fields_.dims[axis] > 1 && fields_.strides[axis] == 0) return true;
    return false;
}

dim_t layout_t::rows() const {
    dim_t rows = 1;
    for (int axis = 0; axis + 1 < ndims(); ++axis) rows *= fields_.dims[axis];
    return rows;
}

dim_t layout_t::row_offset(dim_t row) const {
    dim_t offset = fields_.offset0;
    for (int axis = ndims() - 2; axis >= 0; --axis) {
        offset += axis_offset(axis, row % fields_.dims[axis]);
        row /= fields_.dims[axis];
    }
    return offset;
}

dim_t layout_t::end_of_elements() const {
    dim_t last = 0;
    for (int axis = 0; axis < ndims(); ++axis)
        last += axis_offset(axis, fields_.padded_dims[axis] - 1);
    return last + 1;
}

bool layout_t::has_sums() const {
    return !fields_.blocks.empty() && elements() != 0
           && bytes_of(fields_.data_type, end_of_elements()) < fields_.bytes;
}

std::vector<layout_t::owner_t> layout_t::owners() const {
    const size_t bits = data_type_bits(fields_.data_type);
    if (bits == 0 || bytes_of(fields_.data_type, elements()) == fields_.bytes) return {};
    const size_t slots = fields_.bytes * 8 / bits;
    std::vector<std::vector<dim_t>> offsets(ndims());
    for (int axis = 0; axis < ndims(); ++axis)
        for (dim_t i = 0; i < fields_.padded_dims[axis]; ++i)
            offsets[axis].push_back(axis_offset(axis, i));
    std::vector<owner_t> owners(slots, owner_t::none);
    if (has_sums()) std::fill(owners.begin() + end_of_elements(), owners.end(), owner_t::tensor);
    for_each_padded(fields_, offsets, [&](dim_t offset, bool inside) {
        owners.at(offset) = inside ? owner_t::tensor : owner_t::padding;
    });
    return owners;
}

} // namespace benchdnn
