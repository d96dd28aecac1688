// SPDX-License-Identifier: Apache-2.0
// Layer normalization's C entries: what a caller may ask for, and why the rest is refused.

#include "common/layer_normalization_pd.hpp"
#include "common/one_of.hpp"
#include "common/post_op_checks.hpp"
#include "common/verbose.hpp"

namespace kiln {
namespace {

constexpr const char *component = "lnorm";

bool is_int8(const memory_desc_t &md) { return one_of(md.data_type, {dnnl_s8, dnnl_u8}); }

/// A tensor of the operation: its kind of layout and its shape, which is src's without `dropped`
/// axes.
status_t check_tensor(
        const memory_desc_t &md, const char *name, const memory_desc_t &src, int dropped) {
    KILN_REQUIRE(
            !is_host_scalar(md), dnnl_invalid_arguments, component, "%s is a host scalar", name);
    KILN_REQUIRE(is_zero(md) || is_blocked(md) || is_any(md), dnnl_unimplemented, component,
            "unsupported format kind for %s", name);
    KILN_REQUIRE(!has_runtime_values(md), dnnl_unimplemented, component,
            "runtime dimension is not supported");
    KILN_REQUIRE(md.ndims == src.ndims - dropped, dnnl_invalid_arguments, component,
            "tensors src and %s have inconsistent number of dimensions (%d and %d)", name,
            src.ndims, md.ndims);
    for (int d = 0; d < md.ndims; ++d)
        KILN_REQUIRE(md.dims[d] == src.dims[d], dnnl_invalid_arguments, component,
                "dimension src:%d is inconsistent with %s:%d", d, name, d);
    return dnnl_success;
}

/// A tensor that is written: no two of its elements may share a place.
status_t check_output(const memory_desc_t &md, const char *name) {
    KILN_REQUIRE(broadcast_axis(md) < 0, dnnl_invalid_arguments, component,
            "%s has stride 0 along axis %d", name, broadcast_axis(md));
    return dnnl_success;
}

status_t check_types(const layer_normalization_desc_t &desc, bool forward) {
    const auto data = [&](const memory_desc_t &md, const char *name) -> status_t {
        const bool floating = one_of(md.data_type, {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64});
        KILN_REQUIRE(floating || (forward && is_int8(md)), dnnl_unimplemented, component,
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
        KILN_REQUIRE(one_of(type, {dnnl_f32, dnnl_bf16, dnnl_f16}), dnnl_unimplemented, component,
                "unsupported datatype %s of scale and shift", dnnl_dt2str(type));
    return dnnl_success;
}

status_t check_scales(const quantization_map_t &scales, const layer_normalization_desc_t &desc) {
    if (scales.empty()) return dnnl_success;
    KILN_REQUIRE(is_int8(desc.src) || is_int8(desc.dst), dnnl_unimplemented, component,
            "scales need src or dst in int8");
    for (const auto &[arg, scale] : scales)
        KILN_REQUIRE(one_of(arg, {DNNL_ARG_SRC, DNNL_ARG_DST}) && scale.mask == 0
                             && scale.group_ndims == 0
                             && scale.mode == dnnl_quantization_mode_static_sazp
                             && one_of(scale.data_type, {dnnl_f32, dnnl_bf16, dnnl_f16}),
                dnnl_unimplemented, component, "unsupported scales configuration");
    return dnnl_success;
}

status_t check_post_ops(const post_ops_t &post_ops, const memory_desc_t &dst) {
    for (const post_op_t &entry : post_ops.entries) {
        const auto kind = kind_of(entry);
        KILN_REQUIRE(kind == dnnl_eltwise || kind == dnnl_binary, dnnl_unimplemented, component,
                "unsupported post-ops: %s", dnnl_prim_kind2str(kind));
        const auto *binary = std::get_if<binary_post_op_t>(&entry);
        if (binary == nullptr) continue;
        KILN_TRY(check_binary_operand(component, binary->src1, dst));
        if (binary->has_src2()) KILN_TRY(check_binary_operand(component, binary->src2, dst));
    }
    return dnnl_success;
}

status_t check_attr(
        const primitive_attr_t *attr, const layer_normalization_desc_t &desc, bool forward) {
    if (attr == nullptr) return dnnl_success;
    const char *reason =
            attr->first_set_beyond(forward ? attr_t::scales | attr_t::post_ops : attr_t::none);
    KILN_REQUIRE(reason == nullptr, dnnl_unimplemented, component, "%s", reason);
    if (!forward) return dnnl_success;
    KILN_TRY(check_scales(attr->scales, desc));
    return check_post_ops(attr->post_ops, desc.dst);
}

/// What forward and backward share: flags, src and statistics. Fills desc.src and desc.stat.
status_t init_common(layer_normalization_desc_t &desc, bool forward, const memory_desc_t *src,
        const memory_desc_t *stat) {
    constexpr unsigned legal =
            dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift | dnnl_rms_norm;
    KILN_REQUIRE((desc.flags & ~legal) == 0, dnnl_invalid_arguments, component, "bad flags 0x%x",
            desc.flags);
    KILN_REQUIRE(src, dnnl_invalid_arguments, component, "src is a null pointer");
    KILN_REQUIRE(2 <= src->ndims && src->ndims <= max_ndims, dnnl_invalid_arguments, component,
            "src has a bad number of dimensions %d", src->ndims);
    KILN_REQUIRE(!forward || !is_any(*src), dnnl_invalid_arguments, component,
            "unsupported format tag for src");
    KILN_TRY(check_tensor(*src, "src", *src, 0));
    desc.src = *src;
    const bool is_used =
            desc.prop_kind != dnnl_forward_inference || (desc.flags & dnnl_use_global_stats) != 0;
    if (!is_used || stat == nullptr || is_zero(*stat))
        return init_by_tag(desc.stat, src->ndims - 1, src->dims, dnnl_f32, dnnl_format_tag_any);
    KILN_TRY(check_tensor(*stat, "stat", *src, 1));
    desc.stat = *stat;
    return dnnl_success;
}

status_t create_forward(dnnl_primitive_desc_t *primitive_desc, engine_t *engine,
        layer_normalization_desc_t desc, const memory_desc_t *src, const memory_desc_t *dst,
        const memory_desc_t *stat, const primitive_attr_t *attr) {
    if (primitive_desc == nullptr || engine == nullptr) return dnnl_invalid_arguments;
    KILN_REQUIRE(one_of(desc.prop_kind, {dnnl_forward_training, dnnl_forward_inference}),
            dnnl_invalid_arguments, component, "bad propagation kind");
    KILN_TRY(init_common(desc, true, src, stat));
    KILN_REQUIRE(dst, dnnl_invalid_arguments, component, "dst is a null pointer");
    KILN_TRY(check_tensor(*dst, "dst", desc.src, 0));
    KILN_TRY(check_output(*dst, "dst"));
    if (desc.prop_kind == dnnl_forward_training && !(desc.flags & dnnl_use_global_stats))
        KILN_TRY(check_output(desc.stat, "stat"));
    desc.dst = *dst;
    KILN_TRY(check_types(desc, true));
    KILN_TRY(check_attr(attr, desc, true));
    return create_primitive_desc<layer_normalization_pd_t>(
            primitive_desc, engine, desc, attr, nullptr);
}

status_t create_backward(dnnl_primitive_desc_t *primitive_desc, engine_t *engine,
        layer_normalization_desc_t desc, const memory_desc_t *diff_src,
        const memory_desc_t *diff_dst, const memory_desc_t *src, const memory_desc_t *stat,
        const dnnl_primitive_desc *hint, const primitive_attr_t *attr) {
    if (primitive_desc == nullptr || engine == nullptr) return dnnl_invalid_arguments;
    KILN_REQUIRE(one_of(desc.prop_kind, {dnnl_backward, dnnl_backward_data}),
            dnnl_invalid_arguments, component, "bad propagation kind");
    KILN_TRY(init_common(desc, false, src, stat));
    KILN_REQUIRE(diff_src && diff_dst, dnnl_invalid_arguments, component,
            "diff_src or diff_dst is a null pointer");
    // backward_data has no gradients of scale and shift, so their type says nothing.
    if (desc.prop_kind == dnnl_backward_data) desc.diff_scale_shift_type = desc.scale_shift_type;
    KILN_TRY(check_tensor(*diff_src, "diff_src", desc.src, 0));
    KILN_TRY(check_tensor(*diff_dst, "diff_dst", desc.src, 0));
    KILN_TRY(check_output(*diff_src, "diff_src"));
    desc.diff_src = *diff_src;
    desc.diff_dst = *diff_dst;
    KILN_TRY(check_types(desc, false));
    KILN_TRY(check_attr(attr, desc, false));
    if (hint) {
        const auto prop = hint->pd->prop_kind();
        KILN_REQUIRE(hint->pd->kind() == dnnl_layer_normalization
                             && one_of(prop, {dnnl_forward_training, dnnl_forward_inference}),
                dnnl_invalid_arguments, component, "the hint is no forward layer normalization");
        const auto &forward = static_cast<const layer_normalization_pd_t &>(*hint->pd);
        KILN_REQUIRE(same_dims(forward.src(), desc.src), dnnl_invalid_arguments, component,
                "the hint has another shape");
    }
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
