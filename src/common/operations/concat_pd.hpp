// SPDX-License-Identifier: Apache-2.0
// Concatenation: the problem as plain data and its descriptor.
#pragma once

#include "common/operations/sources_pd.hpp"

namespace kiln {

/// dst = srcs, one after another along an axis. Along other axes all have one extent.
struct concat_desc_t {
    using pd_t = class concat_pd_t;

    int axis;
    std::vector<memory_desc_t> srcs;
    memory_desc_t dst;

    auto fields() const { return std::tie(axis, srcs, dst); }
};

class concat_pd_t : public sources_pd_t<concat_desc_t> {
public:
    concat_pd_t(engine_t *engine, const concat_desc_t &desc, const primitive_attr_t *attr,
            std::shared_ptr<const primitive_desc_t> hint);
    /// Gives a dst whose format is `any` a layout: that of the first blocked source, unless a
    /// source would begin inside a block; then that of the first plain source that is longer than
    /// one element along the axis; row-major where there is none.
    status_t resolve_formats();
    primitive_text_t text() const override;
    /// The implementations, best first; the CPU engine defines them.
    static std::span<const implementation_t<concat_pd_t>> implementations();

    int axis() const { return desc_.axis; }

    /// The elements of dst that are those of a source. Where they begin inside a block,
    /// padded_offsets says at which of its positions; padded_dims count from there, and include
    /// dst's padding along the axis if the source is the last one that has elements.
    memory_desc_t part_of_dst(size_t source) const;

private:
    bool same_problem(const primitive_desc_t &other) const override;
    /// Whether each source begins and ends where blocks do.
    bool has_whole_blocks(const memory_desc_t &dst) const;
};

} // namespace kiln
