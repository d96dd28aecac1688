// SPDX-License-Identifier: Apache-2.0
// Reduction: the maximum, minimum, sum, ... of a tensor's elements along axes.

#ifndef ONEAPI_DNNL_CPP_REDUCTION_HPP
#define ONEAPI_DNNL_CPP_REDUCTION_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

/// src is reduced along the axes on which dst has extent 1.
///
/// Arguments: DNNL_ARG_SRC and DNNL_ARG_DST.
struct reduction : public primitive {
    /// Throws dnnl_invalid_arguments for inconsistent shapes or parameters, and dnnl_unimplemented
    /// if no implementation supports them. With allow_empty the object is empty instead.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// p and eps are parameters of norms; other algorithms ignore them.
        primitive_desc(const engine &aengine, algorithm aalgorithm, const memory::desc &src_desc,
                const memory::desc &dst_desc, float p, float eps,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_reduction_primitive_desc_create(&pd, aengine.get(),
                    convert_to_c(aalgorithm), src_desc.get(), dst_desc.get(), p, eps, attr.get());
            accept(status, pd, allow_empty,
                    "cannot describe a reduction; ONEDNN_VERBOSE=all says why");
        }

        /// Copies a C descriptor pd of a reduction.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, kind::reduction) {}
    };

    /// An empty primitive.
    reduction() = default;
    /// The primitive of descriptor pd.
    reduction(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    reduction(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_REDUCTION_HPP
