// SPDX-License-Identifier: Apache-2.0
// Pools of threads that programs hand to a library whose threads they are
// (DNNL_RUNTIME_THREADPOOL). A pool is a dnnl::threadpool_interop::threadpool_iface.
#pragma once

#include <utility>

#include "common/primitive/stream.hpp"

namespace kiln {

/// The pool that runs the parallel loops of the calling thread; null outside of executions on
/// streams that have one.
void *&active_threadpool();

/// The number of threads that the calling thread creates primitives for where a program brings the
/// threads: what it has set, by default the number of processors that the process may run on.
int max_concurrency();

/// Refuses the calls of programs that bring threads if the library has threads of its own.
status_t check_threadpool_runtime();

/// Makes the pool of a stream, if it has one, the active one of the calling thread while it lives.
class threadpool_use_t {
public:
    explicit threadpool_use_t(const stream_t &stream)
        : threadpool_use_t(stream.threadpool()) {}
    explicit threadpool_use_t(void *threadpool)
        : is_set_(threadpool != nullptr) {
        if (is_set_) before_ = std::exchange(active_threadpool(), threadpool);
    }
    ~threadpool_use_t() {
        if (is_set_) active_threadpool() = before_;
    }
    threadpool_use_t(const threadpool_use_t &) = delete;
    threadpool_use_t &operator=(const threadpool_use_t &) = delete;

private:
    const bool is_set_;
    void *before_ = nullptr;
};

} // namespace kiln
