// SPDX-License-Identifier: Apache-2.0
// The C entries of binary operations: what a caller may ask for, and why the rest is refused.

#include "common/operations/binary_pd.hpp"

#include "common/attributes/alg_kind.hpp"
#include "common/attributes/post_op_checks.hpp"
#include "common/one_of.hpp"
#include "common/operations/tensor_checks.hpp"
#include "common/verbose/arg_name.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {
namespace {

constexpr const char *component = "binary";

status_t check_source(const memory_desc_t &md, const char *name, const memory_desc_t &dst) {
    KILN_REQUIRE(!is_host_scalar(md), dnnl_invalid_arguments, component,
            "%s is a host scalar; it must be a tensor", name);
    KILN_REQUIRE(md.ndims == dst.ndims, dnnl_invalid_arguments, component,
            "%s has %d dimensions; it must have those of dst, %d", name, md.ndims, dst.ndims);
    KILN_TRY(check_no_runtime_values(component, md, name));
    for (int d = 0; d < dst.ndims; ++d)
        KILN_REQUIRE(md.dims[d] == 1 || md.dims[d] == dst.dims[d], dnnl_invalid_arguments,
                component, "dimension %d of %s is %lld; it must be 1 or dst's, %lld", d, name,
                static_cast<long long>(md.dims[d]), static_cast<long long>(dst.dims[d]));
    KILN_TRY(check_format(component, md, name));
    return check_type(component, md, name, element_types);
}

status_t check_condition(const binary_desc_t &desc) {
    if (!desc.has_condition()) return dnnl_success;
    KILN_REQUIRE(!is_zero(desc.src_2), dnnl_invalid_arguments, component,
            "binary_select has no src_2; the condition must be given");
    KILN_TRY(check_source(desc.src_2, "src_2", desc.dst));
    KILN_REQUIRE(desc.src_2.data_type == dnnl_s8, dnnl_invalid_arguments, component,
            "src_2 is of data type %s; a condition must be s8", dnnl_dt2str(desc.src_2.data_type));
    return dnnl_success;
}

status_t check_tensors(const binary_desc_t &desc) {
    const memory_desc_t &dst = desc.dst;
    KILN_REQUIRE(!is_host_scalar(dst), dnnl_invalid_arguments, component,
            "dst is a host scalar; it must be a tensor");
    KILN_TRY(check_layout_given(component, desc.src_0, "src_0"));
    KILN_TRY(check_no_runtime_values(component, dst, "dst"));
    KILN_TRY(check_source(desc.src_0, "src_0", dst));
    KILN_TRY(check_source(desc.src_1, "src_1", dst));
    for (int d = 0; d < dst.ndims; ++d)
        KILN_REQUIRE(dst.dims[d] == desc.src_0.dims[d] || dst.dims[d] == desc.src_1.dims[d],
                dnnl_invalid_arguments, component,
                "dimension %d of dst is %lld; it must be that of src_0 or src_1", d,
                static_cast<long long>(dst.dims[d]));
    KILN_TRY(check_condition(desc));
    KILN_TRY(check_format(component, dst, "dst"));
    KILN_TRY(check_output(component, dst, "dst"));
    return check_type(component, dst, "dst", element_types);
}

status_t check_scales(const quantization_map_t &scales) {
    for (const auto &[arg, scale] : scales) {
        KILN_REQUIRE(one_of(arg, {DNNL_ARG_SRC_0, DNNL_ARG_SRC_1}), dnnl_unimplemented, component,
                "%s has scales; only src_0 and src_1 may have them", arg_name(arg).c_str());
        KILN_REQUIRE(scale.mask == 0 && scale.group_ndims == 0
                             && scale.mode == dnnl_quantization_mode_static_sazp
                             && contains(element_types, scale.data_type),
                dnnl_unimplemented, component,
                "scales of %s (mask %d) are not supported; there must be one static value, of one "
                "of %s",
                arg_name(arg).c_str(), scale.mask, names_of(element_types).c_str());
    }
    return dnnl_success;
}

status_t check_attr(const primitive_attr_t *attr, const binary_desc_t &desc) {
    KILN_TRY(check_attr_within(component, attr, attr_t::scales | attr_t::post_ops));
    if (attr == nullptr) return dnnl_success;
    KILN_TRY(check_scales(attr->scales));
    return check_post_ops(component, attr->post_ops, desc.dst, sum_type_t::of_same_size);
}

} // namespace
} // namespace kiln

using namespace kiln;

status_t dnnl_binary_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc, engine_t *engine,
        alg_kind_t alg_kind, const memory_desc_t *src0_desc, const memory_desc_t *src1_desc,
        const memory_desc_t *dst_desc, const primitive_attr_t *attr) {
    return dnnl_binary_primitive_desc_create_v2(
            primitive_desc, engine, alg_kind, src0_desc, src1_desc, nullptr, dst_desc, attr);
}

status_t dnnl_binary_primitive_desc_create_v2(dnnl_primitive_desc_t *primitive_desc,
        engine_t *engine, alg_kind_t alg_kind, const memory_desc_t *src0_desc,
        const memory_desc_t *src1_desc, const memory_desc_t *src2_desc,
        const memory_desc_t *dst_desc, const primitive_attr_t *attr) {
    if (primitive_desc == nullptr || engine == nullptr || src0_desc == nullptr
            || src1_desc == nullptr || dst_desc == nullptr)
        return dnnl_invalid_arguments;
    return guarded([&]() -> status_t {
        KILN_REQUIRE(is_binary_alg(alg_kind), dnnl_invalid_arguments, component,
                "algorithm 0x%x is not a binary operation", static_cast<unsigned>(alg_kind));
        const bool has_condition = alg_kind == dnnl_binary_select && src2_desc != nullptr;
        const binary_desc_t desc{
                alg_kind, *src0_desc, *src1_desc, has_condition ? *src2_desc : zero_md, *dst_desc};
        KILN_TRY(check_tensors(desc));
        KILN_TRY(check_attr(attr, desc));
        return create_primitive_desc(primitive_desc, engine, desc, attr, nullptr);
    });
}
