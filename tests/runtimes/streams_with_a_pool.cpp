// SPDX-License-Identifier: Apache-2.0
// A library to be preloaded: streams of a program that knows of no pool get one of three threads,
// so that every test can run on the threadpool runtime. Every second stream's pool is asynchronous.

#include <atomic>

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_threadpool.h"
#include "thread_pool.hpp"

extern "C" __attribute__((visibility("default"))) dnnl_status_t dnnl_stream_create(
        dnnl_stream_t *stream, dnnl_engine_t engine, unsigned) {
    using kiln::test::thread_pool_t;
    // They live until the process has ended, as destructors of the program may use streams.
    static auto *const pool = new thread_pool_t(3);
    static auto *const asynchronous_pool = new thread_pool_t(3, thread_pool_t::ASYNCHRONOUS);
    static std::atomic<unsigned> count = 0;
    return dnnl_threadpool_interop_stream_create(
            stream, engine, count++ % 2 == 0 ? pool : asynchronous_pool);
}
