// SPDX-License-Identifier: Apache-2.0
// Checks of a caller's arguments that operations share.

#include "common/operations/tensor_checks.hpp"

#include "common/verbose/arg_name.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {

bool is_floating(const memory_desc_t &md) {
    return contains(float_types | type_set({dnnl_f64}), md.data_type);
}

bool is_int8(const memory_desc_t &md) { return contains(int8_types, md.data_type); }

status_t check_given(const char *component, const memory_desc_t *md, const char *name) {
    KILN_REQUIRE(md, dnnl_invalid_arguments, component,
            "the memory descriptor of %s is a null pointer", name);
    return dnnl_success;
}

status_t check_format(const char *component, const memory_desc_t &md, const char *name) {
    KILN_REQUIRE(is_blocked(md) || is_any(md), dnnl_unimplemented, component,
            "%s is neither blocked nor of format any; other formats are not supported", name);
    return dnnl_success;
}

status_t check_dense(const char *component, const memory_desc_t &md, const char *name) {
    KILN_REQUIRE(!is_host_scalar(md), dnnl_invalid_arguments, component,
            "%s is a host scalar; it must be a tensor", name);
    KILN_REQUIRE(!is_zero(md), dnnl_invalid_arguments, component,
            "%s is the descriptor of no tensor", name);
    return check_format(component, md, name);
}

status_t check_tensor(const char *component, const memory_desc_t &md, const char *name) {
    KILN_TRY(check_dense(component, md, name));
    return check_no_runtime_values(component, md, name);
}

status_t check_tensor(const char *component, const memory_desc_t &md, const char *name,
        const memory_desc_t &src, int dropped) {
    KILN_TRY(check_tensor(component, md, name));
    return check_shape(component, md, name, src, dropped);
}

status_t check_layout_given(const char *component, const memory_desc_t &md, const char *name) {
    KILN_REQUIRE(!is_any(md), dnnl_invalid_arguments, component,
            "%s has format any; its layout must be given", name);
    return dnnl_success;
}

status_t check_ndims(const char *component, const memory_desc_t &md, const char *name,
        const memory_desc_t &src, int dropped) {
    KILN_REQUIRE(md.ndims == src.ndims - dropped, dnnl_invalid_arguments, component,
            "%s has %d dimensions; with src of %d dimensions it must have %d", name, md.ndims,
            src.ndims, src.ndims - dropped);
    return dnnl_success;
}

status_t check_shape(const char *component, const memory_desc_t &md, const char *name,
        const memory_desc_t &src, int dropped) {
    KILN_TRY(check_ndims(component, md, name, src, dropped));
    for (int d = 0; d < md.ndims; ++d)
        KILN_REQUIRE(md.dims[d] == src.dims[d], dnnl_invalid_arguments, component,
                "dimension %d of %s is %lld; it must be src's, %lld", d, name,
                static_cast<long long>(md.dims[d]), static_cast<long long>(src.dims[d]));
    return dnnl_success;
}

status_t check_no_runtime_values(const char *component, const memory_desc_t &md, const char *name) {
    KILN_REQUIRE(!has_runtime_values(md), dnnl_unimplemented, component,
            "%s has a dimension or stride that only an execution would know "
            "(DNNL_RUNTIME_DIM_VAL); this is not supported",
            name);
    return dnnl_success;
}

status_t check_type(
        const char *component, const memory_desc_t &md, const char *name, type_set_t types) {
    KILN_REQUIRE(contains(types, md.data_type), dnnl_unimplemented, component,
            "%s is of data type %s; supported are %s", name, dnnl_dt2str(md.data_type),
            names_of(types).c_str());
    return dnnl_success;
}

status_t check_distinct(const char *component, const memory_desc_t &md, const char *name) {
    KILN_REQUIRE(broadcast_axis(md) < 0, dnnl_invalid_arguments, component,
            "%s has stride 0 along axis %d; elements of an output must not overlap", name,
            broadcast_axis(md));
    return dnnl_success;
}

status_t check_output(const char *component, const memory_desc_t &md, const char *name) {
    KILN_TRY(check_distinct(component, md, name));
    KILN_REQUIRE(md.extra.flags == 0, dnnl_unimplemented, component,
            "%s has a layout with compensation (extra flags 0x%x), which only a reorder writes",
            name, static_cast<unsigned>(md.extra.flags));
    return dnnl_success;
}

status_t check_attr_within(const char *component, const primitive_attr_t *attr, attr_t honoured) {
    const char *reason = attr ? attr->first_set_beyond(honoured) : nullptr;
    KILN_REQUIRE(reason == nullptr, dnnl_unimplemented, component, "%s", reason);
    return dnnl_success;
}

status_t check_mask_and_groups(const char *component, const char *what, int arg,
        const quantization_t &quantization, const memory_desc_t &md) {
    const std::string name = arg_name(arg).c_str();
    KILN_REQUIRE(quantization.mask >> md.ndims == 0, dnnl_unimplemented, component,
            "%s of %s have mask %d; it must name axes of the tensor of %d dimensions", what,
            name.c_str(), quantization.mask, md.ndims);
    KILN_REQUIRE(quantization.group_ndims <= md.ndims, dnnl_unimplemented, component,
            "%s of %s have groups of %d dimensions, and the tensor has %d", what, name.c_str(),
            quantization.group_ndims, md.ndims);
    for (int g = 0; g < quantization.group_ndims; ++g) {
        const int d = md.ndims - quantization.group_ndims + g;
        const dim_t group = quantization.group_dims[static_cast<size_t>(g)];
        const bool is_masked = (quantization.mask >> d & 1) != 0;
        KILN_REQUIRE(is_masked || group == 1, dnnl_unimplemented, component,
                "%s of %s have groups of %lld along dimension %d, which is not in the mask", what,
                name.c_str(), static_cast<long long>(group), d);
        KILN_REQUIRE(md.dims[d] == runtime_dim || md.dims[d] % group == 0, dnnl_unimplemented,
                component,
                "%s of %s have groups of %lld along dimension %d of extent %lld; groups "
                "must divide it",
                what, name.c_str(), static_cast<long long>(group), d,
                static_cast<long long>(md.dims[d]));
    }
    return dnnl_success;
}

status_t check_dropout(const char *component, const dropout_t &dropout, const memory_desc_t &dst) {
    const memory_desc_t &mask = dropout.user_mask;
    if (!dropout.requested || is_zero(mask)) return dnnl_success;
    KILN_REQUIRE(same_dims(mask, dst), dnnl_unimplemented, component,
            "the dropout mask has another shape than dst");
    KILN_TRY(check_format(component, mask, "the dropout mask"));
    KILN_TRY(check_no_runtime_values(component, mask, "the dropout mask"));
    return check_output(component, mask, "the dropout mask");
}

} // namespace kiln
