// SPDX-License-Identifier: Apache-2.0
// Binary operations: the sum, product, maximum, ... of two tensors that broadcast to each other.

#ifndef ONEAPI_DNNL_CPP_BINARY_HPP
#define ONEAPI_DNNL_CPP_BINARY_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

/// dst = src0 op src1, where the algorithm says what op is; comparisons give 1 or 0. With
/// binary_select, dst = src2 ? src0 : src1. A source with extent 1 along an axis is broadcast along
/// it. dst may have src0's memory.
///
/// Arguments: DNNL_ARG_SRC_0, DNNL_ARG_SRC_1, DNNL_ARG_DST; DNNL_ARG_SRC_2 with binary_select.
struct binary : public primitive {
    /// The layouts of src1, src2 and dst may be any, which is that of src0. Throws
    /// dnnl_invalid_arguments for inconsistent shapes or types, and dnnl_unimplemented if no
    /// implementation supports them. With allow_empty the object is empty instead.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// For an operation on two sources.
        /// @param aengine Engine that executes the primitive.
        /// @param aalgorithm binary_add, _sub, _mul, _div, _max, _min, a comparison (_ge, _gt, _le,
        ///     _lt, _eq, _ne) or _select.
        /// @param src0 Any shape; extent 1 along axes on which it is broadcast.
        /// @param src1 The number of axes of src0; extent 1 along axes on which it is broadcast.
        /// @param dst The larger extent of the sources along each axis.
        /// @param attr Scales, post-ops, scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, algorithm aalgorithm, const memory::desc &src0,
                const memory::desc &src1, const memory::desc &dst,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            describe_with(allow_empty,
                    "cannot describe a binary operation; ONEDNN_VERBOSE=all says why",
                    dnnl_binary_primitive_desc_create, aengine.get(), convert_to_c(aalgorithm),
                    src0.get(), src1.get(), dst.get(), attr.get());
        }

        /// For binary_select, whose condition is src2 of s8.
        /// @param aengine Engine that executes the primitive.
        /// @param aalgorithm binary_add, _sub, _mul, _div, _max, _min, a comparison (_ge, _gt, _le,
        ///     _lt, _eq, _ne) or _select.
        /// @param src0 Any shape; extent 1 along axes on which it is broadcast.
        /// @param src1 The number of axes of src0; extent 1 along axes on which it is broadcast.
        /// @param src2 The condition, s8: not 0 selects src0. The shape of dst, or extent 1 where
        ///     it is broadcast.
        /// @param dst The larger extent of the sources along each axis.
        /// @param attr Scales, post-ops, scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, algorithm aalgorithm, const memory::desc &src0,
                const memory::desc &src1, const memory::desc &src2, const memory::desc &dst,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            describe_with(allow_empty,
                    "cannot describe a binary operation; ONEDNN_VERBOSE=all says why",
                    dnnl_binary_primitive_desc_create_v2, aengine.get(), convert_to_c(aalgorithm),
                    src0.get(), src1.get(), src2.get(), dst.get(), attr.get());
        }

        /// Copies a C descriptor pd of a binary operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, kind::binary) {}

        memory::desc src_desc(int idx = 0) const { return base::src_desc(idx); }
        memory::desc src0_desc() const { return base::src_desc(0); }
        memory::desc src1_desc() const { return base::src_desc(1); }
        memory::desc src2_desc() const { return base::src_desc(2); }
    };

    /// An empty primitive.
    binary() = default;
    /// The primitive of descriptor pd.
    binary(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    binary(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_BINARY_HPP
