// SPDX-License-Identifier: Apache-2.0
// Primitive descriptors of what the C interface cannot say, as handles of that interface, so that
// everything else goes through it.
#pragma once

#include "common/primitive/primitive_desc.hpp"
#include "support/layout.hpp"

namespace kiln::test {

/// By the implementation at this place among those that accept the problem.
template <typename pd_t, typename desc_t>
dnnl_status_t make_internal(primitive_desc_handle_t &primitive_desc, const desc_t &desc,
        const_dnnl_primitive_attr_t attr = nullptr, size_t implementation = 0) {
    auto status =
            create_primitive_desc<pd_t>(primitive_desc.out(), cpu_engine(), desc, attr, nullptr);
    for (; status == dnnl_success && implementation > 0; --implementation)
        status = dnnl_primitive_desc_next_impl(primitive_desc);
    return status;
}

/// The descriptor of an argument, with its layout resolved.
inline memory_desc_handle_t internal_desc(const_dnnl_primitive_desc_t primitive_desc, int arg) {
    return clone_desc(dnnl_primitive_desc_query_md(primitive_desc, dnnl_query_exec_arg_md, arg));
}

/// The names of all implementations that accept a problem, best first.
template <typename pd_t, typename desc_t>
std::vector<std::string> internal_implementations(
        const desc_t &desc, const_dnnl_primitive_attr_t attr = nullptr) {
    primitive_desc_handle_t primitive_desc;
    require(make_internal<pd_t>(primitive_desc, desc, attr), "an internal descriptor");
    std::vector<std::string> names;
    do names.emplace_back((*primitive_desc).pd->implementation_name());
    while (dnnl_primitive_desc_next_impl(primitive_desc) == dnnl_success);
    return names;
}

} // namespace kiln::test
