// SPDX-License-Identifier: Apache-2.0
// What the normalizations ask of a caller's arguments alike.

#include "common/operations/normalization_checks.hpp"

#include "common/attributes/post_op_checks.hpp"
#include "common/memory/type_set.hpp"
#include "common/one_of.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {
namespace {

/// Flags and src.
status_t check_src(const normalization_rules_t &rules, unsigned flags, const memory_desc_t *src) {
    KILN_REQUIRE((flags & ~rules.legal_flags) == 0, dnnl_invalid_arguments, rules.component,
            "bad flags 0x%x", flags);
    KILN_REQUIRE(src, dnnl_invalid_arguments, rules.component, "src is a null pointer");
    KILN_REQUIRE(2 <= src->ndims, dnnl_invalid_arguments, rules.component,
            "src has a bad number of dimensions %d", src->ndims);
    KILN_REQUIRE(src->ndims <= rules.max_ndims, dnnl_unimplemented, rules.component,
            "src has %d dimensions, %d are supported", src->ndims, rules.max_ndims);
    return check_tensor(rules.component, *src, "src", *src);
}

status_t check_hint(const normalization_rules_t &rules, const dnnl_primitive_desc *hint,
        const memory_desc_t &src) {
    if (hint == nullptr) return dnnl_success;
    const auto prop_kind = hint->pd->prop_kind();
    KILN_REQUIRE(hint->pd->kind() == rules.kind
                         && one_of(prop_kind, {dnnl_forward_training, dnnl_forward_inference}),
            dnnl_invalid_arguments, rules.component, "the hint is no forward %s",
            dnnl_prim_kind2str(rules.kind));
    KILN_REQUIRE(same_dims(hint->pd->md_of(DNNL_ARG_SRC), src), dnnl_invalid_arguments,
            rules.component, "the hint has another shape");
    return dnnl_success;
}

} // namespace

bool is_floating(const memory_desc_t &md) {
    return contains(float_types | type_set({dnnl_f64}), md.data_type);
}

bool is_int8(const memory_desc_t &md) { return contains(int8_types, md.data_type); }

status_t check_forward_tensors(const normalization_rules_t &rules, prop_kind_t prop_kind,
        unsigned flags, const memory_desc_t *src, const memory_desc_t *dst) {
    const char *component = rules.component;
    KILN_REQUIRE(one_of(prop_kind, {dnnl_forward_training, dnnl_forward_inference}),
            dnnl_invalid_arguments, component, "bad propagation kind");
    KILN_TRY(check_src(rules, flags, src));
    KILN_REQUIRE(
            !is_any(*src), dnnl_invalid_arguments, component, "unsupported format tag for src");
    KILN_REQUIRE(dst, dnnl_invalid_arguments, component, "dst is a null pointer");
    KILN_TRY(check_tensor(component, *dst, "dst", *src));
    return check_output(component, *dst, "dst");
}

status_t check_backward_tensors(const normalization_rules_t &rules, prop_kind_t prop_kind,
        unsigned flags, const memory_desc_t *diff_src, const memory_desc_t *diff_dst,
        const memory_desc_t *src, const dnnl_primitive_desc *hint) {
    const char *component = rules.component;
    KILN_REQUIRE(one_of(prop_kind, {dnnl_backward, dnnl_backward_data}), dnnl_invalid_arguments,
            component, "bad propagation kind");
    KILN_TRY(check_src(rules, flags, src));
    KILN_REQUIRE(diff_src && diff_dst, dnnl_invalid_arguments, component,
            "diff_src or diff_dst is a null pointer");
    KILN_TRY(check_tensor(component, *diff_src, "diff_src", *src));
    KILN_TRY(check_tensor(component, *diff_dst, "diff_dst", *src));
    KILN_TRY(check_output(component, *diff_src, "diff_src"));
    return check_hint(rules, hint, *src);
}

status_t check_tensor(const char *component, const memory_desc_t &md, const char *name,
        const memory_desc_t &src, int dropped) {
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

status_t check_output(const char *component, const memory_desc_t &md, const char *name) {
    KILN_REQUIRE(broadcast_axis(md) < 0, dnnl_invalid_arguments, component,
            "%s has stride 0 along axis %d", name, broadcast_axis(md));
    return dnnl_success;
}

status_t check_normalization_scales(const char *component, const quantization_map_t &scales,
        const memory_desc_t &src, const memory_desc_t &dst) {
    if (scales.empty()) return dnnl_success;
    KILN_REQUIRE(is_int8(src) || is_int8(dst), dnnl_unimplemented, component,
            "scales need src or dst in int8");
    for (const auto &[arg, scale] : scales)
        KILN_REQUIRE(one_of(arg, {DNNL_ARG_SRC, DNNL_ARG_DST}) && scale.mask == 0
                             && scale.group_ndims == 0
                             && scale.mode == dnnl_quantization_mode_static_sazp
                             && contains(float_types, scale.data_type),
                dnnl_unimplemented, component, "unsupported scales configuration");
    return dnnl_success;
}

status_t check_normalization_post_ops(
        const char *component, const post_ops_t &post_ops, const memory_desc_t &dst) {
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

status_t check_attr_within(const char *component, const primitive_attr_t *attr, attr_t honoured) {
    const char *reason = attr ? attr->first_set_beyond(honoured) : nullptr;
    KILN_REQUIRE(reason == nullptr, dnnl_unimplemented, component, "%s", reason);
    return dnnl_success;
}

} // namespace kiln
