// SPDX-License-Identifier: Apache-2.0
// Asks primitive descriptors.
#include "support/implementations.hpp"

#include <cstdlib>

namespace kiln::test {

std::string implementation_name(const_dnnl_primitive_desc_t primitive_desc) {
    const char *name = nullptr;
    require(dnnl_primitive_desc_query(primitive_desc, dnnl_query_impl_info_str, 0, &name),
            "the name of an implementation");
    return name;
}

std::vector<std::string> implementation_names(primitive_desc_handle_t primitive_desc) {
    std::vector<std::string> names;
    do names.push_back(implementation_name(primitive_desc));
    while (dnnl_primitive_desc_next_impl(primitive_desc) == dnnl_success);
    return names;
}

bool is_executed_here(const std::vector<std::string> &implementations, size_t index) {
    const bool has_settings = std::getenv("ONEDNN_MAX_CPU_ISA") || std::getenv("KILN_CACHE_SIZE");
    return index == 0 || !has_settings || !implementations[index].starts_with("ref");
}

void skip_implementations(const primitive_desc_handle_t &primitive_desc, size_t count) {
    for (; count > 0; --count)
        require(dnnl_primitive_desc_next_impl(primitive_desc), "the next implementation");
}

const_dnnl_memory_desc_t chosen_desc(const_dnnl_primitive_desc_t primitive_desc, int arg) {
    const auto *const desc =
            dnnl_primitive_desc_query_md(primitive_desc, dnnl_query_exec_arg_md, arg);
    if (!desc) throw std::runtime_error("argument " + std::to_string(arg) + " has no descriptor");
    return desc;
}

bool has_desc(const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what, int index,
        const dims_t &dims, dnnl_data_type_t type, const std::string &format) {
    return dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(primitive_desc, what, index),
                   make_desc(dims, type, format))
           != 0;
}

bool generates_kernels() { return dnnl_get_effective_cpu_isa() >= dnnl_cpu_isa_avx2; }

bool has_amx() {
    return (dnnl_get_effective_cpu_isa() & dnnl_cpu_isa_avx10_1_512_amx)
           == dnnl_cpu_isa_avx10_1_512_amx;
}

} // namespace kiln::test
