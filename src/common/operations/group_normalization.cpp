// SPDX-License-Identifier: Apache-2.0
// Group normalization's C entries: what a caller may ask for, and why the rest is refused.

#include "common/operations/group_normalization_pd.hpp"
#include "common/operations/normalization_checks.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {
namespace {

constexpr normalization_rules_t rules{.component = "gnorm",
        .kind = dnnl_group_normalization,
        .legal_flags = dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift,
        .max_ndims = 5};
constexpr const char *component = rules.component;

status_t check_groups(dim_t groups, const memory_desc_t &src) {
    const dim_t channels = src.dims[1];
    KILN_REQUIRE(groups > 0 && groups <= channels && channels % groups == 0, dnnl_invalid_arguments,
            component, "%lld groups of %lld channels", static_cast<long long>(groups),
            static_cast<long long>(channels));
    return dnnl_success;
}

status_t check_type(const memory_desc_t &md, const char *name, bool forward) {
    KILN_REQUIRE(is_floating(md) || (forward && is_int8(md)), dnnl_unimplemented, component,
            "unsupported datatype %s of %s", dnnl_dt2str(md.data_type), name);
    return dnnl_success;
}

status_t create_forward(dnnl_primitive_desc_t *primitive_desc, engine_t *engine,
        group_normalization_desc_t desc, const memory_desc_t *src, const memory_desc_t *dst,
        const primitive_attr_t *attr) {
    if (primitive_desc == nullptr || engine == nullptr) return dnnl_invalid_arguments;
    KILN_TRY(check_forward_tensors(rules, desc.prop_kind, desc.flags, src, dst));
    desc.src = *src;
    desc.dst = *dst;
    KILN_TRY(check_groups(desc.groups, desc.src));
    KILN_TRY(check_type(desc.src, "src", true));
    KILN_TRY(check_type(desc.dst, "dst", true));
    KILN_TRY(check_attr_within(component, attr, attr_t::scales | attr_t::post_ops));
    if (attr) {
        KILN_TRY(check_normalization_scales(component, attr->scales, desc.src, desc.dst));
        KILN_TRY(check_normalization_post_ops(component, attr->post_ops, desc.dst));
    }
    return create_primitive_desc<group_normalization_pd_t>(
            primitive_desc, engine, desc, attr, nullptr);
}

status_t create_backward(dnnl_primitive_desc_t *primitive_desc, engine_t *engine,
        group_normalization_desc_t desc, const memory_desc_t *diff_src,
        const memory_desc_t *diff_dst, const memory_desc_t *src, const dnnl_primitive_desc *hint,
        const primitive_attr_t *attr) {
    if (primitive_desc == nullptr || engine == nullptr) return dnnl_invalid_arguments;
    KILN_TRY(check_backward_tensors(
            rules, desc.prop_kind, desc.flags, diff_src, diff_dst, src, hint));
    desc.src = *src;
    desc.diff_src = *diff_src;
    desc.diff_dst = *diff_dst;
    KILN_TRY(check_groups(desc.groups, desc.src));
    KILN_TRY(check_type(desc.src, "src", false));
    KILN_TRY(check_type(desc.diff_src, "diff_src", false));
    KILN_TRY(check_type(desc.diff_dst, "diff_dst", false));
    KILN_TRY(check_attr_within(component, attr, attr_t::none));
    return create_primitive_desc<group_normalization_pd_t>(
            primitive_desc, engine, desc, attr, hint);
}

} // namespace
} // namespace kiln

using namespace kiln;

status_t dnnl_group_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, engine_t *engine, prop_kind_t prop_kind,
        const memory_desc_t *src_desc, const memory_desc_t *dst_desc, dim_t groups, float epsilon,
        unsigned flags, const primitive_attr_t *attr) {
    group_normalization_desc_t desc{};
    desc.prop_kind = prop_kind;
    desc.flags = flags;
    desc.epsilon = epsilon;
    desc.groups = groups;
    return guarded(
            [&] { return create_forward(primitive_desc, engine, desc, src_desc, dst_desc, attr); });
}

status_t dnnl_group_normalization_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, engine_t *engine, prop_kind_t prop_kind,
        const memory_desc_t *diff_src_desc, const memory_desc_t *diff_dst_desc,
        const memory_desc_t *src_desc, dim_t groups, float epsilon, unsigned flags,
        const dnnl_primitive_desc *hint_fwd_pd, const primitive_attr_t *attr) {
    group_normalization_desc_t desc{};
    desc.prop_kind = prop_kind;
    desc.flags = flags;
    desc.epsilon = epsilon;
    desc.groups = groups;
    return guarded([&] {
        return create_backward(primitive_desc, engine, desc, diff_src_desc, diff_dst_desc, src_desc,
                hint_fwd_pd, attr);
    });
}
