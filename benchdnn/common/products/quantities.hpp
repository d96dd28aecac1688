// SPDX-License-Identifier: Apache-2.0
// Scales or zero points of a factor: one for the tensor, or for each index or group of the axes
// that the attribute names.
#pragma once

#include "common/attributes/attributes.hpp"
#include "common/tensor/arguments.hpp"

namespace benchdnn {

class quantities_t {
public:
    // kind: DNNL_ARG_ATTR_SCALES or DNNL_ARG_ATTR_ZERO_POINTS; dims: of the factor; channel_axis:
    // the one that per_oc means.
    quantities_t(const quantization_t &quantization, int kind, int argument,
            const arguments_t &arguments, const dims_t &dims, int channel_axis);

    bool is_given() const { return is_given_; }
    double at(const dims_t &position) const;

private:
    dims_t dims_, extents_; // of the factor; how many quantities there are along each axis
    bool is_given_ = false;
    double single_ = 0;
    const tensor_t *values_ = nullptr; // null: single_ is for all
};

} // namespace benchdnn
