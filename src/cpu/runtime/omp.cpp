// SPDX-License-Identifier: Apache-2.0
// Parallel loops on OpenMP: on as many threads as omp_get_max_threads() says, and inside of the
// program's own parallel region on the calling thread alone.

#include <algorithm>

#include <omp.h>

#include "cpu/parallel.hpp"
#include "cpu/runtime/shared_tasks.hpp"
#include "oneapi/dnnl/dnnl_config.h"

namespace kiln {

unsigned cpu_runtime() { return DNNL_RUNTIME_OMP; }

int cpu_thread_count() { return omp_in_parallel() ? 1 : omp_get_max_threads(); }

void cpu::run_tasks(dim_t count, function_ref_t<void(dim_t)> task) {
    const int threads = static_cast<int>(std::min(count, thread_count()));
    shared_tasks_t tasks(count, threads, task);
    if (threads == 1) {
        tasks.run(0);
    } else {
#pragma omp parallel num_threads(threads)
        tasks.run(omp_get_thread_num());
    }
    tasks.rethrow();
}

} // namespace kiln
