// SPDX-License-Identifier: Apache-2.0
// C entries for programs that hand a pool of threads to the library.

#include "common/primitive/threadpool.hpp"

#include <sched.h>

#include "common/cpu_facts.hpp"
#include "common/verbose/verbose.hpp"
#include "oneapi/dnnl/dnnl_threadpool.h"

namespace kiln {
namespace {

int processor_count() {
    cpu_set_t processors;
    const bool is_known = sched_getaffinity(0, sizeof(processors), &processors) == 0;
    return is_known ? CPU_COUNT(&processors) : 1;
}

/// 0: not set.
constinit thread_local int concurrency_setting = 0;
constinit thread_local void *current_pool = nullptr;

} // namespace

status_t check_threadpool_runtime() {
    KILN_REQUIRE(cpu_runtime() == DNNL_RUNTIME_THREADPOOL, dnnl_unimplemented, "threadpool",
            "this library is built for threads of %s; a pool needs one that is built with "
            "ONEDNN_CPU_RUNTIME=THREADPOOL",
            dnnl_runtime2str(cpu_runtime()));
    return dnnl_success;
}

void *&active_threadpool() { return current_pool; }

int max_concurrency() {
    static const int processors = processor_count();
    return concurrency_setting > 0 ? concurrency_setting : processors;
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
