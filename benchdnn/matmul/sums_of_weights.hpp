// SPDX-License-Identifier: Apache-2.0
// The sums that a library keeps behind the weights whose layout it has chosen.
#pragma once

#include "common/tensor/handles.hpp"
#include "common/tensor/tensor.hpp"

namespace benchdnn::matmul {

// Stores the elements and their sums by a reorder from row-major weights: how the sums lie is the
// library's own.
void store_sums_of_weights(tensor_t &weights, const_dnnl_memory_desc_t descriptor,
        const_dnnl_primitive_desc_t product);

} // namespace benchdnn::matmul
