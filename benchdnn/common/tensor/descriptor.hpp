// SPDX-License-Identifier: Apache-2.0
// Memory descriptors from dims, a data type and a benchdnn tag or strides, by public calls.
#pragma once

#include <string>

#include "common/tensor/dims.hpp"
#include "common/tensor/handles.hpp"

namespace benchdnn {

// The tag "undef" gives an empty owner, which is passed as a null descriptor.
memory_desc_t make_descriptor(const dims_t &dims, dnnl_data_type_t type, const std::string &tag);
memory_desc_t make_strided_descriptor(
        const dims_t &dims, dnnl_data_type_t type, const dims_t &strides);

// By strides if they are given, otherwise by the tag.
memory_desc_t make_descriptor(
        const dims_t &dims, dnnl_data_type_t type, const std::string &tag, const dims_t &strides);

// The descriptor of no tensor, for attributes that do not accept a null pointer.
memory_desc_t make_empty_descriptor();

// Whether the interface has an enumerator for the tag.
bool is_enumerated_tag(const std::string &tag, int ndims);

// bad_value_t if the tag is not a layout of ndims axes, or if it is blocked, has no enumerator, and
// enumerated_only is set.
void require_layout(const std::string &tag, int ndims, bool enumerated_only);

// The descriptor of one of a primitive's arguments; null if the primitive does not have the
// argument.
const_dnnl_memory_desc_t argument_descriptor(const primitive_desc_t &primitive_desc, int argument);
bool is_empty_descriptor(const_dnnl_memory_desc_t descriptor);

} // namespace benchdnn
