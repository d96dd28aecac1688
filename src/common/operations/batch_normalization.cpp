// SPDX-License-Identifier: Apache-2.0
// Batch normalization's C entries: what a caller may ask for, and why the rest is refused.

#include "common/operations/batch_normalization_pd.hpp"
#include "common/operations/normalization_checks.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {
namespace {

constexpr unsigned fused_relus = dnnl_fuse_norm_relu | dnnl_fuse_norm_add_relu;
constexpr normalization_rules_t rules{.component = "bnorm",
        .kind = dnnl_batch_normalization,
        .legal_flags = dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift | fused_relus,
        .max_ndims = 5};
constexpr const char *component = rules.component;

status_t check_relus(unsigned flags) {
    KILN_REQUIRE((flags & fused_relus) != fused_relus, dnnl_invalid_arguments, component,
            "flags 0x%x fuse two ReLUs", flags);
    return dnnl_success;
}

/// All tensors have src's data type.
status_t check_type(const memory_desc_t &src, const memory_desc_t &other, const char *name) {
    KILN_REQUIRE(other.data_type == src.data_type, dnnl_unimplemented, component,
            "tensors src and %s have inconsistent datatypes", name);
    return dnnl_success;
}

status_t check_src_type(const batch_normalization_desc_t &desc, bool forward) {
    const bool quantized = forward && desc.src.data_type == dnnl_s8;
    KILN_REQUIRE(is_floating(desc.src) || quantized, dnnl_unimplemented, component,
            "unsupported datatype %s of src", dnnl_dt2str(desc.src.data_type));
    KILN_REQUIRE(!quantized || (desc.flags & dnnl_use_global_stats), dnnl_unimplemented, component,
            "s8 needs given statistics");
    return dnnl_success;
}

status_t check_post_ops(const primitive_attr_t *attr) {
    if (attr == nullptr) return dnnl_success;
    for (const post_op_t &entry : attr->post_ops.entries)
        KILN_REQUIRE(kind_of(entry) == dnnl_eltwise, dnnl_unimplemented, component,
                "unsupported post-ops: %s", dnnl_prim_kind2str(kind_of(entry)));
    return dnnl_success;
}

status_t create_forward(dnnl_primitive_desc_t *primitive_desc, engine_t *engine,
        batch_normalization_desc_t desc, const memory_desc_t *src, const memory_desc_t *dst,
        const primitive_attr_t *attr) {
    if (primitive_desc == nullptr || engine == nullptr) return dnnl_invalid_arguments;
    KILN_TRY(check_forward_tensors(rules, desc.prop_kind, desc.flags, src, dst));
    KILN_TRY(check_relus(desc.flags));
    desc.src = *src;
    desc.dst = *dst;
    KILN_TRY(check_src_type(desc, true));
    KILN_TRY(check_type(desc.src, desc.dst, "dst"));
    KILN_TRY(check_attr_within(component, attr, attr_t::post_ops));
    KILN_TRY(check_post_ops(attr));
    return create_primitive_desc<batch_normalization_pd_t>(
            primitive_desc, engine, desc, attr, nullptr);
}

status_t create_backward(dnnl_primitive_desc_t *primitive_desc, engine_t *engine,
        batch_normalization_desc_t desc, const memory_desc_t *diff_src,
        const memory_desc_t *diff_dst, const memory_desc_t *src, const dnnl_primitive_desc *hint,
        const primitive_attr_t *attr) {
    if (primitive_desc == nullptr || engine == nullptr) return dnnl_invalid_arguments;
    KILN_TRY(check_backward_tensors(
            rules, desc.prop_kind, desc.flags, diff_src, diff_dst, src, hint));
    KILN_TRY(check_relus(desc.flags));
    // diff_src_1 is laid out like it.
    if (desc.flags & dnnl_fuse_norm_add_relu)
        KILN_TRY(check_output(component, *diff_dst, "diff_dst"));
    desc.src = *src;
    desc.diff_src = *diff_src;
    desc.diff_dst = *diff_dst;
    KILN_TRY(check_src_type(desc, false));
    KILN_TRY(check_type(desc.src, desc.diff_src, "diff_src"));
    KILN_TRY(check_type(desc.src, desc.diff_dst, "diff_dst"));
    KILN_TRY(check_attr_within(component, attr, attr_t::none));
    return create_primitive_desc<batch_normalization_pd_t>(
            primitive_desc, engine, desc, attr, hint);
}

} // namespace
} // namespace kiln

using namespace kiln;

status_t dnnl_batch_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, engine_t *engine, prop_kind_t prop_kind,
        const memory_desc_t *src_desc, const memory_desc_t *dst_desc, float epsilon, unsigned flags,
        const primitive_attr_t *attr) {
    batch_normalization_desc_t desc{};
    desc.prop_kind = prop_kind;
    desc.flags = flags;
    desc.epsilon = epsilon;
    return guarded(
            [&] { return create_forward(primitive_desc, engine, desc, src_desc, dst_desc, attr); });
}

status_t dnnl_batch_normalization_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, engine_t *engine, prop_kind_t prop_kind,
        const memory_desc_t *diff_src_desc, const memory_desc_t *diff_dst_desc,
        const memory_desc_t *src_desc, float epsilon, unsigned flags,
        const dnnl_primitive_desc *hint_fwd_pd, const primitive_attr_t *attr) {
    batch_normalization_desc_t desc{};
    desc.prop_kind = prop_kind;
    desc.flags = flags;
    desc.epsilon = epsilon;
    return guarded([&] {
        return create_backward(primitive_desc, engine, desc, diff_src_desc, diff_dst_desc, src_desc,
                hint_fwd_pd, attr);
    });
}
