// SPDX-License-Identifier: Apache-2.0
// Checks of a caller's arguments that operations share. Each prints the reason of a refusal under
// `component`, the operation's short name in verbose lines; `name` is the tensor's.
#pragma once

#include "common/attributes/attr.hpp"
#include "common/memory/type_set.hpp"

namespace kiln {

/// f32, bf16, f16 or f64.
bool is_floating(const memory_desc_t &md);
/// s8 or u8.
bool is_int8(const memory_desc_t &md);

/// The pointer to the descriptor is not null.
status_t check_given(const char *component, const memory_desc_t *md, const char *name);
/// The format is blocked or `any`; sparse ones are unimplemented.
status_t check_format(const char *component, const memory_desc_t &md, const char *name);
/// It is a tensor with a blocked layout or format `any`.
status_t check_dense(const char *component, const memory_desc_t &md, const char *name);
/// The same, and no dimension or stride is left to execution time.
status_t check_tensor(const char *component, const memory_desc_t &md, const char *name);
/// The same, and its shape is src's without the last `dropped` dimensions.
status_t check_tensor(const char *component, const memory_desc_t &md, const char *name,
        const memory_desc_t &src, int dropped = 0);
/// The layout is given, so the format is not `any`.
status_t check_layout_given(const char *component, const memory_desc_t &md, const char *name);
/// The tensor has as many dimensions as src without the last `dropped` ones.
status_t check_ndims(const char *component, const memory_desc_t &md, const char *name,
        const memory_desc_t &src, int dropped = 0);
/// The same, and the dimensions are src's.
status_t check_shape(const char *component, const memory_desc_t &md, const char *name,
        const memory_desc_t &src, int dropped = 0);
/// No dimension or stride is left to execution time.
status_t check_no_runtime_values(const char *component, const memory_desc_t &md, const char *name);
/// The data type is in `types`.
status_t check_type(
        const char *component, const memory_desc_t &md, const char *name, type_set_t types);
/// No two of the tensor's elements have the same address.
status_t check_distinct(const char *component, const memory_desc_t &md, const char *name);
/// The tensor may be written: its elements are distinct, and there is nothing behind them that
/// depends on them (compensation, which a reorder alone writes).
status_t check_output(const char *component, const memory_desc_t &md, const char *name);

/// Of the attributes that change results, only `honoured` ones are set.
status_t check_attr_within(const char *component, const primitive_attr_t *attr, attr_t honoured);
/// The mask of an argument's scales or zero points names axes of its tensor, and groups divide the
/// extents of such axes.
status_t check_mask_and_groups(const char *component, const char *what, int arg,
        const quantization_t &quantization, const memory_desc_t &md);
/// The mask of dropout, if one is stored, has dst's shape.
status_t check_dropout(const char *component, const dropout_t &dropout, const memory_desc_t &dst);

} // namespace kiln
