// SPDX-License-Identifier: Apache-2.0
// From parsed attributes to the library's attribute object and to the run-time arguments that come
// with it: scales, zero points, post-op operands.
#pragma once

#include "common/attributes/attributes.hpp"
#include "common/tensor/arguments.hpp"

namespace benchdnn {

// What masks of attributes refer to: the dims of dst, and the axis that per_oc means.
struct attribute_target_t {
    dims_t dims;
    int channel_axis;
    int weights_channel_axis = -1; // of weights' scales and zero points; -1: the same
    int axis_of(int argument) const {
        return argument == DNNL_ARG_WEIGHTS && weights_channel_axis >= 0 ? weights_channel_axis
                                                                         : channel_axis;
    }
};

attr_t make_attr(const attributes_t &attributes, const attribute_target_t &target);

// Adds and fills the tensors that the attributes need, including the user's scratchpad.
void add_attribute_arguments(const attributes_t &attributes, const primitive_desc_t &primitive_desc,
        uint64_t seed, arguments_t &arguments);

inline int operand_argument(size_t index) {
    return DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(index)) | DNNL_ARG_SRC_1;
}
inline int weights_argument(size_t index) {
    return DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(index)) | DNNL_ARG_WEIGHTS;
}
inline int condition_argument(size_t index) {
    return DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(index)) | DNNL_ARG_SRC_2;
}

} // namespace benchdnn
