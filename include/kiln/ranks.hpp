// SPDX-License-Identifier: Apache-2.0
// The C++ form of ranks.h. Failures throw dnnl::error.
#ifndef KILN_RANKS_HPP
#define KILN_RANKS_HPP

#include "kiln/ranks.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace kiln {

using ranks = kiln_ranks_t;

/// Sets the ranks that primitives made with `attr` combine their results with.
inline void set_ranks(dnnl::primitive_attr &attr, const ranks &what) {
    dnnl::error::wrap_c_api(kiln_primitive_attr_set_ranks(attr.get(), &what),
            "could not set the ranks of a primitive attribute");
}

/// The ranks that are set.
inline ranks get_ranks(const dnnl::primitive_attr &attr) {
    ranks what;
    dnnl::error::wrap_c_api(kiln_primitive_attr_get_ranks(attr.get(), &what),
            "could not get the ranks of a primitive attribute");
    return what;
}

} // namespace kiln

#endif
