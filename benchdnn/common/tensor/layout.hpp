// SPDX-License-Identifier: Apache-2.0
// Where a tensor's elements lie: the driver's own address arithmetic over what the interface tells
// about a memory descriptor. It never asks the library to move data.
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

// A blocked layout is separable: an element's offset is the sum of one term per axis that depends
// on the position along that axis only. So an axis is a stride, or a table where it is blocked.
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

    // A row is the last logical axis; rows are numbered as the other axes count, last fastest.
    dim_t cols() const { return fields_.dims.back(); }
    dim_t rows() const;

    dim_t axis_offset(int axis, dim_t position) const {
        return tables_[axis].empty() ? position * fields_.strides[axis] : tables_[axis][position];
    }
    // Of the row's start; axis_offset of the last axis goes on top. (A blocked axis starts at 0
    // too.)
    dim_t row_offset(dim_t row) const;
    // Whether the last axis is a plain stride, and which.
    bool has_plain_cols() const { return tables_.back().empty(); }
    dim_t col_stride() const { return fields_.strides.back(); }

    // What each element of the buffer is; empty when every one belongs to the tensor.
    enum class owner_t : uint8_t { nobody, tensor, padding };
    std::vector<owner_t> owners() const;

private:
    void fill_tables();

    layout_fields_t fields_;
    std::vector<std::vector<dim_t>> tables_;
};

} // namespace benchdnn
