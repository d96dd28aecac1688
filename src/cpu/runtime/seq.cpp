// SPDX-License-Identifier: Apache-2.0
// Parallel loops on the calling thread alone.

#include "cpu/parallel.hpp"
#include "oneapi/dnnl/dnnl_config.h"

namespace kiln {

unsigned cpu_runtime() { return DNNL_RUNTIME_SEQ; }

int cpu_thread_count() { return 1; }

void cpu::run_tasks(dim_t count, function_ref_t<void(dim_t)> task) {
    for (dim_t index = 0; index < count; ++index) task(index);
}

} // namespace kiln
