// SPDX-License-Identifier: Apache-2.0
// Which elements of src make one element of dst.
#include "reduction/grouping.hpp"

#include <utility>

namespace benchdnn::reduction {

grouping_t::grouping_t(dims_t src, dims_t dst)
    : src_(std::move(src))
    , dst_(std::move(dst)) {
    for (size_t axis = 0; axis + 1 < src_.size(); ++axis)
        if (reduces(axis)) term_rows_ *= src_[axis];
}

dim_t grouping_t::src_row(dim_t dst_row, dim_t term_row) const {
    dim_t row = 0, stride = 1;
    for (size_t axis = src_.size() - 1; axis-- > 0;) {
        dim_t &left = reduces(axis) ? term_row : dst_row;
        row += left % src_[axis] * stride;
        left /= src_[axis];
        stride *= src_[axis];
    }
    return row;
}

grouping_t::place_t grouping_t::place_of(dim_t src_index) const {
    place_t place{0, 0};
    dim_t results = 1, terms = 1;
    for (size_t axis = src_.size(); axis-- > 0;) {
        const dim_t position = src_index % src_[axis];
        src_index /= src_[axis];
        dim_t &stride = reduces(axis) ? terms : results;
        (reduces(axis) ? place.term : place.result) += position * stride;
        stride *= src_[axis];
    }
    return place;
}

} // namespace benchdnn::reduction
