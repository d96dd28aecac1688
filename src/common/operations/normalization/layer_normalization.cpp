// SPDX-License-Identifier: Apache-2.0
// Layer normalization's C entries: what a caller may ask for, and why the rest is refused.

#include "common/operations/normalization/layer_normalization_pd.hpp"
#include "common/operations/normalization_checks.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {
namespace {

constexpr normalization_rules_t rules{.component = layer_normalization_desc_t::component,
        .kind = dnnl_layer_normalization,
        .legal_flags = dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift | dnnl_rms_norm,
        .max_ndims = max_ndims,
        .forward_attr = attr_t::scales | attr_t::post_ops | attr_t::ranks,
        .takes_binary_post_ops = true};
constexpr const char *component = rules.component;
constexpr type_set_t backward_types = float_types | type_set({dnnl_f64});
constexpr type_set_t forward_types = backward_types | int8_types;

/// Statistics, scale, shift and their gradients have 16 or 32 bits, or are f64 if src is.
status_t check_parameter_types(const layer_normalization_desc_t &desc) {
    const type_set_t types = float_types | (type_set({dnnl_f64}) & type_set({desc.src.data_type}));
    KILN_TRY(check_type(component, desc.stat, "stat", types));
    if ((desc.flags & (dnnl_use_scale | dnnl_use_shift)) == 0) return dnnl_success;
    for (const auto type : {desc.scale_shift_type, desc.diff_scale_shift_type})
        KILN_REQUIRE(contains(types, type), dnnl_unimplemented, component,
                "scale and shift are of data type %s; supported are %s", dnnl_dt2str(type),
                names_of(types).c_str());
    return dnnl_success;
}

/// Takes the caller's descriptor of the statistics, where they are used and it is given.
status_t init_stat(layer_normalization_desc_t &desc, const memory_desc_t *stat) {
    const memory_desc_t &src = desc.src;
    const bool is_used =
            desc.prop_kind != dnnl_forward_inference || (desc.flags & dnnl_use_global_stats) != 0;
    if (!is_used || stat == nullptr || is_zero(*stat))
        return init_by_tag(
                desc.stat.edit(), src.ndims - 1, src.dims, dnnl_f32, dnnl_format_tag_any);
    KILN_TRY(check_tensor(component, *stat, "stat", src, 1));
    desc.stat = *stat;
    return dnnl_success;
}

status_t complete_forward(layer_normalization_desc_t &desc, const memory_desc_t *stat) {
    KILN_TRY(init_stat(desc, stat));
    if (desc.prop_kind == dnnl_forward_training && !(desc.flags & dnnl_use_global_stats))
        KILN_TRY(check_output(component, desc.stat, "stat"));
    KILN_TRY(check_type(component, desc.src, "src", forward_types));
    KILN_TRY(check_type(component, desc.dst, "dst", forward_types));
    return check_parameter_types(desc);
}

status_t complete_backward(layer_normalization_desc_t &desc, const memory_desc_t *stat) {
    // backward_data has no gradients of scale and shift; their type is ignored.
    if (desc.prop_kind == dnnl_backward_data) desc.diff_scale_shift_type = desc.scale_shift_type;
    KILN_TRY(init_stat(desc, stat));
    KILN_TRY(check_type(component, desc.src, "src", backward_types));
    KILN_TRY(check_type(component, desc.diff_src, "diff_src", backward_types));
    KILN_TRY(check_type(component, desc.diff_dst, "diff_dst", backward_types));
    return check_parameter_types(desc);
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
    return create_normalization<layer_normalization_desc_t>(rules,
            forward_args_t{
                    primitive_desc, engine, prop_kind, src_desc, dst_desc, epsilon, flags, attr},
            [=](layer_normalization_desc_t &desc) {
                desc.scale_shift_type = desc.diff_scale_shift_type = scale_shift_data_type;
                return complete_forward(desc, stat_desc);
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
    return create_normalization<layer_normalization_desc_t>(rules,
            backward_args_t{primitive_desc, engine, prop_kind, diff_src_desc, diff_dst_desc,
                    src_desc, epsilon, flags, hint_fwd_pd, attr},
            [=](layer_normalization_desc_t &desc) {
                desc.scale_shift_type = scale_shift_data_type;
                desc.diff_scale_shift_type = diff_scale_shift_data_type;
                return complete_backward(desc, stat_desc);
            });
}
