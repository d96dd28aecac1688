// SPDX-License-Identifier: Apache-2.0
// Properties of the processor and of its threads that common uses; the CPU engine defines the functions.
#pragma once

namespace kiln {

/// The instruction set in use, in words for a human reader. As after any query of the ISA,
/// `dnnl_set_max_cpu_isa` fails from then on.
const char *cpu_isa_description();

/// What runs parallel loops: a value DNNL_RUNTIME_*.
unsigned cpu_runtime();

/// How many threads a parallel region of the calling thread would have.
int cpu_thread_count();

} // namespace kiln
