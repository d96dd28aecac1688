// SPDX-License-Identifier: Apache-2.0
// Reorder: copies a tensor into another layout, data type or engine.

#ifndef ONEAPI_DNNL_CPP_REORDER_HPP
#define ONEAPI_DNNL_CPP_REORDER_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

/// dst = src, element by element, converted to the data type of dst. The padding of blocked layouts
/// is set to zero. Arguments: DNNL_ARG_FROM and DNNL_ARG_TO.
struct reorder : public primitive {
    /// Throws dnnl_invalid_arguments if the shapes differ, and dnnl_unimplemented if no
    /// implementation supports the problem. With allow_empty the object is empty instead.
    struct primitive_desc : public primitive_desc_base {
        using primitive_desc_base::primitive_desc_base;

        /// An empty descriptor.
        primitive_desc() = default;

        /// From src_md on src_engine to dst_md on dst_engine.
        /// @param src_engine Engine of the source.
        /// @param src_md Shape, data type and layout of the source.
        /// @param dst_engine Engine of the destination.
        /// @param dst_md Data type and layout of the destination; the shape of the source.
        /// @param attr Scales, zero points, post-ops, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &src_engine, const memory::desc &src_md,
                const engine &dst_engine, const memory::desc &dst_md,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            describe_with(allow_empty, "cannot describe a reorder; ONEDNN_VERBOSE=all says why",
                    dnnl_reorder_primitive_desc_create, src_md.get(), src_engine.get(),
                    dst_md.get(), dst_engine.get(), attr.get());
        }

        /// With the descriptors and engines of two memory objects.
        /// @param src Memory whose descriptor and engine are the source's.
        /// @param dst Memory whose descriptor and engine are the destination's.
        /// @param attr Scales, zero points, post-ops, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const memory &src, const memory &dst,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(src.get_engine(), src.get_desc(), dst.get_engine(), dst.get_desc(),
                    attr, allow_empty) {}

        /// Copies a C descriptor pd of a reorder.
        primitive_desc(dnnl_primitive_desc_t pd)
            : primitive_desc_base(pd, kind::reorder) {}

        /// The engines, without ownership: they must outlive the results.
        engine get_src_engine() const { return query_engine(query::reorder_src_engine); }
        engine get_dst_engine() const { return query_engine(query::reorder_dst_engine); }
    };

    /// An empty primitive.
    reorder() = default;
    /// The primitive of descriptor pd.
    reorder(const primitive_desc &pd)
        : primitive(pd.get()) {}
    /// The same with a blob of get_cache_blob().
    reorder(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd.get(), cache_blob) {}
    /// The primitive for the descriptors and engines of two memory objects.
    reorder(const memory &src, const memory &dst, const primitive_attr &attr = primitive_attr())
        : reorder(primitive_desc(src, dst, attr)) {}

    using primitive::execute;

    /// Copies src to dst, which must have the descriptors of the primitive.
    void execute(const stream &astream, memory &src, memory &dst) const {
        execute(astream, {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}});
    }
};

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_REORDER_HPP
