// SPDX-License-Identifier: Apache-2.0
// The addresses of a tensor's elements: the driver's own arithmetic from what the interface returns
// about a memory descriptor. The library is never asked to move data.
#pragma once

#include <cstdint>
#include <vector>

#include "common/tensor/dims.hpp"

namespace benchdnn {

struct layout_fields_t {
    struct block_t {
        int axis;
        dim_t size;
    };
    dnnl_data_type_t data_type = dnnl_data_type_undef;
    dims_t dims, padded_dims, strides; // strides of the outer blocks, in elements
    std::vector<block_t> blocks;       // inner blocks, outermost first
    dim_t offset0 = 0;
    size_t bytes = 0;
};

// A blocked layout is separable: an element's offset is a sum of one term for each axis, which
// depends only on the position along that axis. So an axis is described by a stride, or by a table
// if it is blocked.
class layout_t {
public:
    layout_t() = default;
    explicit layout_t(layout_fields_t fields);
    // Reads the descriptor with dnnl_memory_desc_query.
    explicit layout_t(const_dnnl_memory_desc_t descriptor);

    dnnl_data_type_t data_type() const { return fields_.data_type; }
    const dims_t &dims() const { return fields_.dims; }
    int ndims() const { return static_cast<int>(fields_.dims.size()); }
    size_t bytes() const { return fields_.bytes; }
    dim_t elements() const { return ndims() ? product(fields_.dims) : 0; }
    dim_t padded_elements() const { return ndims() ? product(fields_.padded_dims) : 0; }

    // A row is the last logical axis; rows are numbered by the positions along the other axes, the
    // last of them fastest.
    dim_t cols() const { return fields_.dims.back(); }
    dim_t rows() const;

    dim_t axis_offset(int axis, dim_t position) const {
        return tables_[axis].empty() ? position * fields_.strides[axis] : tables_[axis][position];
    }
    // The offset of the row's first element, to which axis_offset of the last axis is added.
    dim_t row_offset(dim_t row) const;
    // Whether the last axis has a plain stride, and that stride.
    bool has_plain_cols() const { return tables_.back().empty(); }
    dim_t col_stride() const { return fields_.strides.back(); }

    // Whether positions along an axis share their elements (stride 0).
    bool repeats() const;

    // Whether the buffer goes on behind the elements of blocks: with sums of weights.
    bool has_sums() const;

    // What each element of the buffer belongs to; empty if all belong to the tensor.
    enum class owner_t : uint8_t { none, tensor, padding };
    std::vector<owner_t> owners() const;

private:
    void fill_tables();
    dim_t end_of_elements() const; // behind the last one, or padding

    layout_fields_t fields_;
    std::vector<std::vector<dim_t>> tables_;
};

} // namespace benchdnn
