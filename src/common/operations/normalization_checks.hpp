// SPDX-License-Identifier: Apache-2.0
// What the normalizations ask of a caller's arguments alike.
#pragma once

#include "common/primitive/primitive_desc.hpp"

namespace kiln {

/// Whose arguments are checked, and what differs between the operations' checks.
struct normalization_rules_t {
    const char *component; // as verbose mode names it
    primitive_kind_t kind;
    unsigned legal_flags;
    int max_ndims;
};

/// f32, bf16, f16 or f64.
bool is_floating(const memory_desc_t &md);
/// s8 or u8.
bool is_int8(const memory_desc_t &md);

/// Kind of propagation, flags, src and dst: layouts and shapes.
status_t check_forward_tensors(const normalization_rules_t &rules, prop_kind_t prop_kind,
        unsigned flags, const memory_desc_t *src, const memory_desc_t *dst);
/// The same backward; and the hint, if there is one: a forward descriptor of the same operation
/// and shape.
status_t check_backward_tensors(const normalization_rules_t &rules, prop_kind_t prop_kind,
        unsigned flags, const memory_desc_t *diff_src, const memory_desc_t *diff_dst,
        const memory_desc_t *src, const dnnl_primitive_desc *hint);

/// A tensor's kind of layout and its shape, which is src's without the last `dropped` axes.
status_t check_tensor(const char *component, const memory_desc_t &md, const char *name,
        const memory_desc_t &src, int dropped = 0);
/// A tensor that is written: no two of its elements may share a place.
status_t check_output(const char *component, const memory_desc_t &md, const char *name);

/// One scale for all of src or dst, where one of them is int8.
status_t check_normalization_scales(const char *component, const quantization_map_t &scales,
        const memory_desc_t &src, const memory_desc_t &dst);
/// Eltwise and binary post-ops whose operands broadcast to dst.
status_t check_normalization_post_ops(
        const char *component, const post_ops_t &post_ops, const memory_desc_t &dst);
/// No attribute beyond `honoured` that changes results.
status_t check_attr_within(const char *component, const primitive_attr_t *attr, attr_t honoured);

} // namespace kiln
