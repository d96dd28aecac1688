// SPDX-License-Identifier: Apache-2.0
// Process-wide settings that a function sets and the environment presets. It must not know who
// obeys them.
#pragma once

#include <string>

#include "common/types.hpp"

namespace kiln {

/// The mode that new attributes start with.
dnnl_fpmath_mode_t default_fpmath_mode();

/// Whether generated code is written to files.
bool jit_dump_enabled();
/// Which profilers are told of generated code: a sum of DNNL_JIT_PROFILE_* values.
unsigned jit_profiling_flags();
/// The directory in which perf's jitdump files begin.
std::string jit_profiling_jitdumpdir();

} // namespace kiln
