// SPDX-License-Identifier: Apache-2.0
// The stream: where primitives execute. On the CPU an execution is over when its call returns.
#pragma once

#include "common/primitive/engine.hpp"

struct dnnl_stream {
    dnnl_stream(kiln::engine_t *engine, unsigned flags, void *threadpool = nullptr)
        : engine_(engine)
        , flags_(flags)
        , threadpool_(threadpool) {}
    kiln::engine_t *engine() const { return engine_.get(); }
    unsigned flags() const { return flags_; }
    /// The program's pool of threads (common/primitive/threadpool.hpp); null if it has given none.
    void *threadpool() const { return threadpool_; }

private:
    kiln::engine_ref_t engine_;
    unsigned flags_;
    void *threadpool_;
};
