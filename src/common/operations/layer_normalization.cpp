// SPDX-License-Identifier: Apache-2.0
// Layer normalization's C entries: what a caller may ask for, and why the rest is refused.

#include "common/memory/type_set.hpp"
#include "common/operations/layer_normalization_pd.hpp"
#include "common/operations/normalization_checks.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {
namespace {

constexpr normalization_rules_t rules{.component = "lnorm",
        .kind = dnnl_layer_normalization,
        .legal_flags = dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift | dnnl_rms_norm,
        .max_ndims = max_ndims};
constexpr const char *component = rules.component;

status_t check_types(const layer_normalization_desc_t &desc, bool forward) {
    const auto data = [&](const memory_desc_t &md, const char *name) -> status_t {
        KILN_REQUIRE(is_floating(md) || (forward && is_int8(md)), dnnl_unimplemented, component,
                "unsupported datatype %s of %s", dnnl_dt2str(md.data_type), name);
        return dnnl_success;
    };
    KILN_TRY(data(desc.src, "src"));
    if (forward) {
        KILN_TRY(data(desc.dst, "dst"));
    } else {
        KILN_TRY(data(desc.diff_src, "diff_src"));
        KILN_TRY(data(desc.diff_dst, "diff_dst"));
    }
    const bool f64_stat = desc.stat.data_type == dnnl_f64 && desc.src.data_type == dnnl_f64;
    KILN_REQUIRE(desc.stat.data_type == dnnl_f32 || f64_stat, dnnl_unimplemented, component,
            "unsupported datatype %s of statistics", dnnl_dt2str(desc.stat.data_type));
    if ((desc.flags & (dnnl_use_scale | dnnl_use_shift)) == 0) return dnnl_success;
    for (const auto type : {desc.scale_shift_type, desc.diff_scale_shift_type})
        KILN_REQUIRE(contains(float_types, type), dnnl_unimplemented, component,
                "unsupported datatype %s of scale and shift", dnnl_dt2str(type));
    return dnnl_success;
}

/// The caller's descriptor of the statistics, where they are used and it is given.
status_t init_stat(layer_normalization_desc_t &desc, const memory_desc_t *stat) {
    const memory_desc_t &src = desc.src;
    const bool is_used =
            desc.prop_kind != dnnl_forward_inference || (desc.flags & dnnl_use_global_stats) != 0;
    if (!is_used || stat == nullptr || is_zero(*stat))
        return init_by_tag(desc.stat, src.ndims - 1, src.dims, dnnl_f32, dnnl_format_tag_any);
    KILN_TRY(check_tensor(component, *stat, "stat", src, 1));
    desc.stat = *stat;
    return dnnl_success;
}

status_t create_forward(dnnl_primitive_desc_t *primitive_desc, engine_t *engine,
        layer_normalization_desc_t desc, const memory_desc_t *src, const memory_desc_t *dst,
        const memory_desc_t *stat, const primitive_attr_t *attr) {
    if (primitive_desc == nullptr || engine == nullptr) return dnnl_invalid_arguments;
    KILN_TRY(check_forward_tensors(rules, desc.prop_kind, desc.flags, src, dst));
    desc.src = *src;
    desc.dst = *dst;
    KILN_TRY(init_stat(desc, stat));
    if (desc.prop_kind == dnnl_forward_training && !(desc.flags & dnnl_use_global_stats))
        KILN_TRY(check_output(component, desc.stat, "stat"));
    KILN_TRY(check_types(desc, true));
    KILN_TRY(check_attr_within(component, attr, attr_t::scales | attr_t::post_ops));
    if (attr) {
        KILN_TRY(check_normalization_scales(component, attr->scales, desc.src, desc.dst));
        KILN_TRY(check_normalization_post_ops(component, attr->post_ops, desc.dst));
    }
    return create_primitive_desc<layer_normalization_pd_t>(
            primitive_desc, engine, desc, attr, nullptr);
}

status_t create_backward(dnnl_primitive_desc_t *primitive_desc, engine_t *engine,
        layer_normalization_desc_t desc, const memory_desc_t *diff_src,
        const memory_desc_t *diff_dst, const memory_desc_t *src, const memory_desc_t *stat,
        const dnnl_primitive_desc *hint, const primitive_attr_t *attr) {
    if (primitive_desc == nullptr || engine == nullptr) return dnnl_invalid_arguments;
    KILN_TRY(check_backward_tensors(
            rules, desc.prop_kind, desc.flags, diff_src, diff_dst, src, hint));
    // backward_data has no gradients of scale and shift, so their type says nothing.
    if (desc.prop_kind == dnnl_backward_data) desc.diff_scale_shift_type = desc.scale_shift_type;
    desc.src = *src;
    desc.diff_src = *diff_src;
    desc.diff_dst = *diff_dst;
    KILN_TRY(init_stat(desc, stat));
    KILN_TRY(check_types(desc, false));
    KILN_TRY(check_attr_within(component, attr, attr_t::none));
    return create_primitive_desc<layer_normalization_pd_t>(
            primitive_desc, engine, desc, attr, hint);
}

} // namespace
} // namespace kiln

using namespace kiln;

status_t dnnl_layer_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, engine_t *engine, prop_kind_t prop_kind,
        const memory_desc_t *src_desc, const memory_desc_t *dst_desc,
        const memory_desc_t *stat_desc, float epsilon, unsigned flags,
        const primitive_attr_t *attr) {
    return dnnl_layer_normalization_forward_primitive_desc_create_v2(primitive_desc, engine,
            prop_kind, src_desc, dst_desc, stat_desc, dnnl_f32, epsilon, flags, attr);
}

status_t dnnl_layer_normalization_forward_primitive_desc_create_v2(
        dnnl_primitive_desc_t *primitive_desc, engine_t *engine, prop_kind_t prop_kind,
        const memory_desc_t *src_desc, const memory_desc_t *dst_desc,
        const memory_desc_t *stat_desc, data_type_t scale_shift_data_type, float epsilon,
        unsigned flags, const primitive_attr_t *attr) {
    layer_normalization_desc_t desc{};
    desc.prop_kind = prop_kind;
    desc.flags = flags;
    desc.epsilon = epsilon;
    desc.scale_shift_type = desc.diff_scale_shift_type = scale_shift_data_type;
    return guarded([&] {
        return create_forward(primitive_desc, engine, desc, src_desc, dst_desc, stat_desc, attr);
    });
}

status_t dnnl_layer_normalization_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, engine_t *engine, prop_kind_t prop_kind,
        const memory_desc_t *diff_src_desc, const memory_desc_t *diff_dst_desc,
        const memory_desc_t *src_desc, const memory_desc_t *stat_desc, float epsilon,
        unsigned flags, const dnnl_primitive_desc *hint_fwd_pd, const primitive_attr_t *attr) {
    return dnnl_layer_normalization_backward_primitive_desc_create_v2(primitive_desc, engine,
            prop_kind, diff_src_desc, diff_dst_desc, src_desc, stat_desc, dnnl_f32, dnnl_f32,
            epsilon, flags, hint_fwd_pd, attr);
}

status_t dnnl_layer_normalization_backward_primitive_desc_create_v2(
        dnnl_primitive_desc_t *primitive_desc, engine_t *engine, prop_kind_t prop_kind,
        const memory_desc_t *diff_src_desc, const memory_desc_t *diff_dst_desc,
        const memory_desc_t *src_desc, const memory_desc_t *stat_desc,
        data_type_t diff_scale_shift_data_type, data_type_t scale_shift_data_type, float epsilon,
        unsigned flags, const dnnl_primitive_desc *hint_fwd_pd, const primitive_attr_t *attr) {
    layer_normalization_desc_t desc{};
    desc.prop_kind = prop_kind;
    desc.flags = flags;
    desc.epsilon = epsilon;
    desc.scale_shift_type = scale_shift_data_type;
    desc.diff_scale_shift_type = diff_scale_shift_data_type;
    return guarded([&] {
        return create_backward(primitive_desc, engine, desc, diff_src_desc, diff_dst_desc, src_desc,
                stat_desc, hint_fwd_pd, attr);
    });
}
