// SPDX-License-Identifier: Apache-2.0
// Pools of threads that programs hand to a library whose threads they are
// (DNNL_RUNTIME_THREADPOOL). A pool is a dnnl::threadpool_interop::threadpool_iface.
#pragma once

#include "common/cpu_facts.hpp"
#include "common/primitive/stream.hpp"
#include "oneapi/dnnl/dnnl_config.h"

namespace kiln {

/// What runs the parallel loops of the calling thread.
struct loop_threads_t {
    bool is_executing = false; // an execution is under way
    void *pool = nullptr;      // its stream's; null: the calling thread alone
};
loop_threads_t loop_threads();
void set_loop_threads(const loop_threads_t &threads);

/// The number of threads that the calling thread creates primitives for where a program brings the
/// threads: what it has set, by default the number of processors that it may run on when it first
/// asks.
int max_concurrency();

/// Refuses the calls of programs that bring threads if the library has threads of its own.
status_t check_threadpool_runtime();

/// While it lives, the parallel loops of the calling thread run where those of the stream do, or on
/// the pool. Does nothing in a library with threads of its own.
class threadpool_use_t {
public:
    explicit threadpool_use_t(const stream_t &stream)
        : threadpool_use_t(stream.threadpool()) {}
    explicit threadpool_use_t(void *threadpool)
        : is_needed_(cpu_runtime() == DNNL_RUNTIME_THREADPOOL) {
        if (!is_needed_) return;
        before_ = loop_threads();
        set_loop_threads({.is_executing = true, .pool = threadpool});
    }
    ~threadpool_use_t() {
        if (is_needed_) set_loop_threads(before_);
    }
    threadpool_use_t(const threadpool_use_t &) = delete;
    threadpool_use_t &operator=(const threadpool_use_t &) = delete;

private:
    const bool is_needed_;
    loop_threads_t before_;
};

} // namespace kiln
