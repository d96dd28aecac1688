// SPDX-License-Identifier: Apache-2.0
// Elementwise functions: ReLU, GELU, exponential, ... of each element, and their gradients.

#ifndef ONEAPI_DNNL_CPP_ELTWISE_HPP
#define ONEAPI_DNNL_CPP_ELTWISE_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

/// dst = f(src), where the algorithm says what f is and alpha and beta are its parameters. dst may
/// have src's memory.
///
/// Arguments: DNNL_ARG_SRC and DNNL_ARG_DST.
struct eltwise_forward : public primitive {
    /// src and dst are of one data type and shape; dst's layout may be any, which is src's.
    /// Throws dnnl_invalid_arguments for inconsistent shapes or parameters, and dnnl_unimplemented
    /// if no implementation supports them. With allow_empty the object is empty instead.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// For an algorithm without parameters.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind forward_inference, or forward_training, which stores what backward
        ///     needs.
        /// @param aalgorithm An algorithm whose name begins with eltwise_.
        /// @param src_desc Any shape.
        /// @param dst_desc The shape and data type of src.
        /// @param attr Post-ops, dropout, scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
                const memory::desc &src_desc, const memory::desc &dst_desc,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, aalgorithm, src_desc, dst_desc, 0.f, 0.f, attr,
                    allow_empty) {}

        /// For an algorithm with the parameter alpha.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind forward_inference, or forward_training, which stores what backward
        ///     needs.
        /// @param aalgorithm An algorithm whose name begins with eltwise_.
        /// @param src_desc Any shape.
        /// @param dst_desc The shape and data type of src.
        /// @param alpha First parameter of the function.
        /// @param attr Post-ops, dropout, scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
                const memory::desc &src_desc, const memory::desc &dst_desc, float alpha,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, aalgorithm, src_desc, dst_desc, alpha, 0.f, attr,
                    allow_empty) {}

        /// For an algorithm with the parameters alpha and beta.
        /// @param aengine Engine that executes the primitive.
        /// @param aprop_kind forward_inference, or forward_training, which stores what backward
        ///     needs.
        /// @param aalgorithm An algorithm whose name begins with eltwise_.
        /// @param src_desc Any shape.
        /// @param dst_desc The shape and data type of src.
        /// @param alpha First parameter of the function.
        /// @param beta Second parameter of the function.
        /// @param attr Post-ops, dropout, scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
                const memory::desc &src_desc, const memory::desc &dst_desc, float alpha, float beta,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            describe_with(allow_empty,
                    "cannot describe an elementwise function forward; ONEDNN_VERBOSE=all says why",
                    dnnl_eltwise_forward_primitive_desc_create, aengine.get(),
                    dnnl::convert_to_c(aprop_kind), convert_to_c(aalgorithm), src_desc.get(),
                    dst_desc.get(), alpha, beta, attr.get());
        }

        /// Copies a C descriptor pd of this operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(
                    pd, kind::eltwise, prop_kind::forward_training, prop_kind::forward_inference) {}
    };

    /// An empty primitive.
    eltwise_forward() = default;
    /// The primitive of descriptor pd.
    eltwise_forward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    eltwise_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// diff_src = diff_dst * f'(src). The algorithms *_use_dst_for_bwd compute f' from dst instead.
/// diff_src may have diff_dst's memory.
///
/// Arguments: DNNL_ARG_SRC (or DNNL_ARG_DST), DNNL_ARG_DIFF_DST and DNNL_ARG_DIFF_SRC.
struct eltwise_backward : public primitive {
    /// data_desc describes src or, for *_use_dst_for_bwd, dst; its layout is given. The layouts of
    /// the gradients may be any, which is that of the data.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// For an algorithm without parameters.
        /// @param aengine Engine that executes the primitive.
        /// @param aalgorithm An algorithm whose name begins with eltwise_.
        /// @param diff_src_desc The shape of the data.
        /// @param diff_dst_desc The shape of the data.
        /// @param data_desc The shape, data type and layout of src, or of dst for an algorithm that
        ///     ends in _use_dst_for_bwd.
        /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
        /// @param attr Scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, algorithm aalgorithm,
                const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
                const memory::desc &data_desc, const eltwise_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aalgorithm, diff_src_desc, diff_dst_desc, data_desc, 0.f, 0.f,
                    hint_fwd_pd, attr, allow_empty) {}

        /// For an algorithm with the parameter alpha.
        /// @param aengine Engine that executes the primitive.
        /// @param aalgorithm An algorithm whose name begins with eltwise_.
        /// @param diff_src_desc The shape of the data.
        /// @param diff_dst_desc The shape of the data.
        /// @param data_desc The shape, data type and layout of src, or of dst for an algorithm that
        ///     ends in _use_dst_for_bwd.
        /// @param alpha First parameter of the function.
        /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
        /// @param attr Scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, algorithm aalgorithm,
                const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
                const memory::desc &data_desc, float alpha,
                const eltwise_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aalgorithm, diff_src_desc, diff_dst_desc, data_desc, alpha,
                    0.f, hint_fwd_pd, attr, allow_empty) {}

        /// For an algorithm with the parameters alpha and beta.
        /// @param aengine Engine that executes the primitive.
        /// @param aalgorithm An algorithm whose name begins with eltwise_.
        /// @param diff_src_desc The shape of the data.
        /// @param diff_dst_desc The shape of the data.
        /// @param data_desc The shape, data type and layout of src, or of dst for an algorithm that
        ///     ends in _use_dst_for_bwd.
        /// @param alpha First parameter of the function.
        /// @param beta Second parameter of the function.
        /// @param hint_fwd_pd Descriptor of the forward primitive whose results are differentiated.
        /// @param attr Scratchpad mode, ...; the defaults if not given.
        /// @param allow_empty True: a failure leaves the object empty; false: it throws
        ///     dnnl::error.
        primitive_desc(const engine &aengine, algorithm aalgorithm,
                const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
                const memory::desc &data_desc, float alpha, float beta,
                const eltwise_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            describe_with(allow_empty,
                    "cannot describe an elementwise function backward; ONEDNN_VERBOSE=all says "
                    "why",
                    dnnl_eltwise_backward_primitive_desc_create, aengine.get(),
                    convert_to_c(aalgorithm), diff_src_desc.get(), diff_dst_desc.get(),
                    data_desc.get(), alpha, beta, hint_fwd_pd.get(), attr.get());
        }

        /// Copies a C descriptor pd of this operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, kind::eltwise, prop_kind::backward_data) {}
    };

    /// An empty primitive.
    eltwise_backward() = default;
    /// The primitive of descriptor pd.
    eltwise_backward(const primitive_desc &pd)
        : primitive(pd) {}
    /// The same with a blob of get_cache_blob().
    eltwise_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_ELTWISE_HPP
