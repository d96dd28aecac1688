// SPDX-License-Identifier: Apache-2.0
// Checks of the arguments that the C entries of normalizations have in common.

#include "common/operations/normalization_checks.hpp"

#include <cmath>

#include "common/attributes/post_op_checks.hpp"
#include "common/one_of.hpp"
#include "common/verbose/arg_name.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {
namespace {

/// Epsilon, flags and src.
status_t check_problem(const normalization_rules_t &rules, float epsilon, unsigned flags,
        const memory_desc_t *src) {
    KILN_REQUIRE(epsilon > 0 && std::isfinite(epsilon), dnnl_invalid_arguments, rules.component,
            "epsilon is %g; it must be positive and finite", static_cast<double>(epsilon));
    KILN_REQUIRE((flags & ~rules.legal_flags) == 0, dnnl_invalid_arguments, rules.component,
            "flags are 0x%x; 0x%x of them are not this operation's", flags,
            flags & ~rules.legal_flags);
    KILN_TRY(check_given(rules.component, src, "src"));
    KILN_REQUIRE(2 <= src->ndims, dnnl_invalid_arguments, rules.component,
            "src has %d dimensions; it must have at least 2", src->ndims);
    KILN_REQUIRE(src->ndims <= rules.max_ndims, dnnl_unimplemented, rules.component,
            "src has %d dimensions; at most %d are supported", src->ndims, rules.max_ndims);
    return check_tensor(rules.component, *src, "src");
}

status_t check_hint(const normalization_rules_t &rules, const dnnl_primitive_desc *hint,
        const memory_desc_t &src) {
    KILN_REQUIRE(hint == nullptr || same_dims(hint->pd->md_of(DNNL_ARG_SRC), src),
            dnnl_invalid_arguments, rules.component, "the hint's src has another shape than src");
    return dnnl_success;
}

} // namespace

status_t check_arguments(const normalization_rules_t &rules, const forward_args_t &args) {
    const char *component = rules.component;
    KILN_REQUIRE(one_of(args.prop_kind, {dnnl_forward_training, dnnl_forward_inference}),
            dnnl_invalid_arguments, component,
            "the kind of propagation must be forward_training or forward_inference");
    KILN_TRY(check_problem(rules, args.epsilon, args.flags, args.src));
    KILN_TRY(check_layout_given(component, *args.src, "src"));
    KILN_TRY(check_given(component, args.dst, "dst"));
    KILN_TRY(check_tensor(component, *args.dst, "dst", *args.src));
    return check_output(component, *args.dst, "dst");
}

status_t check_arguments(const normalization_rules_t &rules, const backward_args_t &args) {
    const char *component = rules.component;
    KILN_REQUIRE(one_of(args.prop_kind, {dnnl_backward, dnnl_backward_data}),
            dnnl_invalid_arguments, component,
            "the kind of propagation must be backward or backward_data");
    KILN_TRY(check_problem(rules, args.epsilon, args.flags, args.src));
    KILN_TRY(check_given(component, args.diff_src, "diff_src"));
    KILN_TRY(check_given(component, args.diff_dst, "diff_dst"));
    KILN_TRY(check_tensor(component, *args.diff_src, "diff_src", *args.src));
    KILN_TRY(check_tensor(component, *args.diff_dst, "diff_dst", *args.src));
    KILN_TRY(check_output(component, *args.diff_src, "diff_src"));
    return check_hint(rules, args.hint, *args.src);
}

status_t check_scales(const char *component, const quantization_map_t &scales,
        const memory_desc_t &src, const memory_desc_t &dst, type_set_t quantized) {
    if (scales.empty()) return dnnl_success;
    KILN_REQUIRE(contains(quantized, src.data_type) || contains(quantized, dst.data_type),
            dnnl_unimplemented, component,
            "scales are set, but neither src nor dst is of one of the types %s",
            names_of(quantized).c_str());
    for (const auto &[arg, scale] : scales)
        KILN_REQUIRE(one_of(arg, {DNNL_ARG_SRC, DNNL_ARG_DST}) && scale.mask == 0
                             && scale.group_ndims == 0
                             && scale.mode == dnnl_quantization_mode_static_sazp
                             && contains(float_types, scale.data_type),
                dnnl_unimplemented, component,
                "scales of %s are not supported as they are set; src and dst may have one scale "
                "(mask 0) of f32, bf16 or f16",
                arg_name(arg).c_str());
    return dnnl_success;
}

status_t check_normalization_post_ops(const char *component, const post_ops_t &post_ops,
        const memory_desc_t &dst, bool takes_binary) {
    for (const post_op_t &entry : post_ops.entries) {
        const auto kind = kind_of(entry);
        KILN_REQUIRE(
                kind == dnnl_eltwise || (takes_binary && one_of(kind, {dnnl_binary, dnnl_prelu})),
                dnnl_unimplemented, component, "a post-op of kind %s is not supported; %s",
                dnnl_prim_kind2str(kind),
                takes_binary ? "eltwise, binary and prelu ones are" : "eltwise ones are");
        if (const auto *prelu = std::get_if<prelu_post_op_t>(&entry))
            KILN_TRY(check_prelu(component, *prelu, dst));
        const auto *binary = std::get_if<binary_post_op_t>(&entry);
        if (binary == nullptr) continue;
        KILN_TRY(check_binary_operand(component, binary->src1, dst));
        if (binary->has_src2()) KILN_TRY(check_binary_operand(component, binary->src2, dst));
    }
    return dnnl_success;
}

status_t check_attr(const normalization_rules_t &rules, const primitive_attr_t *attr,
        const memory_desc_t &src, const memory_desc_t &dst) {
    if (attr == nullptr) return dnnl_success;
    KILN_TRY(check_attr_within(rules.component, attr, rules.forward_attr));
    KILN_TRY(check_scales(rules.component, attr->scales, src, dst));
    return check_normalization_post_ops(
            rules.component, attr->post_ops, dst, rules.takes_binary_post_ops);
}

} // namespace kiln
