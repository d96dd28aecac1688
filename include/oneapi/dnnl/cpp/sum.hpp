// SPDX-License-Identifier: Apache-2.0
// The sum of tensors of one shape, each with a factor.

#ifndef ONEAPI_DNNL_CPP_SUM_HPP
#define ONEAPI_DNNL_CPP_SUM_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

/// dst = scales[0] * srcs[0] + scales[1] * srcs[1] + ..., element by element. dst may be the memory
/// of a source that has its type and layout.
///
/// Arguments: DNNL_ARG_MULTIPLE_SRC, DNNL_ARG_MULTIPLE_SRC + 1, ... and DNNL_ARG_DST.
struct sum : public primitive {
    /// Throws dnnl_invalid_arguments for shapes that do not match or another number of scales than
    /// of sources, and dnnl_unimplemented if no implementation supports the problem. With
    /// allow_empty the object is empty instead, unless it is the number of scales that is wrong.
    struct primitive_desc : public primitive_desc_base {
        using primitive_desc_base::primitive_desc_base;

        /// An empty descriptor.
        primitive_desc() = default;

        /// @param aengine Engine that executes the primitive.
        /// @param dst Shape, data type and layout of the result; the layout may be any.
        /// @param scales A factor for each source.
        /// @param srcs The sources, all of the shape of dst; one at least.
        /// @param attr Scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, const memory::desc &dst,
                const std::vector<float> &scales, const std::vector<memory::desc> &srcs,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            describe(aengine, dst.get(), scales, srcs, attr, allow_empty);
        }

        /// With a dst of the first source's data type, whose layout follows from those of the
        /// sources.
        /// @param aengine Engine that executes the primitive.
        /// @param scales A factor for each source.
        /// @param srcs The sources, all of the shape of dst; one at least.
        /// @param attr Scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, const std::vector<float> &scales,
                const std::vector<memory::desc> &srcs, const primitive_attr &attr = default_attr(),
                bool allow_empty = false) {
            describe(aengine, nullptr, scales, srcs, attr, allow_empty);
        }

        /// Copies a C descriptor pd of a sum.
        primitive_desc(dnnl_primitive_desc_t pd)
            : primitive_desc_base(pd, kind::sum) {}

        memory::desc src_desc(int idx = 0) const { return base::src_desc(idx); }
        memory::desc dst_desc() const { return base::dst_desc(0); }

    private:
        void describe(const engine &aengine, const_dnnl_memory_desc_t dst,
                const std::vector<float> &scales, const std::vector<memory::desc> &srcs,
                const primitive_attr &attr, bool allow_empty) {
            if (scales.size() != srcs.size())
                DNNL_THROW_ERROR(
                        dnnl_invalid_arguments, "a sum has as many scales as it has sources");
            const std::vector<const_dnnl_memory_desc_t> c_srcs = handles_of(srcs);
            describe_with(allow_empty, "cannot describe a sum; ONEDNN_VERBOSE=all says why",
                    dnnl_sum_primitive_desc_create, aengine.get(), dst,
                    static_cast<int>(c_srcs.size()), scales.data(), c_srcs.data(), attr.get());
        }
    };

    /// An empty primitive.
    sum() = default;
    /// The primitive of descriptor pd.
    sum(const primitive_desc &pd)
        : primitive(pd.get()) {}
    /// The same with a blob of get_cache_blob().
    sum(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd.get(), cache_blob) {}
};

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_SUM_HPP
