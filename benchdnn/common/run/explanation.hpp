// SPDX-License-Identifier: Apache-2.0
// --explain: how the library solves a problem. Nothing is executed.
#pragma once

#include <string>
#include <vector>

#include "common/run/primitive_problem.hpp"

namespace benchdnn {

// The implementations and their answers; of the one that is used, its memory, its plan and its
// kernels, with --disasm their instructions.
std::vector<std::string> explain(
        const primitive_problem_t &problem, const creation_request_t &request);

} // namespace benchdnn
