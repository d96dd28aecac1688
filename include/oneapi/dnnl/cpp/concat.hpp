// SPDX-License-Identifier: Apache-2.0
// Concatenation of tensors along an axis.

#ifndef ONEAPI_DNNL_CPP_CONCAT_HPP
#define ONEAPI_DNNL_CPP_CONCAT_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

/// dst = the sources one after another along an axis; along the other axes all tensors have one
/// extent. A source that lies in its part of dst already is left there.
///
/// Arguments: DNNL_ARG_MULTIPLE_SRC, DNNL_ARG_MULTIPLE_SRC + 1, ... and DNNL_ARG_DST.
struct concat : public primitive {
    /// Throws dnnl_invalid_arguments for shapes or types that do not match, and dnnl_unimplemented
    /// if no implementation supports them. With allow_empty the object is empty instead.
    struct primitive_desc : public primitive_desc_base {
        using primitive_desc_base::primitive_desc_base;

        /// An empty descriptor.
        primitive_desc() = default;

        /// @param aengine Engine that executes the primitive.
        /// @param dst Shape, data type and layout of the result; the layout may be any.
        /// @param concat_dimension The axis along which the sources follow one another, counted
        ///     from 0.
        /// @param srcs The sources, in order; one at least.
        /// @param attr Scales, scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, const memory::desc &dst, int concat_dimension,
                const std::vector<memory::desc> &srcs, const primitive_attr &attr = default_attr(),
                bool allow_empty = false) {
            describe(aengine, dst.get(), concat_dimension, srcs, attr, allow_empty);
        }

        /// With a dst of src's data type, whose layout follows from those of the sources.
        /// @param aengine Engine that executes the primitive.
        /// @param concat_dimension The axis along which the sources follow one another, counted
        ///     from 0.
        /// @param srcs The sources, in order; one at least.
        /// @param attr Scales, scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, int concat_dimension,
                const std::vector<memory::desc> &srcs, const primitive_attr &attr = default_attr(),
                bool allow_empty = false) {
            describe(aengine, nullptr, concat_dimension, srcs, attr, allow_empty);
        }

        /// Copies a C descriptor pd of a concatenation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : primitive_desc_base(pd, kind::concat) {}

        memory::desc src_desc(int idx = 0) const { return base::src_desc(idx); }
        memory::desc dst_desc() const { return base::dst_desc(0); }

    private:
        void describe(const engine &aengine, const_dnnl_memory_desc_t dst, int concat_dimension,
                const std::vector<memory::desc> &srcs, const primitive_attr &attr,
                bool allow_empty) {
            const std::vector<const_dnnl_memory_desc_t> c_srcs = handles_of(srcs);
            describe_with(allow_empty,
                    "cannot describe a concatenation; ONEDNN_VERBOSE=all says why",
                    dnnl_concat_primitive_desc_create, aengine.get(), dst,
                    static_cast<int>(c_srcs.size()), concat_dimension, c_srcs.data(), attr.get());
        }
    };

    /// An empty primitive.
    concat() = default;
    /// The primitive of descriptor pd.
    concat(const primitive_desc &pd)
        : primitive(pd.get()) {}
    /// The same with a blob of get_cache_blob().
    concat(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd.get(), cache_blob) {}
};

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_CONCAT_HPP
