// SPDX-License-Identifier: Apache-2.0
// An executable with its arguments, which can be executed repeatedly from the same state.
#pragma once

#include "common/report/fault_report.hpp"
#include "common/run/executable.hpp"
#include "common/tensor/arguments.hpp"

namespace benchdnn {

class execution_t {
public:
    // The arguments must be sealed.
    execution_t(executable_t &executable, const stream_t &stream, arguments_t &arguments,
            fault_watch_t &watch);

    // Executes once and waits for the end. run_measured() leaves the time to the caller.
    void run();
    void run_measured() const;
    // Executes only this one of executable_t::part_names().
    void run_part(size_t part) const;
    // Restores all arguments to their contents before the first run, at this end of their pages.
    void restore(placement_t placement);

    // Of all calls of run().
    double total_ms() const { return total_ms_; }
    const arguments_t &arguments() const { return arguments_; }
    const executable_t &executable() const { return executable_; }

private:
    executable_t &executable_;
    const stream_t &stream_;
    arguments_t &arguments_;
    fault_watch_t &watch_;
    double total_ms_ = 0;
};

} // namespace benchdnn
