// SPDX-License-Identifier: Apache-2.0
// Checks the executions of a problem against the reference, and bit by bit against each other.
#pragma once

#include <string>

#include "common/report/console.hpp"
#include "common/report/result.hpp"
#include "common/run/execution.hpp"
#include "common/run/output_bits.hpp"
#include "common/run/task.hpp"

namespace benchdnn {

// The outputs with an earlier number of threads.
struct earlier_bits_t {
    int threads = 0;
    output_bits_t bits;
};

class verification_t {
public:
    verification_t(const task_t &task, execution_t &execution, console_t &console, result_t &result)
        : task_(task)
        , execution_(execution)
        , console_(console)
        , result_(result) {}

    // Runs with every buffer before an inaccessible page and then after one, and checks both
    // results.
    void check();
    // Runs twice and compares the outputs.
    void check_repeated();
    // Compares the last run with that of an earlier number of threads, or keeps its outputs for the
    // next.
    void check_threads(int threads, earlier_bits_t &earlier);

private:
    void compare_outputs();
    void check_memory();
    void fail(const std::string &reason);

    const task_t &task_;
    execution_t &execution_;
    console_t &console_;
    result_t &result_;
};

} // namespace benchdnn
