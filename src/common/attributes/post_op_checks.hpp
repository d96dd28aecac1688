// SPDX-License-Identifier: Apache-2.0
// What operations ask of post-ops alike.
#pragma once

#include "common/attributes/post_ops.hpp"

namespace kiln {

/// An operand of a binary post-op: broadcast along any axes of dst, and of a type that can be read.
/// `component` is whose refusal verbose mode prints.
status_t check_binary_operand(
        const char *component, const memory_desc_t &operand, const memory_desc_t &dst);

/// A chain of sums with dst, elementwise and binary ones.
status_t check_post_ops(
        const char *component, const post_ops_t &post_ops, const memory_desc_t &dst);

} // namespace kiln
