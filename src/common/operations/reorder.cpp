// SPDX-License-Identifier: Apache-2.0
// Reorder's C entry: what a caller may ask for, and why the rest is refused.

#include "common/attributes/post_op_checks.hpp"
#include "common/memory/compensation.hpp"
#include "common/memory/data_type.hpp"
#include "common/one_of.hpp"
#include "common/operations/reorder_pd.hpp"
#include "common/operations/tensor_checks.hpp"
#include "common/verbose/arg_name.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {
namespace {

constexpr const char *component = "reorder";
constexpr type_set_t half_byte_types = int4_types | type_set({dnnl_f4_e2m1, dnnl_f4_e3m0});
constexpr type_set_t scale_types = type_set({dnnl_e8m0});

/// Refuses what is invalid.
status_t check_arguments(const reorder_desc_t &desc) {
    KILN_TRY(check_layout_given(component, desc.src, "src"));
    KILN_TRY(check_layout_given(component, desc.dst, "dst"));
    KILN_TRY(check_shape(component, desc.dst, "dst", desc.src));
    return check_distinct(component, desc.dst, "dst"); // it may have compensation
}

/// Refuses what is valid but not supported.
status_t check_elements(const memory_desc_t &md, const char *name) {
    KILN_TRY(check_format(component, md, name));
    return check_type(component, md, name, element_types | half_byte_types | scale_types);
}

/// Compensation follows s8 weights without zero points and post-ops. That of src is not read.
status_t check_compensation(const reorder_desc_t &desc, const primitive_attr_t *attr) {
    KILN_REQUIRE(has_known_extra(desc.src) && (desc.src.extra.flags & has_scale_adjustment) == 0,
            dnnl_unimplemented, component,
            "src has compensation that is not supported (extra flags 0x%x); the flags must be a "
            "sum of 1 and 8, and the masks must name axes of the tensor",
            static_cast<unsigned>(desc.src.extra.flags));
    if (desc.dst.extra.flags == 0) return dnnl_success;
    KILN_REQUIRE(has_known_extra(desc.dst), dnnl_unimplemented, component,
            "dst has compensation that is not supported (extra flags 0x%x); the flags must be a "
            "sum of 1, 2 and 8, and the masks must name axes of the tensor",
            static_cast<unsigned>(desc.dst.extra.flags));
    KILN_REQUIRE(desc.dst.data_type == dnnl_s8 && !has_runtime_values(desc.dst)
                         && (attr == nullptr
                                 || (attr->zero_points.empty() && attr->post_ops.entries.empty())),
            dnnl_unimplemented, component,
            "dst has compensation; it must be of s8, with dimensions that are known, without zero "
            "points and post-ops");
    return dnnl_success;
}

bool is_src_or_dst(int arg) { return one_of(arg, {DNNL_ARG_FROM, DNNL_ARG_TO}); }

/// Checks that there is one static value for each index or group of indices of axes.
status_t check_values(const char *what, int arg, const quantization_t &quantization,
        const memory_desc_t &tensor) {
    KILN_REQUIRE(quantization.mode == dnnl_quantization_mode_static_sazp, dnnl_unimplemented,
            component, "%s of %s are computed by the execution; they must be static", what,
            arg_name(arg).c_str());
    KILN_REQUIRE(quantization.group_ndims == 0 || !has_runtime_values(tensor), dnnl_unimplemented,
            component, "%s of %s have groups, and its dimensions are left to the execution", what,
            arg_name(arg).c_str());
    return check_mask_and_groups(component, what, arg, quantization, tensor);
}

status_t check_scales(const quantization_map_t &scales, const reorder_desc_t &desc) {
    for (const auto &[arg, scale] : scales) {
        KILN_REQUIRE(is_src_or_dst(arg), dnnl_unimplemented, component,
                "%s has scales; only src and dst may have them", arg_name(arg).c_str());
        KILN_TRY(check_values("scales", arg, scale, desc.src));
    }
    return dnnl_success;
}

status_t check_zero_points(const quantization_map_t &zero_points, const reorder_desc_t &desc) {
    for (const auto &[arg, zero_point] : zero_points) {
        KILN_REQUIRE(is_src_or_dst(arg), dnnl_unimplemented, component,
                "%s has zero points; only src and dst may have them", arg_name(arg).c_str());
        const memory_desc_t &md = arg == DNNL_ARG_FROM ? desc.src : desc.dst;
        KILN_REQUIRE(contains(integer_types, md.data_type), dnnl_invalid_arguments, component,
                "%s has zero points and is of data type %s; it must be one of %s",
                arg_name(arg).c_str(), dnnl_dt2str(md.data_type), names_of(integer_types).c_str());
        KILN_TRY(check_values("zero points", arg, zero_point, md));
    }
    return dnnl_success;
}

status_t check_attr(const primitive_attr_t *attr, const reorder_desc_t &desc) {
    if (attr == nullptr) return dnnl_success;
    KILN_TRY(check_zero_points(attr->zero_points, desc));
    KILN_TRY(check_attr_within(
            component, attr, attr_t::scales | attr_t::zero_points | attr_t::post_ops));
    KILN_TRY(check_scales(attr->scales, desc));
    return check_post_ops(component, attr->post_ops, desc.dst);
}

} // namespace
} // namespace kiln

using namespace kiln;

status_t dnnl_reorder_primitive_desc_create(dnnl_primitive_desc_t *reorder_primitive_desc,
        const memory_desc_t *src_desc, engine_t *src_engine, const memory_desc_t *dst_desc,
        engine_t *dst_engine, const primitive_attr_t *attr) {
    if (reorder_primitive_desc == nullptr || src_desc == nullptr || src_engine == nullptr
            || dst_desc == nullptr || dst_engine == nullptr)
        return dnnl_invalid_arguments;
    return guarded([&]() -> status_t {
        const reorder_desc_t desc{*src_desc, *dst_desc, src_engine->kind(), dst_engine->kind(),
                engine_ref_t(src_engine), engine_ref_t(dst_engine)};
        KILN_TRY(check_arguments(desc));
        KILN_REQUIRE(same_device(*src_engine, *dst_engine), dnnl_unimplemented, component,
                "src and dst are of two devices; reorders between devices are not supported");
        KILN_TRY(check_elements(desc.src, "src"));
        KILN_TRY(check_elements(desc.dst, "dst"));
        KILN_TRY(check_compensation(desc, attr));
        KILN_TRY(check_attr(attr, desc));
        return create_primitive_desc(reorder_primitive_desc, src_engine, desc, attr, nullptr);
    });
}
