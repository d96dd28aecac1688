// SPDX-License-Identifier: Apache-2.0
// What normalizations compute.
#pragma once

#include "graph/truth.hpp"

namespace kiln::test {

/// Empty where the operation is none.
std::vector<array_t> truth_of_norm(const truth_request_t &op, const std::vector<array_t> &inputs);

} // namespace kiln::test
