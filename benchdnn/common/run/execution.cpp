// SPDX-License-Identifier: Apache-2.0
// An executable with its arguments, which can be executed repeatedly from the same state.
#include "common/run/execution.hpp"

#include "common/run/timing.hpp"

namespace benchdnn {

namespace {

void wait_for(const stream_t &stream) {
    require_success(dnnl_stream_wait(stream.get()), "dnnl_stream_wait");
}

} // namespace

execution_t::execution_t(executable_t &executable, const stream_t &stream, arguments_t &arguments,
        fault_watch_t &watch)
    : executable_(executable)
    , stream_(stream)
    , arguments_(arguments)
    , watch_(watch) {
    executable_.bind(arguments_);
    watch_.set_regions(arguments_.regions());
}

void execution_t::run() {
    const stopwatch_t watch;
    run_measured();
    total_ms_ += watch.ms();
}

void execution_t::run_measured() const {
    executable_.execute(stream_);
    wait_for(stream_);
}

void execution_t::run_part(size_t part) const {
    executable_.execute_part(part, stream_);
    wait_for(stream_);
}

void execution_t::restore(placement_t placement) {
    arguments_.restore(placement);
    executable_.bind(arguments_);
    watch_.set_regions(arguments_.regions());
}

} // namespace benchdnn
