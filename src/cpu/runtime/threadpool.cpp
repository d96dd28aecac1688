// SPDX-License-Identifier: Apache-2.0
// Parallel loops on the pool of threads that the program has given to the stream; without one, on
// the calling thread alone.

#include <algorithm>
#include <functional>
#include <latch>

#include "common/primitive/threadpool.hpp"
#include "cpu/parallel.hpp"
#include "cpu/runtime/shared_tasks.hpp"
#include "oneapi/dnnl/dnnl_config.h"
#include "oneapi/dnnl/dnnl_threadpool_iface.hpp"

namespace kiln {
namespace {

using pool_t = dnnl::threadpool_interop::threadpool_iface;

pool_t *active_pool() { return static_cast<pool_t *>(loop_threads().pool); }

/// What the threads of an asynchronous pool share with the thread that waits for them.
struct shared_run_t {
    cpu::shared_tasks_t tasks;
    std::latch ended;

    void run(dim_t thread) {
        tasks.run(thread);
        ended.count_down();
    }
};

} // namespace

unsigned cpu_runtime() { return DNNL_RUNTIME_THREADPOOL; }

int cpu_thread_count() {
    if (!loop_threads().is_executing) return max_concurrency();
    const pool_t *const pool = active_pool();
    return pool == nullptr || pool->get_in_parallel() ? 1 : pool->get_num_threads();
}

void cpu::run_tasks(dim_t count, function_ref_t<void(dim_t)> task) {
    const int threads =
            active_pool() ? static_cast<int>(std::clamp(thread_count(), dim_t(1), count)) : 1;
    shared_run_t run{{count, threads, task}, std::latch(threads)};
    if (threads == 1) {
        run.run(0);
    } else {
        // The reference alone is captured, which std::function keeps without an allocation.
        active_pool()->parallel_for(threads, [&run](int thread, int) { run.run(thread); });
        run.ended.wait();
    }
    run.tasks.rethrow();
}

} // namespace kiln
