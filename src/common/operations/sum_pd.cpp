// SPDX-License-Identifier: Apache-2.0
// The descriptor of sum: the layout of dst, and the table of arguments.

#include "common/operations/sum_pd.hpp"

#include "common/verbose/describe.hpp"

namespace kiln {

sum_pd_t::sum_pd_t(engine_t *engine, const sum_desc_t &desc, const primitive_attr_t *attr,
        std::shared_ptr<const primitive_desc_t> hint)
    : sources_pd_t(dnnl_sum, engine, desc, attr, std::move(hint)) {}

status_t sum_pd_t::resolve_formats() {
    const auto blocked = std::find_if(srcs().begin(), srcs().end(),
            [](const memory_desc_t &src) { return is_blocked(src) && !is_plain(src); });
    return follow(dst_, blocked == srcs().end() ? srcs().front() : *blocked);
}

primitive_text_t sum_pd_t::text() const {
    std::string tensors;
    for (const memory_desc_t &src : srcs()) tensors += describe("src", src) + " ";
    return {tensors + describe("dst", dst_, desc_.dst), "", describe_dims(dst_)};
}

} // namespace kiln
