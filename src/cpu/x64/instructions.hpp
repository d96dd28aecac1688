// SPDX-License-Identifier: Apache-2.0
// Instructions that drivers need outside generated code.
#pragma once

#include <cstddef>

#include "common/types.hpp"

/// Lets the compiler use AVX2 in a function, without FMA, so that results are those of other
/// instructions. Such functions run beside kernels only, which need AVX2. Elsewhere the library has
/// instructions of every x86-64 processor alone; the section tells a test where.
#define KILN_AVX2 [[gnu::target("avx2"), gnu::section("kiln_avx2")]]

namespace kiln::x64 {

/// Makes the non-temporal stores of this thread visible before its later stores. Kernels do not do
/// so: a task calls this at its end (parallel_stores.hpp).
void fence_non_temporal_stores();

/// Copies bytes by `rep movsb`; has_fast_strings() says whether that is fast. The buffers do not
/// overlap.
void copy_string(std::byte *dst, const std::byte *src, dim_t bytes);

/// The sum of elements of s8 or u8, modulo 2^32, by `psadbw`.
uint32_t sum_of_bytes(const std::byte *elements, dim_t count, bool is_signed);

} // namespace kiln::x64
