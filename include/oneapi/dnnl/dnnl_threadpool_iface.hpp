// SPDX-License-Identifier: Apache-2.0
// The interface of a pool of threads that a program hands to a library which is built for one
// (DNNL_CPU_RUNTIME is DNNL_RUNTIME_THREADPOOL). The order of the virtual functions is part of the
// binary interface.

#ifndef ONEAPI_DNNL_DNNL_THREADPOOL_IFACE_HPP
#define ONEAPI_DNNL_DNNL_THREADPOOL_IFACE_HPP

#include <cstdint>
#include <functional>

#include "oneapi/dnnl/dnnl_config.h"

namespace dnnl {
namespace threadpool_interop {

/// A pool of threads. The program derives from it.
struct threadpool_iface {
    /// The number of threads that execute closures, 1 at least.
    virtual int get_num_threads() const = 0;

    /// Whether the calling thread executes a closure of the pool.
    virtual bool get_in_parallel() const = 0;

    /// Calls fn(i, n) for each i from 0 to n - 1, in any order, on any threads of the pool. The
    /// calls need not run at the same time.
    virtual void parallel_for(int n, const std::function<void(int, int)> &fn) = 0;

    /// A combination of the flags below; 0: parallel_for() returns when all calls are complete.
    virtual uint64_t get_flags() const = 0;

    /// Waits for all calls, if the pool is ASYNCHRONOUS.
    virtual void wait() = 0;

    virtual ~threadpool_iface() = default;

    /// The flag of a pool whose parallel_for() may return before the calls are complete. The
    /// library waits for them itself.
    static constexpr uint64_t ASYNCHRONOUS = 1;
};

} // namespace threadpool_interop
} // namespace dnnl

#endif // ONEAPI_DNNL_DNNL_THREADPOOL_IFACE_HPP
