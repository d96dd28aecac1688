// SPDX-License-Identifier: Apache-2.0
// Group normalization's C entries: what a caller may ask for, and why the rest is refused.

#include "common/operations/normalization/group_normalization_pd.hpp"
#include "common/operations/normalization_checks.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {
namespace {

constexpr normalization_rules_t rules{.component = group_normalization_desc_t::component,
        .kind = dnnl_group_normalization,
        .legal_flags = dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift,
        .max_ndims = 5,
        .forward_attr = attr_t::scales | attr_t::post_ops | attr_t::ranks,
        .takes_binary_post_ops = true};
constexpr const char *component = rules.component;
constexpr type_set_t backward_types = float_types | type_set({dnnl_f64});
constexpr type_set_t forward_types = backward_types | int8_types;

status_t check_groups(const group_normalization_desc_t &desc) {
    const dim_t channels = desc.src.dims[1];
    KILN_REQUIRE(desc.groups > 0 && desc.groups <= channels && channels % desc.groups == 0,
            dnnl_invalid_arguments, component,
            "the number of groups is %lld; it must divide src's %lld channels",
            static_cast<long long>(desc.groups), static_cast<long long>(channels));
    return dnnl_success;
}

status_t complete_forward(const group_normalization_desc_t &desc) {
    KILN_TRY(check_groups(desc));
    KILN_TRY(check_type(component, desc.src, "src", forward_types));
    return check_type(component, desc.dst, "dst", forward_types);
}

status_t complete_backward(const group_normalization_desc_t &desc) {
    KILN_TRY(check_groups(desc));
    KILN_TRY(check_type(component, desc.src, "src", backward_types));
    KILN_TRY(check_type(component, desc.diff_src, "diff_src", backward_types));
    return check_type(component, desc.diff_dst, "diff_dst", backward_types);
}

} // namespace
} // namespace kiln

using namespace kiln;

status_t dnnl_group_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, engine_t *engine, prop_kind_t prop_kind,
        const memory_desc_t *src_desc, const memory_desc_t *dst_desc, dim_t groups, float epsilon,
        unsigned flags, const primitive_attr_t *attr) {
    return create_normalization<group_normalization_desc_t>(rules,
            forward_args_t{
                    primitive_desc, engine, prop_kind, src_desc, dst_desc, epsilon, flags, attr},
            [groups](group_normalization_desc_t &desc) {
                desc.groups = groups;
                return complete_forward(desc);
            });
}

status_t dnnl_group_normalization_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, engine_t *engine, prop_kind_t prop_kind,
        const memory_desc_t *diff_src_desc, const memory_desc_t *diff_dst_desc,
        const memory_desc_t *src_desc, dim_t groups, float epsilon, unsigned flags,
        const dnnl_primitive_desc *hint_fwd_pd, const primitive_attr_t *attr) {
    return create_normalization<group_normalization_desc_t>(rules,
            backward_args_t{primitive_desc, engine, prop_kind, diff_src_desc, diff_dst_desc,
                    src_desc, epsilon, flags, hint_fwd_pd, attr},
            [groups](group_normalization_desc_t &desc) {
                desc.groups = groups;
                return complete_backward(desc);
            });
}
