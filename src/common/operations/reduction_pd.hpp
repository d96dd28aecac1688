// SPDX-License-Identifier: Apache-2.0
// Reduction: the problem as plain data and its descriptor.
#pragma once

#include "common/primitive/primitive_desc.hpp"

namespace kiln {

/// Where dst has an extent of 1, src is reduced along that axis.
struct reduction_desc_t {
    using pd_t = class reduction_pd_t;

    alg_kind_t alg;
    memory_desc_t src;
    memory_desc_t dst;
    float p;       // of norms
    float epsilon; // of norms

    auto fields() const { return std::tie(alg, src, dst, p, epsilon); }
};

class reduction_pd_t : public operation_pd_t<reduction_desc_t> {
public:
    reduction_pd_t(engine_t *engine, const reduction_desc_t &desc, const primitive_attr_t *attr,
            std::shared_ptr<const primitive_desc_t> hint);
    /// Fills the table of arguments.
    status_t init();
    /// Gives descriptors whose format is `any` their default layout.
    status_t resolve_formats();
    primitive_text_t text() const override;
    /// The implementations, best first; the CPU engine defines them.
    static std::span<const implementation_t<reduction_pd_t>> implementations();

    status_t query(query_t what, int index, void *result) const override;

    const memory_desc_t &src() const { return desc_.src; }
    const memory_desc_t &dst() const { return dst_; }
    /// How many elements of src make one of dst.
    dim_t terms() const;

private:
    memory_desc_t dst_;
};

} // namespace kiln
