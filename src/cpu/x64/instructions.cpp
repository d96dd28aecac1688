// SPDX-License-Identifier: Apache-2.0
// Single instructions that drivers need outside generated code.

#include "cpu/x64/instructions.hpp"

#include <xmmintrin.h>

namespace kiln::x64 {

void fence_non_temporal_stores() { _mm_sfence(); }

void copy_string(std::byte *dst, const std::byte *src, dim_t bytes) {
    asm volatile("rep movsb" : "+D"(dst), "+S"(src), "+c"(bytes) : : "memory");
}

} // namespace kiln::x64
