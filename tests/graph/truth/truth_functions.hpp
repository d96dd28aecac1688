// SPDX-License-Identifier: Apache-2.0
// Elementwise operations as functions of doubles.
#pragma once

#include <functional>

#include "graph/truth/truth.hpp"

namespace kiln::test {

using function_t = std::function<double(double)>;
using pair_function_t = double (*)(double, double);

/// The function of an operation with one operand; empty for other operations.
function_t function_of(const truth_request_t &op);
/// The factor of diff_dst: a function of src, or of dst with use_dst; empty likewise.
function_t derivative_of(const truth_request_t &op);
/// The function of an operation with two operands; null for other operations.
pair_function_t pair_function_of(kind_t kind);

} // namespace kiln::test
