// SPDX-License-Identifier: Apache-2.0
// Process-wide settings: a function sets them, the environment gives their initial values.
#pragma once

#include <string>

#include "common/types.hpp"

namespace kiln {

/// The mode that new attributes start with.
dnnl_fpmath_mode_t default_fpmath_mode();

/// Whether an execution refuses a memory whose layout is not the one that was described:
/// KILN_CHECK_ARGUMENTS=1.
bool refuses_other_layouts();

/// Whether generated code is written to files.
bool jit_dump_enabled();
/// Which profilers generated code is announced to: a sum of DNNL_JIT_PROFILE_* values.
unsigned jit_profiling_flags();
/// The directory in which perf's jitdump files begin.
std::string jit_profiling_jitdumpdir();

} // namespace kiln
