// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication by tiles of accumulators.
#pragma once

#include "common/operations/matmul_pd.hpp"
#include "cpu/x64/isa.hpp"

namespace kiln::x64::matmul {

/// Problems whose types and attributes check_types_and_attr() takes (floats, s8 and u8; weights
/// also of 4 bits; scales, zero points, groups along K), whose src and dst have an axis of adjacent
/// elements, and whose weights have one or are packed (packed_weights()). Weights of format `any`
/// are packed.
refusal_t tiles_accept(matmul_pd_t &pd, isa_t isa, plan_ptr_t &plan);

} // namespace kiln::x64::matmul
