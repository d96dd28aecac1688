// SPDX-License-Identifier: Apache-2.0
// The stream: where primitives execute. On the CPU an execution is over when its call returns.
#pragma once

#include "common/primitive/engine.hpp"

struct dnnl_stream {
    dnnl_stream(kiln::engine_t *engine, unsigned flags)
        : engine_(engine)
        , flags_(flags) {}
    kiln::engine_t *engine() const { return engine_.get(); }
    unsigned flags() const { return flags_; }

private:
    kiln::engine_ref_t engine_;
    unsigned flags_;
};
