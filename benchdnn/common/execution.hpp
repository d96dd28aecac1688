// SPDX-License-Identifier: Apache-2.0
// A primitive with its arguments, to be executed again and again from the same state.
#pragma once

#include "common/arguments.hpp"
#include "common/fault_report.hpp"

namespace benchdnn {

class execution_t {
public:
    // The arguments must be sealed.
    execution_t(const primitive_t &primitive, const stream_t &stream, arguments_t &arguments,
            fault_watch_t &watch);

    // Once, and waits for the end.
    void run() const;
    // All arguments as they were before the first run, at this end of their pages.
    void restore(placement_t placement);

    const arguments_t &arguments() const { return arguments_; }

private:
    const primitive_t &primitive_;
    const stream_t &stream_;
    arguments_t &arguments_;
    fault_watch_t &watch_;
    std::vector<dnnl_exec_arg_t> list_;
};

} // namespace benchdnn
