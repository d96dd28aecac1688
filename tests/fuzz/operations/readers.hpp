// SPDX-License-Identifier: Apache-2.0
// What inputs of all operations have: data types, tensors, attributes.
#pragma once

#include "support/handle.hpp"
#include "support/input.hpp"
#include "support/layouts.hpp"

namespace kiln::fuzz {

constexpr int64_t most_elements = 4096;

/// A data type of the list, seldom another one.
template <typename list_t> dnnl_data_type_t read_type(input_t &input, const list_t &list) {
    return input.one_in(64) ? input.pick(all_types()) : input.pick(list);
}
memory_desc_handle_t read_tensor(
        input_t &input, const dims_t &dims, dnnl_data_type_t type, role_t role);
/// Attributes in half of the inputs, null in the others: quantization of src, dst and `others`,
/// dropout, post-ops and modes.
test::attr_handle_t read_attr(
        input_t &input, const dims_t &dst_dims, std::initializer_list<int> others = {});

} // namespace kiln::fuzz
