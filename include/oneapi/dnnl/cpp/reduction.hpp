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
        /// @param aengine Engine that executes the primitive.
        /// @param aalgorithm reduction_max, _min, _sum, _mul, _mean or one of the norms
        ///     reduction_norm_lp_...
        /// @param src_desc Any shape.
        /// @param dst_desc The extents of src, or 1 along the axes that are reduced.
        /// @param p Exponent of a norm, at least 1; other algorithms ignore it.
        /// @param eps Lower bound of a norm, or addend to it; other algorithms ignore it.
        /// @param attr Post-ops, scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, algorithm aalgorithm, const memory::desc &src_desc,
                const memory::desc &dst_desc, float p, float eps,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            describe_with(allow_empty, "cannot describe a reduction; ONEDNN_VERBOSE=all says why",
                    dnnl_reduction_primitive_desc_create, aengine.get(), convert_to_c(aalgorithm),
                    src_desc.get(), dst_desc.get(), p, eps, attr.get());
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
