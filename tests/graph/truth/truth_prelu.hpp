// SPDX-License-Identifier: Apache-2.0
// The truth of PReLU and its gradients.
#pragma once

#include "graph/truth/truth.hpp"

namespace kiln::test {

/// Empty for other operations.
std::vector<array_t> truth_of_prelu(const truth_request_t &op, const std::vector<array_t> &inputs);

} // namespace kiln::test
