// SPDX-License-Identifier: Apache-2.0
// What the C entries of normalizations have in common: their arguments, and the checks of these.
#pragma once

#include "common/operations/tensor_checks.hpp"
#include "common/primitive/primitive_desc.hpp"

namespace kiln {

/// Whose arguments are checked, and what differs between the operations.
struct normalization_rules_t {
    const char *component; // the operation's short name in verbose lines
    primitive_kind_t kind;
    unsigned legal_flags;
    int max_ndims;
    attr_t forward_attr; // the attributes honoured forward; backward, ranks alone
    bool takes_binary_post_ops;
};

/// The arguments that all forward entries take.
struct forward_args_t {
    dnnl_primitive_desc_t *primitive_desc;
    engine_t *engine;
    prop_kind_t prop_kind;
    const memory_desc_t *src;
    const memory_desc_t *dst;
    float epsilon;
    unsigned flags;
    const primitive_attr_t *attr;
};

/// The arguments that all backward entries take.
struct backward_args_t {
    dnnl_primitive_desc_t *primitive_desc;
    engine_t *engine;
    prop_kind_t prop_kind;
    const memory_desc_t *diff_src;
    const memory_desc_t *diff_dst;
    const memory_desc_t *src;
    float epsilon;
    unsigned flags;
    const dnnl_primitive_desc *hint;
    const primitive_attr_t *attr;
};

/// Checks the kind of propagation, epsilon, flags, src and dst: layouts and shapes.
status_t check_arguments(const normalization_rules_t &rules, const forward_args_t &args);
/// The same backward; the hint, if present, is a forward descriptor of the same operation and
/// shape.
status_t check_arguments(const normalization_rules_t &rules, const backward_args_t &args);

/// One scale for all of src or dst, where one of them is of a quantized type.
status_t check_scales(const char *component, const quantization_map_t &scales,
        const memory_desc_t &src, const memory_desc_t &dst, type_set_t quantized = int8_types);
/// Eltwise post-ops, and if `takes_binary` binary ones whose operands broadcast to dst.
status_t check_normalization_post_ops(const char *component, const post_ops_t &post_ops,
        const memory_desc_t &dst, bool takes_binary = true);
/// The attributes of a forward normalization.
status_t check_attr(const normalization_rules_t &rules, const primitive_attr_t *attr,
        const memory_desc_t &src, const memory_desc_t &dst);

/// Makes a primitive descriptor from checked arguments. `complete(desc)` sets and checks what only
/// this operation has, after src and dst (or the gradients) are set and before attributes are
/// checked; it returns a status.
template <typename desc_t, typename complete_t>
status_t create_normalization(const normalization_rules_t &rules, const forward_args_t &args,
        const complete_t &complete) {
    if (args.primitive_desc == nullptr || args.engine == nullptr) return dnnl_invalid_arguments;
    return guarded([&]() -> status_t {
        KILN_TRY(check_arguments(rules, args));
        desc_t desc{};
        desc.prop_kind = args.prop_kind;
        desc.flags = args.flags;
        desc.epsilon = args.epsilon;
        desc.src = *args.src;
        desc.dst = *args.dst;
        KILN_TRY(complete(desc));
        KILN_TRY(check_attr(rules, args.attr, desc.src, desc.dst));
        return create_primitive_desc(args.primitive_desc, args.engine, desc, args.attr, nullptr);
    });
}

template <typename desc_t, typename complete_t>
status_t create_normalization(const normalization_rules_t &rules, const backward_args_t &args,
        const complete_t &complete) {
    if (args.primitive_desc == nullptr || args.engine == nullptr) return dnnl_invalid_arguments;
    return guarded([&]() -> status_t {
        KILN_TRY(check_arguments(rules, args));
        desc_t desc{};
        desc.prop_kind = args.prop_kind;
        desc.flags = args.flags;
        desc.epsilon = args.epsilon;
        desc.src = *args.src;
        desc.diff_src = *args.diff_src;
        desc.diff_dst = *args.diff_dst;
        KILN_TRY(complete(desc));
        KILN_TRY(check_attr_within(rules.component, args.attr, attr_t::ranks));
        return create_primitive_desc(args.primitive_desc, args.engine, desc, args.attr, args.hint);
    });
}

} // namespace kiln
