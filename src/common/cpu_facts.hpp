// SPDX-License-Identifier: Apache-2.0
// What common may ask about the processor; the CPU engine answers. It names no ISA.
#pragma once

namespace kiln {

/// The instruction set in use, in words for a human reader. Asking settles it, as every query of
/// the ISA does: `dnnl_set_max_cpu_isa` fails from then on.
const char *cpu_isa_description();

/// How many threads a parallel region of the calling thread would have.
int cpu_thread_count();

} // namespace kiln
