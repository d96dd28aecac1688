// SPDX-License-Identifier: Apache-2.0
// Every function that a post-op can be.
#pragma once

#include <vector>

#include "support/post_ops.hpp"

namespace kiln::test {

/// Each elementwise function at least once, the others with parameters that matter.
const std::vector<post_op_t> &eltwise_ops();

const std::vector<dnnl_alg_kind_t> &binary_algs();

/// A chain in which the function gets arguments that it has a value for, from results of the given
/// type.
post_op_chain_t defined_chain(const post_op_t &op, dnnl_data_type_t dst_type);

} // namespace kiln::test
