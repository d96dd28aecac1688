// SPDX-License-Identifier: Apache-2.0
// Which requests products by tiles take, as far as types, attributes and layouts say so.
#pragma once

#include "common/operations/matmul_pd.hpp"
#include "cpu/x64/isa.hpp"

namespace kiln::x64::matmul {

/// Elements from one position along an axis to the next; 0 if the axis has one.
inline dim_t stride_of(const memory_desc_t &md, int axis) {
    return md.dims[axis] == 1 ? 0 : md.format_desc.blocking.strides[axis];
}

/// Types, scales, zero points and other attributes.
refusal_t check_types_and_attr(const matmul_pd_t &pd);
/// Layouts of src and weights, once formats are settled.
refusal_t check_layouts(const matmul_pd_t &pd);

} // namespace kiln::x64::matmul
