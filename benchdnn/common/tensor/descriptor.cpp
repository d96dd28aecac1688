// SPDX-License-Identifier: Apache-2.0
// Memory descriptors from dims, a data type and a benchdnn tag or strides.
#include "common/tensor/descriptor.hpp"

#include <unordered_map>

#include <dlfcn.h>

#include "common/command_line/usage_error.hpp"
#include "common/tensor/tag.hpp"

namespace benchdnn {

namespace {

// The names of the enumerators are layouts in letters, so the interface's function for names gives
// the table.
dnnl_format_tag_t enumerator_of(const std::string &normalized) {
    static const std::unordered_map<std::string, dnnl_format_tag_t> enumerators = [] {
        std::unordered_map<std::string, dnnl_format_tag_t> map;
        for (int value = dnnl_format_tag_any + 1; value < dnnl_format_tag_last; ++value) {
            const auto tag = static_cast<dnnl_format_tag_t>(value);
            map.emplace(dnnl_fmt_tag2str(tag), tag);
        }
        return map;
    }();
    const auto found = enumerators.find(normalized);
    return found == enumerators.end() ? dnnl_format_tag_undef : found->second;
}

dims_t plain_strides(const parsed_tag_t &tag, const dims_t &dims) {
    dims_t strides(dims.size());
    dim_t stride = 1;
    for (size_t i = tag.order.size(); i-- > 0;) {
        strides[tag.order[i]] = stride;
        stride *= dims[tag.order[i]] > 0 ? dims[tag.order[i]] : 1;
    }
    return strides;
}

// Blocked layouts without an enumerator: libraries with oneDNN's interface export this function for
// test tools; no header declares it.
memory_desc_t from_text(const dims_t &dims, dnnl_data_type_t type, const std::string &tag) {
    using create_t = dnnl_status_t (*)(
            dnnl_memory_desc_t *, int, const dnnl_dim_t *, dnnl_data_type_t, const char *);
    static const auto create = reinterpret_cast<create_t>(
            dlsym(RTLD_DEFAULT, "dnnl_memory_desc_create_with_string_tag"));
    if (!create)
        throw status_error_t(dnnl_unimplemented, "a tag without an enumerator, " + tag + ",");
    memory_desc_t descriptor;
    require_success(
            create(descriptor.out(), static_cast<int>(dims.size()), dims.data(), type, tag.c_str()),
            "dnnl_memory_desc_create_with_string_tag");
    return descriptor;
}

} // namespace

memory_desc_t make_descriptor(const dims_t &dims, dnnl_data_type_t type, const std::string &tag) {
    if (tag == "undef") return memory_desc_t();
    const int ndims = static_cast<int>(dims.size());
    const std::string normalized = normalized_tag(tag, ndims);
    const dnnl_format_tag_t enumerator =
            tag == "any" ? dnnl_format_tag_any : enumerator_of(normalized);
    memory_desc_t descriptor;
    if (enumerator != dnnl_format_tag_undef) {
        require_success(dnnl_memory_desc_create_with_tag(
                                descriptor.out(), ndims, dims.data(), type, enumerator),
                "dnnl_memory_desc_create_with_tag");
        return descriptor;
    }
    const parsed_tag_t parsed = parse_layout_tag(normalized, ndims);
    return parsed.blocks.empty() ? make_strided_descriptor(dims, type, plain_strides(parsed, dims))
                                 : from_text(dims, type, normalized);
}

memory_desc_t make_descriptor(
        const dims_t &dims, dnnl_data_type_t type, const std::string &tag, const dims_t &strides) {
    return strides.empty() ? make_descriptor(dims, type, tag)
                           : make_strided_descriptor(dims, type, strides);
}

memory_desc_t make_empty_descriptor() {
    memory_desc_t descriptor;
    require_success(dnnl_memory_desc_create_with_tag(descriptor.out(), 0, nullptr,
                            dnnl_data_type_undef, dnnl_format_tag_undef),
            "dnnl_memory_desc_create_with_tag");
    return descriptor;
}

memory_desc_t make_strided_descriptor(
        const dims_t &dims, dnnl_data_type_t type, const dims_t &strides) {
    memory_desc_t descriptor;
    require_success(dnnl_memory_desc_create_with_strides(descriptor.out(),
                            static_cast<int>(dims.size()), dims.data(), type, strides.data()),
            "dnnl_memory_desc_create_with_strides");
    return descriptor;
}

bool is_enumerated_tag(const std::string &tag, int ndims) {
    const auto is_enumerated = [&](int rank) {
        return enumerator_of(normalized_tag(tag, rank)) != dnnl_format_tag_undef;
    };
    if (is_special_tag(tag) || is_enumerated(ndims)) return true;
    // A tag with x stands for a layout of each rank; one of them with an enumerator is enough.
    if (tag.find('x') == std::string::npos) return false;
    for (int rank = 1; rank <= DNNL_MAX_NDIMS; ++rank)
        if (is_enumerated(rank)) return true;
    return false;
}

void require_layout(const std::string &tag, int ndims, bool enumerated_only) {
    if (is_special_tag(tag) || ndims == 0) return;
    const parsed_tag_t parsed = parse_layout_tag(normalized_tag(tag, ndims), ndims);
    // Strides describe any order of axes, but no blocks.
    const bool needs_enumerator = enumerated_only && !parsed.blocks.empty();
    if (needs_enumerator && !is_enumerated_tag(tag, ndims))
        throw bad_value_t(tag, "a layout without an enumerator needs --allow-enum-tags-only=false");
}

const_dnnl_memory_desc_t argument_descriptor(const primitive_desc_t &primitive_desc, int argument) {
    return dnnl_primitive_desc_query_md(primitive_desc.get(), dnnl_query_exec_arg_md, argument);
}

bool is_empty_descriptor(const_dnnl_memory_desc_t descriptor) {
    int ndims = 0;
    if (descriptor) dnnl_memory_desc_query(descriptor, dnnl_query_ndims_s32, &ndims);
    return ndims == 0;
}

} // namespace benchdnn
