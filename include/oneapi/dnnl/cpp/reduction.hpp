// SPDX-License-Identifier: Apache-2.0
// Reduction: the greatest, the least, the sum, ... of a tensor's elements along axes.

#ifndef ONEAPI_DNNL_CPP_REDUCTION_HPP
#define ONEAPI_DNNL_CPP_REDUCTION_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

/// Where dst has an extent of 1 and src has not, src is reduced along that axis.
///
/// Arguments: DNNL_ARG_SRC and DNNL_ARG_DST.
struct reduction : public primitive {
    /// Throws with dnnl_invalid_arguments for shapes or parameters that do not fit and
    /// dnnl_unimplemented where no implementation accepts; if allow_empty, leaves the object empty
    /// instead.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// p and eps are those of norms, which other algorithms do not look at.
        primitive_desc(const engine &aengine, algorithm aalgorithm, const memory::desc &src_desc,
                const memory::desc &dst_desc, float p, float eps,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_reduction_primitive_desc_create(&pd, aengine.get(),
                    convert_to_c(aalgorithm), src_desc.get(), dst_desc.get(), p, eps, attr.get());
            accept(status, pd, allow_empty,
                    "cannot describe a reduction; ONEDNN_VERBOSE=all says why");
        }

        /// A copy of a C descriptor, which must be one of a reduction.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, kind::reduction) {}
    };

    /// An empty primitive.
    reduction() = default;
    reduction(const primitive_desc &pd)
        : primitive(pd) {}
    reduction(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_REDUCTION_HPP
