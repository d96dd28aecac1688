// SPDX-License-Identifier: Apache-2.0
// Scales and zero points as queries describe them.
#pragma once

#include <map>

#include "common/primitive/primitive_desc.hpp"

namespace kiln {

/// The descriptors of scales and zero points with the axes of their masks alone, which is how
/// programs for oneDNN describe them: one for each of 192 columns is a vector of 192.
class mask_axes_t {
public:
    /// For a descriptor whose table of arguments is filled.
    void init(const primitive_desc_t &pd);
    /// The descriptor of DNNL_ARG_ATTR_SCALES | ..., DNNL_ARG_ATTR_ZERO_POINTS | ...; null for
    /// other arguments.
    const memory_desc_t *find(int arg) const;

private:
    std::map<int, memory_desc_t> mds_;
};

} // namespace kiln
