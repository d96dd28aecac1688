// SPDX-License-Identifier: Apache-2.0
// Sum: the problem as plain data and its descriptor.
#pragma once

#include "common/operations/sources_pd.hpp"

namespace kiln {

/// dst = scales[0] * srcs[0] + scales[1] * srcs[1] + ..., tensors of one shape.
struct sum_desc_t {
    using pd_t = class sum_pd_t;

    std::vector<float> scales;
    std::vector<memory_desc_t> srcs;
    memory_desc_t dst;

    auto fields() const { return std::tie(scales, srcs, dst); }
};

class sum_pd_t : public sources_pd_t<sum_desc_t> {
public:
    sum_pd_t(engine_t *engine, const sum_desc_t &desc, const primitive_attr_t *attr,
            std::shared_ptr<const primitive_desc_t> hint);
    /// Gives a dst whose format is `any` the order and the blocks of the first source that is
    /// blocked; of the first source where none is.
    status_t resolve_formats();
    primitive_text_t text() const override;
    /// The implementations, best first; the CPU engine defines them.
    static std::span<const implementation_t<sum_pd_t>> implementations();
};

} // namespace kiln
