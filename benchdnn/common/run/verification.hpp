// SPDX-License-Identifier: Apache-2.0
// The verdict on a problem's executions: against the reference, and against each other bit by bit.
#pragma once

#include <string>

#include "common/report/console.hpp"
#include "common/report/result.hpp"
#include "common/run/execution.hpp"
#include "common/run/output_bits.hpp"
#include "common/run/task.hpp"

namespace benchdnn {

// What an earlier number of threads left, to compare with.
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

    // Runs with every buffer before an inaccessible page and then behind one, and judges both.
    void check();
    // Runs twice over and compares.
    void check_repeated();
    // Compares the last run with the one of another number of threads, or keeps it for the next.
    void check_threads(int threads, earlier_bits_t &earlier);

private:
    void judge();
    void judge_memory();
    void fail(const std::string &reason);

    const task_t &task_;
    execution_t &execution_;
    console_t &console_;
    result_t &result_;
};

} // namespace benchdnn
