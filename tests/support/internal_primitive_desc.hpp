// SPDX-License-Identifier: Apache-2.0
// Primitive descriptors of what the C interface cannot say, as handles of that interface, so that
// everything else goes through it. For programs that link the library's objects.
#pragma once

#include "common/primitive/primitive_desc.hpp"
#include "support/implementations.hpp"

namespace kiln::test {

template <typename pd_t, typename desc_t>
dnnl_status_t make_internal(primitive_desc_handle_t &primitive_desc, const desc_t &desc,
        const_dnnl_primitive_attr_t attr = nullptr) {
    return create_primitive_desc(primitive_desc.out(), cpu_engine(), desc, attr, nullptr);
}

template <typename pd_t, typename desc_t>
dnnl_status_t internal_status(const desc_t &desc, const_dnnl_primitive_attr_t attr = nullptr) {
    primitive_desc_handle_t primitive_desc;
    return make_internal<pd_t>(primitive_desc, desc, attr);
}

/// For a problem that must not be refused, by the implementation at this place among those that
/// accept it.
template <typename pd_t, typename desc_t>
primitive_desc_handle_t accepted_internal(
        const desc_t &desc, const_dnnl_primitive_attr_t attr = nullptr, size_t implementation = 0) {
    primitive_desc_handle_t primitive_desc;
    require(make_internal<pd_t>(primitive_desc, desc, attr), "an internal descriptor");
    skip_implementations(primitive_desc, implementation);
    return primitive_desc;
}

/// How verbose lines describe it.
inline std::string info_of(const primitive_desc_handle_t &primitive_desc) {
    return (*primitive_desc).pd->info();
}

} // namespace kiln::test
