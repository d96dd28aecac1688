// SPDX-License-Identifier: Apache-2.0
// Random normalizations: parameters and types.
#pragma once

#include "differential/random.hpp"
#include "normalization/problem.hpp"

namespace kiln::test::differential {

test::normalization::problem_t random_normalization(random_t &random);

} // namespace kiln::test::differential
