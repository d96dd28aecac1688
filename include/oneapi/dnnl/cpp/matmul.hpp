// SPDX-License-Identifier: Apache-2.0
// Matrix product: batches of matrices, with bias.

#ifndef ONEAPI_DNNL_CPP_MATMUL_HPP
#define ONEAPI_DNNL_CPP_MATMUL_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

/// dst = src x weights + bias for the last two axes: src is M x K, weights K x N, dst M x N. Axes
/// before them are a batch; an extent of 1 in src or weights is broadcast. All tensors have the
/// same number of axes, from 2 to 12.
///
/// Arguments: DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST; DNNL_ARG_BIAS with a bias.
struct matmul : public primitive {
    /// A layout of format any is chosen by the implementation; extents and strides may be
    /// DNNL_RUNTIME_DIM_VAL, known at execution alone. Throws dnnl_invalid_arguments for
    /// inconsistent shapes or types, and dnnl_unimplemented if no implementation supports them.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Without bias.
        /// @param aengine Engine that executes the primitive.
        /// @param src_desc Shape ... x M x K.
        /// @param weights_desc Shape ... x K x N.
        /// @param dst_desc Shape ... x M x N.
        /// @param attr Scales, zero points, post-ops, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, const memory::desc &src_desc,
                const memory::desc &weights_desc, const memory::desc &dst_desc,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(
                    aengine, src_desc, weights_desc, nullptr, dst_desc, attr, allow_empty) {}

        /// With a bias.
        /// @param aengine Engine that executes the primitive.
        /// @param src_desc Shape ... x M x K.
        /// @param weights_desc Shape ... x K x N.
        /// @param bias_desc As many axes as dst; each extent is that of dst or 1. No bias if it is
        ///     the zero descriptor.
        /// @param dst_desc Shape ... x M x N.
        /// @param attr Scales, zero points, post-ops, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, const memory::desc &src_desc,
                const memory::desc &weights_desc, const memory::desc &bias_desc,
                const memory::desc &dst_desc, const primitive_attr &attr = default_attr(),
                bool allow_empty = false)
            : primitive_desc(
                    aengine, src_desc, weights_desc, &bias_desc, dst_desc, attr, allow_empty) {}

        /// Copies a C descriptor pd of a matrix product.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, kind::matmul) {}

        memory::desc bias_desc() const { return base::weights_desc(1); }

    private:
        primitive_desc(const engine &aengine, const memory::desc &src_desc,
                const memory::desc &weights_desc, const memory::desc *bias_desc,
                const memory::desc &dst_desc, const primitive_attr &attr, bool allow_empty) {
            describe_with(allow_empty,
                    "cannot describe a matrix product; ONEDNN_VERBOSE=all says why",
                    dnnl_matmul_primitive_desc_create, aengine.get(), src_desc.get(),
                    weights_desc.get(), optional_arg(bias_desc), dst_desc.get(), attr.get());
        }
    };

    /// An empty primitive.
    matmul() = default;
    /// The primitive of descriptor pd.
    matmul(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    matmul(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_MATMUL_HPP
