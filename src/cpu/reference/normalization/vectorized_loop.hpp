// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Before a loop whose iterations read and write no element of each other: the compiler vectorizes
/// it, and GCC unrolls it by four.
#ifdef __clang__
#define KILN_ITERATIONS_ARE_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define KILN_ITERATIONS_ARE_INDEPENDENT _Pragma("GCC ivdep") _Pragma("GCC unroll 4")
#endif
