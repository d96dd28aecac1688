// SPDX-License-Identifier: Apache-2.0
// Reorder: the problem as plain data and its descriptor.
#pragma once

#include "common/primitive/primitive_desc.hpp"

namespace kiln {

struct reorder_desc_t {
    using pd_t = class reorder_pd_t;

    memory_desc_t src;
    memory_desc_t dst;
    engine_kind_t src_engine_kind;
    engine_kind_t dst_engine_kind;
    // The handles that queries give back; they do not tell one problem from another.
    engine_ref_t src_engine;
    engine_ref_t dst_engine;

    auto fields() const { return std::tie(src, dst, src_engine_kind, dst_engine_kind); }
};

class reorder_pd_t : public operation_pd_t<reorder_desc_t> {
public:
    reorder_pd_t(engine_t *engine, const reorder_desc_t &desc, const primitive_attr_t *attr,
            std::shared_ptr<const primitive_desc_t> hint);
    /// Fills the table of arguments.
    status_t init();
    /// Gives operands of post-ops whose format is `any` a default layout.
    status_t resolve_formats();
    primitive_text_t text() const override;
    /// The implementations, best first; the CPU engine defines them.
    static std::span<const implementation_t<reorder_pd_t>> implementations();

    status_t query(query_t what, int index, void *result) const override;

    const memory_desc_t &src() const { return desc_.src; }
    const memory_desc_t &dst() const { return desc_.dst; }
    /// Whether elements keep their bits: equal types, no scales, zero points or post-ops.
    bool moves_bits() const;
};

} // namespace kiln
