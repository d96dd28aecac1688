// SPDX-License-Identifier: Apache-2.0
// Which elements of src make one element of dst: where an extent of dst is 1 and that of src is
// not, the axis is reduced.
#pragma once

#include "common/tensor/dims.hpp"

namespace benchdnn::reduction {

// Rows are the last axis, as in tensor_t. The elements that make one result lie in term rows: one
// for each position along the reduced axes before the last one.
class grouping_t {
public:
    grouping_t(dims_t src, dims_t dst);

    bool reduces_last_axis() const { return reduces(src_.size() - 1); }
    dim_t terms() const { return term_rows_ * (reduces_last_axis() ? src_.back() : 1); }
    dim_t term_rows() const { return term_rows_; }
    // The src row that holds the term row's elements for a row of dst.
    dim_t src_row(dim_t dst_row, dim_t term_row) const;

    // Where an element of src goes: to which result, as which of its terms.
    struct place_t {
        dim_t result, term;
    };
    place_t place_of(dim_t src_index) const;

private:
    bool reduces(size_t axis) const { return dst_[axis] == 1 && src_[axis] != 1; }

    dims_t src_, dst_;
    dim_t term_rows_ = 1;
};

} // namespace benchdnn::reduction
