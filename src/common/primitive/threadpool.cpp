// SPDX-License-Identifier: Apache-2.0
// C entries for programs that hand a pool of threads to the library.

#include "common/primitive/threadpool.hpp"

#include <sched.h>

#include "common/cpu_facts.hpp"
#include "common/verbose/verbose.hpp"
#include "oneapi/dnnl/dnnl_threadpool.h"

namespace kiln {
namespace {

/// The number of processors that the calling thread may run on; 1 if it is unknown.
int processor_count() {
    // The system refuses a set that is smaller than its own.
    constexpr size_t most_processors = 1 << 20;
    for (size_t size = CPU_SETSIZE; size <= most_processors; size *= 2) {
        cpu_set_t *const processors = CPU_ALLOC(size);
        if (processors == nullptr) return 1;
        const size_t bytes = CPU_ALLOC_SIZE(size);
        const bool is_known = sched_getaffinity(0, bytes, processors) == 0;
        const int count = is_known ? CPU_COUNT_S(bytes, processors) : 0;
        CPU_FREE(processors);
        if (is_known) return count;
    }
    return 1;
}

/// 0: not set, or not counted yet.
constinit thread_local int concurrency_setting = 0;
constinit thread_local int processors = 0;
constinit thread_local bool is_executing = false;
constinit thread_local void *current_pool = nullptr;

} // namespace

status_t check_threadpool_runtime() {
    KILN_REQUIRE(cpu_runtime() == DNNL_RUNTIME_THREADPOOL, dnnl_unimplemented, "threadpool",
            "this library is built for threads of %s; a pool needs one that is built with "
            "ONEDNN_CPU_RUNTIME=THREADPOOL",
            dnnl_runtime2str(cpu_runtime()));
    return dnnl_success;
}

loop_threads_t loop_threads() { return {is_executing, current_pool}; }

void set_loop_threads(const loop_threads_t &threads) {
    is_executing = threads.is_executing;
    current_pool = threads.pool;
}

int max_concurrency() {
    if (concurrency_setting > 0) return concurrency_setting;
    if (processors == 0) processors = processor_count();
    return processors;
}

} // namespace kiln

using namespace kiln;

status_t dnnl_threadpool_interop_stream_create(
        stream_t **stream, engine_t *engine, void *threadpool) {
    return guarded([&]() -> status_t {
        KILN_TRY(check_threadpool_runtime());
        if (stream == nullptr || engine == nullptr) return dnnl_invalid_arguments;
        *stream = new stream_t(engine, dnnl_stream_default_flags, threadpool);
        return dnnl_success;
    });
}

status_t dnnl_threadpool_interop_stream_get_threadpool(stream_t *stream, void **threadpool) {
    return guarded([&]() -> status_t {
        KILN_TRY(check_threadpool_runtime());
        if (stream == nullptr || threadpool == nullptr) return dnnl_invalid_arguments;
        *threadpool = stream->threadpool();
        return dnnl_success;
    });
}

status_t dnnl_threadpool_interop_set_max_concurrency(int max_concurrency) {
    return guarded([&]() -> status_t {
        KILN_TRY(check_threadpool_runtime());
        KILN_REQUIRE(max_concurrency > 0, dnnl_invalid_arguments, "threadpool",
                "max_concurrency is %d; it must be 1 at least", max_concurrency);
        concurrency_setting = max_concurrency;
        return dnnl_success;
    });
}

status_t dnnl_threadpool_interop_get_max_concurrency(int *max_concurrency) {
    return guarded([&]() -> status_t {
        KILN_TRY(check_threadpool_runtime());
        if (max_concurrency == nullptr) return dnnl_invalid_arguments;
        *max_concurrency = kiln::max_concurrency();
        return dnnl_success;
    });
}
