// SPDX-License-Identifier: Apache-2.0
// Checks of post-ops that operations share.
#pragma once

#include "common/attributes/post_ops.hpp"

namespace kiln {

/// An operand of a binary post-op broadcasts to dst and has a supported data type. Verbose lines
/// show `component`, the operation's short name.
status_t check_binary_operand(
        const char *component, const memory_desc_t &operand, const memory_desc_t &dst);

/// The mask of a prelu post-op names axes of dst.
status_t check_prelu(const char *component, const prelu_post_op_t &prelu, const memory_desc_t &dst);

/// The data type that a sum post-op may read dst with.
enum class sum_type_t { of_dst, of_same_size };

/// The chain consists of sum, eltwise, binary and prelu post-ops with valid operands.
status_t check_post_ops(const char *component, const post_ops_t &post_ops, const memory_desc_t &dst,
        sum_type_t sum_type = sum_type_t::of_dst);

} // namespace kiln
