// SPDX-License-Identifier: Apache-2.0
// Reorder's C entry: what a caller may ask for, and why the rest is refused.

#include "common/attributes/post_op_checks.hpp"
#include "common/memory/data_type.hpp"
#include "common/memory/type_set.hpp"
#include "common/one_of.hpp"
#include "common/operations/reorder_pd.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {
namespace {

constexpr const char *component = "reorder";

/// What no caller should ask for.
status_t check_arguments(const reorder_desc_t &desc) {
    KILN_REQUIRE(
            !is_any(desc.src), dnnl_invalid_arguments, component, "unsupported format tag for src");
    KILN_REQUIRE(
            !is_any(desc.dst), dnnl_invalid_arguments, component, "unsupported format tag for dst");
    KILN_REQUIRE(same_dims(desc.src, desc.dst), dnnl_invalid_arguments, component,
            "inconsistent src and dst mds");
    // No two elements that are written may share a place.
    KILN_REQUIRE(broadcast_axis(desc.dst) < 0, dnnl_invalid_arguments, component,
            "dst has stride 0 along axis %d", broadcast_axis(desc.dst));
    return dnnl_success;
}

/// What may be asked for, though it is not done.
status_t check_tensor(const memory_desc_t &md, const char *name) {
    KILN_REQUIRE(
            is_blocked(md), dnnl_unimplemented, component, "unsupported format kind for %s", name);
    KILN_REQUIRE(!has_runtime_values(md), dnnl_unimplemented, component,
            "runtime dimension is not supported");
    KILN_REQUIRE(has_element_type(md.data_type), dnnl_unimplemented, component,
            "unsupported datatype %s of %s", dnnl_dt2str(md.data_type), name);
    KILN_REQUIRE(md.extra.flags == 0, dnnl_unimplemented, component,
            "%s has a layout with compensation", name);
    return dnnl_success;
}

status_t check_scales(const quantization_map_t &scales, int ndims) {
    for (const auto &[arg, scale] : scales)
        KILN_REQUIRE(one_of(arg, {DNNL_ARG_FROM, DNNL_ARG_TO}) && scale.mask >> ndims == 0
                             && scale.group_ndims == 0
                             && scale.mode == dnnl_quantization_mode_static_sazp
                             && has_element_type(scale.data_type),
                dnnl_unimplemented, component, "unsupported scales configuration");
    return dnnl_success;
}

status_t check_zero_points(const quantization_map_t &zero_points, const reorder_desc_t &desc) {
    for (const auto &[arg, zero_point] : zero_points) {
        KILN_REQUIRE(one_of(arg, {DNNL_ARG_FROM, DNNL_ARG_TO}), dnnl_unimplemented, component,
                "unsupported zero points configuration");
        const memory_desc_t &md = arg == DNNL_ARG_FROM ? desc.src : desc.dst;
        KILN_REQUIRE(contains(integer_types, md.data_type), dnnl_invalid_arguments, component,
                "zero points of a tensor of %s", dnnl_dt2str(md.data_type));
        KILN_REQUIRE(zero_point.mask >> md.ndims == 0 && zero_point.group_ndims == 0
                             && has_element_type(zero_point.data_type),
                dnnl_unimplemented, component, "unsupported zero points configuration");
    }
    return dnnl_success;
}

status_t check_attr(const primitive_attr_t *attr, const reorder_desc_t &desc) {
    if (attr == nullptr) return dnnl_success;
    KILN_TRY(check_zero_points(attr->zero_points, desc));
    const char *reason =
            attr->first_set_beyond(attr_t::scales | attr_t::zero_points | attr_t::post_ops);
    KILN_REQUIRE(reason == nullptr, dnnl_unimplemented, component, "%s", reason);
    KILN_TRY(check_scales(attr->scales, desc.src.ndims));
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
                "a reorder between two devices");
        KILN_TRY(check_tensor(desc.src, "src"));
        KILN_TRY(check_tensor(desc.dst, "dst"));
        KILN_TRY(check_attr(attr, desc));
        return create_primitive_desc<reorder_pd_t>(
                reorder_primitive_desc, src_engine, desc, attr, nullptr);
    });
}
