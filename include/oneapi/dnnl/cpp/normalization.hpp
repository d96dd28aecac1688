// SPDX-License-Identifier: Apache-2.0
// Queries that the descriptors of all normalizations share.

#ifndef ONEAPI_DNNL_CPP_NORMALIZATION_HPP
#define ONEAPI_DNNL_CPP_NORMALIZATION_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {
namespace detail {

struct normalization_primitive_desc : public dnnl::primitive_desc {
    normalization_primitive_desc() = default;

    normalization_flags get_flags() const {
        return primitive_desc_base::get_flags<normalization_flags>();
    }

protected:
    using dnnl::primitive_desc::primitive_desc;

    /// The position of the statistics among the descriptors of inputs or outputs.
    enum { mean_index = 1, variance_index = 2 };
};

struct normalization_forward_primitive_desc : public normalization_primitive_desc {
    normalization_forward_primitive_desc() = default;

    /// Statistics: inputs with use_global_stats, outputs of training otherwise. The zero descriptor
    /// in other cases, and of the mean with rms_norm.
    memory::desc mean_desc() const { return query_md(side(), mean_index); }
    memory::desc variance_desc() const { return query_md(side(), variance_index); }

protected:
    normalization_forward_primitive_desc(dnnl_primitive_desc_t pd, primitive::kind kind)
        : normalization_primitive_desc(
                pd, kind, prop_kind::forward_training, prop_kind::forward_inference) {}

private:
    query side() const {
        const bool given = (get_flags() & normalization_flags::use_global_stats)
                           == normalization_flags::use_global_stats;
        return given ? query::src_md : query::dst_md;
    }
};

struct normalization_backward_primitive_desc : public normalization_primitive_desc {
    normalization_backward_primitive_desc() = default;

    /// Statistics: always inputs.
    memory::desc mean_desc() const { return query_md(query::src_md, mean_index); }
    memory::desc variance_desc() const { return query_md(query::src_md, variance_index); }

protected:
    normalization_backward_primitive_desc(dnnl_primitive_desc_t pd, primitive::kind kind)
        : normalization_primitive_desc(pd, kind, prop_kind::backward, prop_kind::backward_data) {}
};

} // namespace detail
} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_NORMALIZATION_HPP
