// SPDX-License-Identifier: Apache-2.0
// Parallel loops on oneTBB, in the arena of the calling thread.

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "cpu/parallel.hpp"
#include "cpu/runtime/task_order.hpp"
#include "oneapi/dnnl/dnnl_config.h"

namespace kiln {

unsigned cpu_runtime() { return DNNL_RUNTIME_TBB; }

int cpu_thread_count() { return tbb::this_task_arena::max_concurrency(); }

void cpu::run_tasks(dim_t count, function_ref_t<void(dim_t)> task) {
    const task_order_t order;
    const auto run = [&order, task](const tbb::blocked_range<dim_t> &range) KILN_BEGINS_TASK {
        order.run([&] {
            for (dim_t i = range.begin(); i != range.end(); ++i) task(i);
        });
    };
    // Over a range, TBB's tasks copy the body; over indices they refer to it.
    tbb::this_task_arena::isolate([&] {
        tbb::parallel_for(tbb::blocked_range<dim_t>(0, count), run, tbb::simple_partitioner());
    });
}

} // namespace kiln
