// SPDX-License-Identifier: Apache-2.0
// Checks of operations that take any number of sources.

#include "common/operations/source_checks.hpp"

#include "common/operations/tensor_checks.hpp"
#include "common/primitive/primitive_desc.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {

status_t take_sources(const char *component, int n, const memory_desc_t *const *descs,
        std::vector<memory_desc_t> &sources, size_t slots) {
    constexpr size_t dst_and_scratchpad = 2;
    const auto count = static_cast<size_t>(n);
    KILN_REQUIRE(count * slots + dst_and_scratchpad <= max_slots, dnnl_unimplemented, component,
            "there are %d sources; at most %zu are supported", n,
            (max_slots - dst_and_scratchpad) / slots);
    sources.reserve(count);
    for (int i = 0; i < n; ++i) {
        KILN_REQUIRE(descs[i] != nullptr, dnnl_invalid_arguments, component,
                "the memory descriptor of src_%d is a null pointer", i);
        sources.push_back(*descs[i]);
    }
    return dnnl_success;
}

namespace {

status_t check_elements(const char *component, const memory_desc_t &md, const char *name) {
    KILN_TRY(check_tensor(component, md, name));
    return check_type(component, md, name, element_types);
}

} // namespace

status_t check_source(const char *component, const memory_desc_t &md, const char *name) {
    KILN_TRY(check_layout_given(component, md, name));
    return check_elements(component, md, name);
}

status_t check_destination(const char *component, const memory_desc_t &md) {
    KILN_TRY(check_elements(component, md, "dst"));
    return check_output(component, md, "dst");
}

memory_desc_t with_open_format(const memory_desc_t &md) {
    memory_desc_t open = zero_md;
    open.set_ndims(md.ndims);
    open.data_type = md.data_type;
    open.format_kind = dnnl_format_kind_any;
    std::copy_n(md.dims, md.ndims, open.dims);
    std::copy_n(md.dims, md.ndims, open.padded_dims);
    return open;
}

} // namespace kiln
