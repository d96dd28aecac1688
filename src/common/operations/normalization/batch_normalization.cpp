// SPDX-License-Identifier: Apache-2.0
// Batch normalization's C entries: what a caller may ask for, and why the rest is refused.

#include "common/operations/normalization/batch_normalization_pd.hpp"
#include "common/operations/normalization_checks.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {
namespace {

constexpr unsigned fused_relus = dnnl_fuse_norm_relu | dnnl_fuse_norm_add_relu;
constexpr normalization_rules_t rules{.component = batch_normalization_desc_t::component,
        .kind = dnnl_batch_normalization,
        .legal_flags = dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift | fused_relus,
        .max_ndims = 5,
        .forward_attr = attr_t::post_ops | attr_t::ranks,
        .takes_binary_post_ops = false};
constexpr const char *component = rules.component;

status_t check_relus(unsigned flags) {
    KILN_REQUIRE((flags & fused_relus) != fused_relus, dnnl_invalid_arguments, component,
            "flags are 0x%x; fuse_norm_relu and fuse_norm_add_relu exclude each other", flags);
    return dnnl_success;
}

/// All tensors have src's data type.
status_t check_same_type(const memory_desc_t &src, const memory_desc_t &other, const char *name) {
    KILN_REQUIRE(other.data_type == src.data_type, dnnl_unimplemented, component,
            "%s is of data type %s; supported is src's, %s", name, dnnl_dt2str(other.data_type),
            dnnl_dt2str(src.data_type));
    return dnnl_success;
}

status_t complete_forward(const batch_normalization_desc_t &desc) {
    constexpr type_set_t src_types = float_types | type_set({dnnl_f64, dnnl_s8});
    KILN_TRY(check_relus(desc.flags));
    KILN_TRY(check_type(component, desc.src, "src", src_types));
    KILN_REQUIRE(desc.src.data_type != dnnl_s8 || (desc.flags & dnnl_use_global_stats),
            dnnl_unimplemented, component, "src of s8 is supported with use_global_stats only");
    return check_same_type(desc.src, desc.dst, "dst");
}

status_t complete_backward(const batch_normalization_desc_t &desc) {
    KILN_TRY(check_relus(desc.flags));
    // diff_src_1 has diff_dst's layout and is an output.
    if (desc.flags & dnnl_fuse_norm_add_relu)
        KILN_TRY(check_output(component, desc.diff_dst, "diff_dst"));
    KILN_TRY(check_type(component, desc.src, "src", float_types | type_set({dnnl_f64})));
    KILN_TRY(check_same_type(desc.src, desc.diff_src, "diff_src"));
    return check_same_type(desc.src, desc.diff_dst, "diff_dst");
}

} // namespace
} // namespace kiln

using namespace kiln;

status_t dnnl_batch_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, engine_t *engine, prop_kind_t prop_kind,
        const memory_desc_t *src_desc, const memory_desc_t *dst_desc, float epsilon, unsigned flags,
        const primitive_attr_t *attr) {
    return create_normalization<batch_normalization_desc_t>(rules,
            forward_args_t{
                    primitive_desc, engine, prop_kind, src_desc, dst_desc, epsilon, flags, attr},
            complete_forward);
}

status_t dnnl_batch_normalization_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, engine_t *engine, prop_kind_t prop_kind,
        const memory_desc_t *diff_src_desc, const memory_desc_t *diff_dst_desc,
        const memory_desc_t *src_desc, float epsilon, unsigned flags,
        const dnnl_primitive_desc *hint_fwd_pd, const primitive_attr_t *attr) {
    return create_normalization<batch_normalization_desc_t>(rules,
            backward_args_t{primitive_desc, engine, prop_kind, diff_src_desc, diff_dst_desc,
                    src_desc, epsilon, flags, hint_fwd_pd, attr},
            complete_backward);
}
