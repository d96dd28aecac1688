// SPDX-License-Identifier: Apache-2.0
// Binary algorithms by their definitions, in double and rounded once, sharing nothing with the
// library.
#pragma once

#include <span>
#include <string>

#include "oneapi/dnnl/dnnl_types.h"

namespace kiln::test {

/// Every binary algorithm; dnnl_binary_select is the last.
std::span<const dnnl_alg_kind_t> binary_algorithms();
std::string binary_name(dnnl_alg_kind_t alg);

/// `alg` of x and y; `condition` matters to dnnl_binary_select alone.
float model_binary(dnnl_alg_kind_t alg, float x, float y, float condition = 0);

/// Same bits; NaN stands for any NaN, and zeros may differ in sign where `alg` leaves it open.
bool is_model_result(dnnl_alg_kind_t alg, float actual, float expected);

} // namespace kiln::test
